package index

import (
	"fmt"
	"slices"
	"strings"

	"simsearch/analysis"
	"simsearch/internal/join"
	"simsearch/lsh"
)

// A Criterion says which documents are near each other: by the distance of their fingerprints,
// or by the Jaccard similarity of the sets of their features. Within and Similar make one.
type Criterion struct {
	Distance  int     // bits, where Threshold is 0
	Threshold float64 // the least Jaccard similarity, in (0, 1]

	// Recall is the probability with which a pair at the threshold is found; more similar ones
	// are found more surely.
	Recall float64
	// Verify says how candidates are verified.
	Verify Verification

	// Limit is how many matches a query has at most, the nearest; of those that are equally near,
	// the ones whose ids come first. 0 is no limit. It is for queries, not for Pairs.
	Limit int
}

// Within is the criterion of fingerprints within distance k; searches by it are exact.
func Within(k int) Criterion { return Criterion{Distance: k} }

// Similar is the criterion of a Jaccard similarity of at least threshold. Nearly all pairs are
// found, with the default recall, and each is verified exactly.
func Similar(threshold float64) Criterion {
	return Criterion{Threshold: threshold, Recall: lsh.DefaultRecall}
}

// BySets reports whether c is about sets of features.
func (c Criterion) BySets() bool { return c.Threshold != 0 }

// Check reports whether an index with such settings can be searched by c; else the error is
// ErrCriterion.
func (c Criterion) Check(s analysis.Settings) error {
	switch {
	case c.Limit < 0:
		return fmt.Errorf("%w: at most %d matches", ErrCriterion, c.Limit)
	case c.BySets() && !s.Sets():
		return fmt.Errorf("%w: the index has mode %s and no sets of features; search it by distance, or make one with mode minhash or both", ErrCriterion, s.Mode)
	case c.BySets():
		if err := c.wanted(s.Positions).Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrCriterion, err)
		}
		return nil
	case !s.Fingerprints():
		return fmt.Errorf("%w: the index has mode %s and no fingerprints; search it by Jaccard similarity, or make one with mode simhash or both", ErrCriterion, s.Mode)
	}
	return nil
}

// wanted is what bands of so many positions are asked for.
func (c Criterion) wanted(positions int) lsh.Requirements {
	return lsh.Requirements{Threshold: c.Threshold, Recall: c.Recall, Positions: positions}
}

// verifier returns what decides which candidates are near.
func (c Criterion) verifier(positions int) *join.Verifier {
	return join.NewVerifier(c.Threshold, join.Verification(c.Verify), positions, analysis.SignatureBits)
}

// A Verification says how candidates of a search by Jaccard similarity are verified.
type Verification uint8

const (
	// Exact compares the sets of features: every match is at or above the threshold.
	Exact = Verification(join.Exact)
	// BySignature compares signatures: the similarity is an estimate, and matches near the
	// threshold may be on the wrong side of it.
	BySignature = Verification(join.BySignature)
	// Unverified takes every candidate; the similarity is an estimate.
	Unverified = Verification(join.Unverified)
)

var verificationNames = []string{"exact", "signature", "none"}

// ParseVerification returns the verification called name.
func ParseVerification(name string) (Verification, error) {
	i := slices.Index(verificationNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown verification %q: want one of %s", name, strings.Join(verificationNames, ", "))
	}
	return Verification(i), nil
}

// String returns the name that ParseVerification reads.
func (v Verification) String() string { return verificationNames[v] }
