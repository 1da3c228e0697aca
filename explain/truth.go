// Package explain measures similarity exactly, to hold the estimates of sketches
// against.
//
//	a := explain.Count(&docA) // a *preprocess.Document
//	b := explain.Count(&docB)
//	fmt.Println(explain.Cosine(a, b), explain.Jaccard(a, b))
package explain

import (
	"math"

	"simsearch/preprocess"
)

// Features are the features of a document with their weights, all positive.
type Features map[string]int64

// Count returns the features of a document, each weighted by how often it occurs.
func Count(doc *preprocess.Document) Features {
	f := make(Features)
	for i := range doc.Len() {
		f[string(doc.Feature(i))]++
	}
	return f
}

// Total returns the sum of the weights.
func (f Features) Total() int64 {
	var n int64
	for _, w := range f {
		n += w
	}
	return n
}

// Cosine returns the cosine of the angle between two weighted vectors, in [0, 1].
// It is 0 if one has no features.
func Cosine(a, b Features) float64 {
	var dot, aa, bb float64
	for f, w := range a {
		aa += float64(w) * float64(w)
		dot += float64(w) * float64(b[f])
	}
	for _, w := range b {
		bb += float64(w) * float64(w)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	// Sums of integers are exact up to 2^53 in any order; only the root rounds.
	return min(1, dot/math.Sqrt(aa*bb))
}

// Jaccard returns |A∩B| / |A∪B| of the sets of features, weights left aside, in
// [0, 1]. It is 0 if both are empty.
func Jaccard(a, b Features) float64 {
	shared := a.shared(b)
	union := len(a) + len(b) - shared
	if union == 0 {
		return 0
	}
	return float64(shared) / float64(union)
}

// Containment returns |A∩B| / |A| of the sets of features, in [0, 1]. It is 0 if A is empty.
func Containment(a, b Features) float64 {
	if len(a) == 0 {
		return 0
	}
	return float64(a.shared(b)) / float64(len(a))
}

// shared returns how many features are in both.
func (f Features) shared(b Features) int {
	n := 0
	for feature := range f {
		if _, ok := b[feature]; ok {
			n++
		}
	}
	return n
}
