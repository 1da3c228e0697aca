package main

import (
	"slices"
	"strings"
	"unicode"

	"simsearch/bench/labelled"
)

// The ways in which a pair that is found is wrong, the first that fits.
const (
	numbersDiffer   = "numbers differ"   // all words that differ have a digit
	negationDiffers = "negation differs" // all words that differ say no
	shortTexts      = "short texts"      // the shorter text has up to shortWords words
	lengthsDiffer   = "lengths differ"   // one text has lengthRatio times the words of the other, or more
	oneForm         = "one form"         // a document of the pair has formPartners wrong partners or more
	otherwise       = "other"
)

const (
	shortWords   = 10
	lengthRatio  = 1.5
	formPartners = 3
)

// The ways in which a pair is missed, the first that fits.
const (
	excerpt    = "part of the other" // the larger set has lengthRatio times the features, and excerptShare of the smaller
	otherWords = "other words"       // the similarity is less than otherWordsShare
)

const (
	excerptShare    = 0.8
	otherWordsShare = 0.3
)

var faults = []string{numbersDiffer, negationDiffers, shortTexts, lengthsDiffer, oneForm, otherwise}

var losses = []string{excerpt, otherWords, otherwise}

var negations = strings.Fields("no not non nor never none without cannot can't don't doesn't didn't isn't aren't wasn't won't " +
	"nicht kein keine keiner keinen nie ohne")

// fault says in which way a pair is wrong that has a document with the given number of wrong partners.
func (t *judge) fault(a, b uint32, partners int) string {
	small, large := len(t.Words[a]), len(t.Words[b])
	if small > large {
		small, large = large, small
	}
	switch kind := t.differing(a, b); {
	case kind == digits:
		return numbersDiffer
	case kind == negation:
		return negationDiffers
	case small <= shortWords:
		return shortTexts
	case float64(large) >= lengthRatio*float64(small):
		return lengthsDiffer
	case partners >= formPartners:
		return oneForm
	}
	return otherwise
}

// A judge knows the pairs of a collection, and its words.
type judge struct {
	*labelled.Truth
	kinds []wordKind // of each word
}

func newJudge(c *labelled.Collection) (*judge, error) {
	t, err := labelled.NewTruth(c)
	if err != nil {
		return nil, err
	}
	j := &judge{Truth: t}
	for _, w := range t.Vocabulary {
		j.kinds = append(j.kinds, kindOf(w))
	}
	return j, nil
}

// A wordKind is a set of properties of a word, or those that all words of a list have.
type wordKind uint8

const (
	digits   wordKind = 1 << iota // it has a digit
	negation                      // it says no
)

func kindOf(word string) (k wordKind) {
	if strings.ContainsFunc(word, unicode.IsDigit) {
		k |= digits
	}
	if slices.Contains(negations, word) {
		k |= negation
	}
	return k
}

// differing returns what all words have in common that one of two texts has more often than the other. It
// returns 0 if there are none.
func (t *judge) differing(a, b uint32) wordKind {
	x, y := t.Words[a], t.Words[b]
	all, some := digits|negation, false
	for (len(x) > 0 || len(y) > 0) && all != 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			all, some, x = all&t.kinds[x[0]], true, x[1:]
		case len(x) == 0 || y[0] < x[0]:
			all, some, y = all&t.kinds[y[0]], true, y[1:]
		default:
			x, y = x[1:], y[1:]
		}
	}
	if !some {
		return 0
	}
	return all
}
