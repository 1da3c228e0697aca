// Package judge says how likely it is that one of two texts was made from the other: a copy, an edited or a corrected
// one, a version, a text that was read with mistakes.
//
// How similar two sets of words are says too little. A text with a fifth of its words misspelt has few words of the
// original, and two forms with other contents have many in common. So five measures of a pair are weighed together,
// by a logistic regression whose weights are in weights.json. Each weight is positive: what two texts have in common
// never speaks against a copy. The measures are of the pair alone, so that the answer does not depend on the
// collection. The command bench/judge makes the file from labelled collections and from edits that it makes itself;
// docs/measured/JUDGE.md explains it.
//
// A judge does not know which facts matter to a reader. Two versions of a form may be copies to it. Package explain
// compares numbers, negations and the order of words.
package judge

import (
	_ "embed"
	"encoding/json"
	"math"
	"sort"

	"simsearch/internal/ground/ints"
)

// Floor is the similarity of their sets of words that texts have at least which are compared. Others are no copies.
const Floor = 0.45

// Alike is the similarity from which on texts are compared whatever their openings are.
const Alike = 0.8

// A Measure is one of the measures of a pair, in [0, 1]; 1 says that the texts agree.
type Measure int

// The measures.
const (
	// Titles is the mean of two measures: the Jaccard similarity of the sets of words of the titles, as Title finds
	// them, and the share of the words of one title that are among the first words of the other text, the larger of
	// both shares. It counts as much as one text is inside of the other: times the share of the distinct sequences of
	// five characters of one that the other one has, the larger of both shares. Many texts that have nothing else in
	// common begin with the same line. If both have 128 words or more, it is at least what their Jaccard similarity by
	// these sequences is above 0.8, in parts of 0.2: a name or a number above a copy makes no other text. The shorter
	// they are, the less that counts, and with 32 words nothing.
	Titles Measure = iota
	// Lengths is the ratio of the lengths of the normalised texts, the shorter by the longer.
	Lengths
	// Numbers is the Jaccard similarity of the multisets of words with digits. It is 1 if neither text has one.
	Numbers
	// Much is the binary logarithm of the number of words of the shorter text, divided by 7, and 1 from 128 words on.
	Much
	// Spelling is the Jaccard similarity of the multisets of the first words, in which words that are spelt alike count
	// as the same.
	Spelling
	// NumMeasures is their number.
	NumMeasures
)

// names are those of weights.json, columns and pages.
var names = [NumMeasures]string{"titles", "lengths", "numbers", "much", "spelling"}

// String returns the name of the measure.
func (m Measure) String() string { return names[m] }

// A Judge has the weights. It is not changed after it was made.
type Judge struct {
	// Version numbers the weights.
	Version int `json:"version"`
	// Constant and Weights make the logit of a pair: the constant, and each measure times its weight.
	Constant float64            `json:"constant"`
	Weights  map[string]float64 `json:"weights"`
	// Calibration has the probability of a copy at some logits. Both ascend. Between two of them it is on a line, and
	// beyond the first and the last it is theirs.
	Calibration [][2]float64 `json:"calibration"`

	weights [NumMeasures]float64
}

//go:embed weights.json
var stored []byte

// Default is the judge of this version of the program.
var Default = must(Parse(stored))

func must(j *Judge, err error) *Judge {
	if err != nil {
		panic(err) // the file is part of the program, and tested
	}
	return j
}

// Parse reads the weights of a judge, in JSON.
func Parse(data []byte) (*Judge, error) {
	j := new(Judge)
	if err := json.Unmarshal(data, j); err != nil {
		return nil, err
	}
	for m, name := range names {
		j.weights[m] = j.Weights[name]
	}
	return j, nil
}

// Measures returns the measures of two texts.
func Measures(a, b *Text) (of [NumMeasures]float64) {
	for _, measure := range steps {
		measure(a, b, &of)
	}
	return of
}

// steps take the measures of two texts, the cheapest first. None makes greater what one before it has measured, if
// share has been asked for the most that they can share.
var steps = [...]func(a, b *Text, of *[NumMeasures]float64){
	func(a, b *Text, of *[NumMeasures]float64) {
		of[Titles] = (ratioOfSets(a.title, b.title) + max(a.begins(b), b.begins(a))) / 2
		of[Lengths] = ratio(min(a.length, b.length), max(a.length, b.length))
		of[Numbers] = ratioOfSets(a.numbers, b.numbers)
		of[Much] = min(1, math.Log2(float64(max(1, min(a.count, b.count))))/7)
	},
	func(a, b *Text, of *[NumMeasures]float64) { of[Spelling] = spelled(a, b, false) }, // at most
	func(a, b *Text, of *[NumMeasures]float64) {
		x, y := both(a, b)
		share(of, ints.Shared(x, y), len(x), len(y))
	},
	func(a, b *Text, of *[NumMeasures]float64) { of[Spelling] = spelled(a, b, true) },
}

// share sets what depends on how many sequences of characters two texts share, of as many as they have. The more they
// share, the greater that is.
func share(of *[NumMeasures]float64, shared, ofA, ofB int) {
	of[Titles] *= ratio(shared, min(ofA, ofB))
	alike := (ratio(shared, ofA+ofB-shared) - .8) / .2
	of[Titles] = max(of[Titles], alike*max(0, 3.5*(of[Much]-5./7)))
}

// logit returns what the measures of a pair weigh together. It ascends with the probability.
func (j *Judge) logit(of [NumMeasures]float64) float64 {
	sum := j.Constant
	for m, x := range of {
		sum += j.weights[m] * x
	}
	return sum
}

// Weight returns what a measure of 1 adds to the logit.
func (j *Judge) Weight(m Measure) float64 { return j.weights[m] }

// Probability returns how likely a pair with these measures is a copy, in [0, 1].
func (j *Judge) Probability(of [NumMeasures]float64) float64 { return j.probabilityAt(j.logit(of)) }

// Copy returns how likely it is that one of two texts was made from the other, in [0, 1]. words is the Jaccard
// similarity of their sets of words. It is 1 if the texts have the same words in the same order, or none and are equal,
// and else 0 if they are not Compared, or one has none.
func (j *Judge) Copy(a, b *Text, words float64) float64 {
	p, _ := j.CopyOf(a, b, words, 0)
	return p
}

// CopyOf is Copy, and reports whether that is least or more. If it is less, it may not be known, and is 0.
func (j *Judge) CopyOf(a, b *Text, words, least float64) (p float64, is bool) {
	switch {
	case a.digest == b.digest && a.count == b.count:
		return 1, true
	case a.count == 0 || b.count == 0 || !Compared(a, b, words):
		return 0, least <= 0
	}
	var of [NumMeasures]float64
	for m := range of {
		of[m] = 1
	}
	for i, measure := range steps {
		measure(a, b, &of)
		at := of
		if i < 2 {
			x, y := both(a, b)
			share(&at, atMost(a, b, x, y), len(x), len(y))
		}
		if p = j.Probability(at); p < least {
			return 0, false
		}
	}
	return p, true
}

func (j *Judge) probabilityAt(logit float64) float64 {
	c := j.Calibration
	i := sort.Search(len(c), func(i int) bool { return c[i][0] >= logit })
	switch i {
	case 0:
		return c[0][1]
	case len(c):
		return c[len(c)-1][1]
	}
	lo, hi := c[i-1], c[i]
	return lo[1] + (hi[1]-lo[1])*(logit-lo[0])/(hi[0]-lo[0])
}

// ratio returns a/b, and 1 if b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// ratioOfSets returns the Jaccard similarity of two sets or multisets, ascending, and 1 if both are empty.
func ratioOfSets(a, b []uint32) float64 {
	shared := ints.Shared(a, b)
	return ratio(shared, len(a)+len(b)-shared)
}

// begins returns the share of the words of the title of t that are among the first words of b.
func (t *Text) begins(b *Text) float64 { return ratio(ints.Shared(t.title, b.head), len(t.title)) }
