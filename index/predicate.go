package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"simsearch/analysis"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/lsh"
)

// A Predicate says which documents are near each other: by the distance of their fingerprints, or
// by the Jaccard similarity of their sets of features. Within and Similar return one.
type Predicate struct {
	Distance  int     // in bits, used if Threshold is 0
	Threshold float64 // the least Jaccard similarity, in (0, 1]

	// Recall is the probability of finding a pair at the threshold. More similar pairs are found
	// with a higher probability.
	Recall float64
	// Verify says how candidates are verified.
	Verify Verification
}

// Within returns the predicate of fingerprints within distance k, in bits. Searches by it are
// exact.
func Within(k int) Predicate { return Predicate{Distance: k} }

// Similar returns the predicate of a Jaccard similarity of at least threshold, in (0, 1]. Its
// recall is the default, lsh.DefaultRecall, which finds nearly all pairs. Each pair is verified
// exactly.
func Similar(threshold float64) Predicate {
	return Predicate{Threshold: threshold, Recall: lsh.DefaultRecall}
}

// Default returns what is near in an index if nobody says: a similarity of search.Jaccard or
// DefaultThreshold, verified, where there are sets, and otherwise a distance of search.Distance or
// DefaultDistance.
func Default(s analysis.Settings, search analysis.Search) Predicate {
	if s.Sets() {
		return Similar(cmp.Or(search.Jaccard, DefaultThreshold))
	}
	return Within(cmp.Or(search.Distance, DefaultDistance))
}

// BySets reports whether p compares sets of features.
func (p Predicate) BySets() bool { return p.Threshold != 0 }

// Check returns nil if an index with settings s can be searched by p, and ErrNoSearch otherwise.
func (p Predicate) Check(s analysis.Settings) error {
	switch {
	case p.BySets() && !s.Sets():
		return fmt.Errorf("%w: the index has mode %s and no sets of features; search it by distance, or make one with mode minhash or both", ErrNoSearch, s.Mode)
	case p.BySets():
		if err := p.requirements(s.Positions).Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrNoSearch, err)
		}
	case !s.Fingerprints():
		return fmt.Errorf("%w: the index has mode %s and no fingerprints; search it by Jaccard similarity, or make one with mode simhash or both", ErrNoSearch, s.Mode)
	}
	return nil
}

// requirements returns what bands over signatures of the given number of positions must meet.
func (p Predicate) requirements(positions int) lsh.Requirements {
	return lsh.Requirements{Threshold: p.Threshold, Recall: p.Recall, Positions: positions}
}

// A searcher finds near documents by one predicate: byDistance or bySets.
type searcher interface {
	// empty reports whether a document has nothing to search by.
	empty(r *analysis.Result) bool
	// one gathers the matches of a document.
	one(r *analysis.Result, g *gathering, stats *Stats) error
	// batch gathers the matches of each document of a batch.
	batch(ctx context.Context, b *analysis.Batch, h *held, stats *Stats) error
	// finish completes matches that one or batch has gathered for a document.
	finish(r *analysis.Result, found []Match) error
	// pairs joins the collection. The segments have been verified.
	pairs(ctx context.Context, o join.Options, yield func(join.Pair) error) error
	// explain says how a query is answered in s.
	explain(s *segment.Segment) string
	// comparesAll reports whether a query is compared with all signatures of s, because its bands
	// find too little at the threshold.
	comparesAll(s *segment.Segment) bool
	// areNear reports whether two documents are near each other.
	areNear(a, b uint32) (bool, error)
	// measure fills in how near the documents of a group are.
	measure(ctx context.Context, g *Group) error
}

// searcher returns the searcher for p. The error is ErrNoSearch.
func (ix *Snapshot) searcher(p Predicate) (searcher, error) {
	if err := p.Check(ix.Settings()); err != nil {
		return nil, err
	}
	if !p.BySets() {
		return &byDistance{ix, p.Distance}, nil
	}
	positions := ix.Settings().Positions
	v := join.NewVerifier(p.Threshold, join.Verification(p.Verify), positions, analysis.SignatureBits)
	return &bySets{ix, p, v}, nil
}

// A Verification says how candidates of a search by Jaccard similarity are verified.
type Verification uint8

const (
	// Exact compares the sets of features. Every match is at or above the threshold.
	Exact = Verification(join.Exact)
	// BySignature compares signatures. The similarity is an estimate. Matches near the threshold
	// may be on the wrong side of it.
	BySignature = Verification(join.BySignature)
	// Unverified takes every candidate. The similarity is an estimate.
	Unverified = Verification(join.Unverified)
)

var verificationNames = []string{"exact", "signature", "none"}

// ParseVerification returns the verification called name: "exact", "signature" or "none".
func ParseVerification(name string) (Verification, error) {
	i := slices.Index(verificationNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown verification %q: want one of %s", name, strings.Join(verificationNames, ", "))
	}
	return Verification(i), nil
}

// String returns the name of v, which ParseVerification reads.
func (v Verification) String() string { return verificationNames[v] }
