package join

import (
	"math"

	"simsearch/internal/sorted"
	"simsearch/minhash"
)

// A Verification says how candidates of a search by Jaccard similarity are verified.
type Verification uint8

const (
	// Exact compares the sets of features: every match is at or above the threshold.
	Exact Verification = iota
	// BySignature compares signatures: the similarity is an estimate, and matches near the
	// threshold may be on the wrong side of it.
	BySignature
	// Unverified takes every candidate; the similarity is an estimate.
	Unverified
)

// A Verifier decides which candidates are similar. It is safe for concurrent use.
type Verifier struct {
	threshold float64
	how       Verification
	positions int
	bits      int // of a position of a signature
	// least is the number of positions at which signatures agree at least if their sets are similar
	// enough or, where the sets are compared themselves, could be.
	least int
}

// doubt is the number of standard errors by which an estimate may fall short of the threshold before
// the sets themselves are not looked at: one pair in 30,000 at the threshold does.
const doubt = 4

// NewVerifier returns a Verifier for signatures of positions of so many bits.
func NewVerifier(threshold float64, how Verification, positions, bits int) *Verifier {
	v := &Verifier{threshold: threshold, how: how, positions: positions, bits: bits}
	from := threshold
	switch how {
	case Exact:
		from -= doubt * minhash.PackedStandardError(threshold, positions, bits)
	case Unverified:
		from = 0
	}
	for v.least < positions && minhash.PackedJaccard(v.least, positions, bits) < from {
		v.least++
	}
	if from <= 0 {
		v.least = 0
	}
	return v
}

// Estimate returns the similarity that two signatures suggest, and whether the pair may be near.
// Where nothing is verified later, a pair is a candidate only if it also seems to be near.
func (v *Verifier) Estimate(a, b []byte) (similarity float64, ok bool) {
	similarity, ok = v.estimate(a, b)
	return similarity, ok && (v.how != Unverified || similarity >= v.threshold)
}

func (v *Verifier) estimate(a, b []byte) (similarity float64, ok bool) {
	agree := minhash.Agree(a, b, v.positions, v.bits)
	return minhash.PackedJaccard(agree, v.positions, v.bits), agree >= v.least
}

// An Operand is one side of a comparison: a set of features that may have to be fetched.
type Operand interface {
	// Signature returns the signature, a byte a position.
	Signature() ([]byte, error)
	// Set returns the features, strictly ascending.
	Set() ([]uint64, error)
}

// Compare returns the similarity of two sets, and whether they are near: it compares their
// signatures, then, if they have to be compared exactly and could be similar enough, the numbers of
// their features, and then the features.
func Compare[A, B Operand](v *Verifier, a A, b B) (similarity float64, ok bool, err error) {
	sa, err := a.Signature()
	if err != nil {
		return 0, false, err
	}
	sb, err := b.Signature()
	if err != nil {
		return 0, false, err
	}
	similarity, ok = v.estimate(sa, sb)
	if !ok || v.how != Exact {
		return similarity, ok, nil
	}
	fa, err := a.Set()
	if err != nil {
		return 0, false, err
	}
	fb, err := b.Set()
	if err != nil || !v.couldBe(len(fa), len(fb)) {
		return 0, false, err
	}
	similarity = sorted.Jaccard(fa, fb)
	return similarity, similarity >= v.threshold, nil
}

// couldBe reports whether sets of a and b features may be similar enough.
func (v *Verifier) couldBe(a, b int) bool {
	return float64(min(a, b)) >= math.Floor(v.threshold*float64(max(a, b)))
}
