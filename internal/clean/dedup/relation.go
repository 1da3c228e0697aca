package dedup

import (
	"simsearch/internal/clean/warnings"
	"simsearch/internal/match/join"
)

// Measures say how near sets are.
type measures interface {
	// nearness returns the similarity of a set with another one, in [0, 1], and the share of it that the other one has.
	nearness(set, other uint32) (similarity, inside float64)
}

// similarSets are near by the Jaccard similarity of their features.
type similarSets struct{ Comparable }

func (s similarSets) nearness(set, other uint32) (similarity, inside float64) {
	shared, a, b := s.Shared(set, other)
	return float64(shared) / float64(a+b-shared), float64(shared) / float64(a)
}

// nearFingerprints are near by their distance.
type nearFingerprints struct{ *join.Fingerprints }

func (f nearFingerprints) nearness(set, other uint32) (similarity, inside float64) {
	return f.Similarity(set, other), 0
}

// Comparable are sets of features that are compared, by several goroutines at once.
type Comparable interface {
	warnings.Sets
	// Shared returns how many features two sets share, and how many each has.
	Shared(a, b uint32) (shared, sizeA, sizeB int)
}

// A Measured is a Store whose sets can be compared.
type Measured interface {
	Store
	Comparable
}
