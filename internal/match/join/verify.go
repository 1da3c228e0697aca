package join

import (
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
	"simsearch/minhash"
)

// A Verification says how candidates of a search by Jaccard similarity are verified.
type Verification uint8

const (
	// Exact compares the sets of features. Every match is at or above the threshold.
	Exact Verification = iota
	// BySignature compares signatures. The similarity is an estimate. Matches near the threshold
	// may be on the wrong side of it.
	BySignature
	// Unverified takes every candidate. The similarity is an estimate.
	Unverified
)

// A Verifier decides which candidates are similar. It is safe for concurrent use.
type Verifier struct {
	threshold float64
	how       Verification
	positions int
	// least is the smallest number of positions at which the signatures of a pair must agree. With
	// fewer, the estimate is below the threshold or, for Exact, the sets are hardly similar enough.
	// It is 0 for Unverified.
	least int
}

// doubt is the number of standard errors by which an estimate may fall short of the threshold
// before the sets are not compared. Of the pairs at the threshold, one in 30,000
// falls short by more, or one in 2,000 if the positions are few and the threshold is high.
const doubt = 4

// NewVerifier returns a Verifier for signatures of a variant with the given number of positions.
func NewVerifier(threshold float64, how Verification, sketch minhash.Variant, positions int) *Verifier {
	v := &Verifier{threshold: threshold, how: how, positions: positions}
	from := threshold
	switch how {
	case Exact:
		from -= doubt * sketch.PackedError(threshold, positions)
	case Unverified:
		from = 0
	}
	for v.least < positions && minhash.PackedJaccard(v.least, positions) < from {
		v.least++
	}
	if from <= 0 {
		v.least = 0
	}
	return v
}

// Estimate returns the similarity that two signatures suggest, and whether the pair may be near.
// With Unverified, the pair must also seem to be near.
func (v *Verifier) Estimate(a, b []byte) (similarity float64, ok bool) {
	similarity, ok = v.estimate(a, b)
	return similarity, ok && (v.how != Unverified || similarity >= v.threshold)
}

func (v *Verifier) estimate(a, b []byte) (similarity float64, ok bool) {
	agree := minhash.Agree(a, b)
	return minhash.PackedJaccard(agree, v.positions), agree >= v.least
}

// Compare returns the similarity of two sets, and whether they are near. It compares their
// signatures, one byte per position, first. If v compares sets, it calls read for the features of the
// two, strictly ascending. If they could be similar enough, it compares the numbers of their features
// and then the features.
func (v *Verifier) Compare(a, b []byte, read func() (a, b []uint64)) (similarity float64, ok bool) {
	similarity, ok = v.estimate(a, b)
	if !ok || v.how != Exact {
		return similarity, ok
	}
	x, y := read()
	if !v.couldBe(len(x), len(y)) {
		return 0, false
	}
	similarity = ints.Jaccard(x, y)
	return similarity, similarity >= v.threshold
}

// couldBe reports whether a set of a features and a set of b features may be similar enough.
func (v *Verifier) couldBe(a, b int) bool {
	return min(a, b) >= prefix.LeastSize(max(a, b), v.threshold)
}
