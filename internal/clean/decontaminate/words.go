package decontaminate

import (
	"errors"
	"math"
)

// A rule says which sequences of words count.
type rule struct {
	// words is how many words in a row a field of an item and a document have in common at least. A field of fewer
	// words counts as a whole: all its words in a row.
	words int
	// minWords is the least number of words of a field that is judged, at most words. What is shorter occurs anywhere.
	minWords int
	// maxPlaces is in how many places of the tests a sequence may stand. One that stands in more is their form, such
	// as an instruction before each question, and does not count. So is one that formItems of the items of a benchmark
	// and one in formShare of them have. Fields of the same words count once, such as a passage that several questions
	// have. They are form only if there are more than maxPlaces of them, or if more than half of the items of a
	// benchmark have one.
	maxPlaces int
}

// ruleOf returns the rule for so many words in a row.
func ruleOf(words int) rule { return rule{words, min(words, minWords), maxPlaces} }

// minShare is which share of the own words of a field, those that are in no form, a document has at least for the
// item to count as found. What is less than half of them must be more than a phrase, too: half as long again as
// rule.words. What is less is listed apart, and neither counted nor purified: in real texts, nearly all of it are
// phrases that anybody writes.
const minShare = 0.2

// What formItems of the items of a benchmark have, and one in formShare, is the form of the benchmark.
const formItems, formShare = 3, 10

// isForm reports whether what as many items of a benchmark of all items have is its form.
func isForm(items, all int) bool { return items >= formItems && formShare*items >= all }

// The usual rule.
const (
	DefaultWords = 13
	minWords     = 8
	maxPlaces    = 100
)

// length returns how many words in a row a field of n words has to have in common with a document, or 0 if it is not
// judged.
func (r rule) length(n int) int {
	if n < r.minWords {
		return 0
	}
	return min(n, r.words)
}

// share returns a share with four digits behind the point. Only all is 1.
func share(n, all int) float64 { return math.Floor(1e4*float64(n)/float64(all)) / 1e4 }

// counts reports whether as many own words of a field that has all are enough for its item to count as found.
func (r rule) counts(covered, all int) bool {
	switch is := share(covered, all); {
	case is < minShare:
		return false
	case is >= 0.5:
		return covered >= min(all, r.minWords)
	}
	return 2*covered >= 3*r.words
}

// A text is the words of all fields of all tests, one field after the other, each with a zero behind it, which is the
// hash of no word.
type text struct {
	words  []uint64
	starts []uint32 // of each field, and one more: the length of words
	itemOf []uint32 // of each field
	within []uint32 // of each item, its benchmark
}

// errTooMany is returned for tests of more words than places have bits for.
var errTooMany = errors.New("the tests have more than 2,000,000,000 words: compare some of them at a time")

const maxWords = math.MaxInt32 - 1<<20

func newText() *text { return &text{starts: []uint32{0}} }

// add appends a field of an item.
func (t *text) add(words []uint64, item int) error {
	if len(t.words)+len(words) > maxWords {
		return errTooMany
	}
	t.words = append(append(t.words, words...), 0)
	t.starts, t.itemOf = append(t.starts, uint32(len(t.words))), append(t.itemOf, uint32(item))
	return nil
}

// fields returns the number of fields.
func (t *text) fields() int { return len(t.starts) - 1 }

// field returns the words of a field.
func (t *text) field(i int) []uint64 { return t.words[t.starts[i] : t.starts[i+1]-1] }

// A stretch is words in a row that a field of a test and a document have in common: Length words from Test and from
// Document on.
type stretch struct {
	field          int
	test, document int // in the words of the field, and of the document
	length         int
}

// A hit is what a field of a test and a document have in common.
type hit struct {
	field int
	// covered is how many of its own words, those in no form, stand in sequences that count. There are some.
	covered int
	// runs show them, in the order of the field. Each has words of the field that no run before it has.
	runs []stretch
}
