package index

import (
	"cmp"
	"fmt"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/store"
	"simsearch/internal/match/join"
	"simsearch/internal/match/lsh"
)

// A Predicate says which documents are near each other: by which kind of nearness, and from which value on. Within,
// Similar, WithinAndSimilar returns one, and Kind.Predicate does for any kind.
type Predicate struct {
	Kind      *Kind
	Distance  int     // the largest, in bits, of a kind by distance
	Threshold float64 // the least value of another kind, such as the Jaccard similarity

	// Recall is the probability of finding a pair at the threshold, in (0, 1]. 0 stands for 1. By Jaccard similarity,
	// it is 1: nothing is missed. Less lets an index with signatures search by their bands, which find more similar
	// pairs with a higher probability. An index without signatures never misses anything.
	Recall float64
	// Bands, if not zero, are the bands that the signatures are searched by, and Recall does not matter. A
	// join takes any that the signatures have positions for, and a query those within the bands of all
	// segments (lsh.Bands.Within): it looks up the first rows of the first of them.
	Bands lsh.Bands
	// Verify says how candidates are verified. All but Exact wants signatures.
	Verify Verification
	// Any says that NearAll may find any near documents of a query, as many as the limit says, in place of the
	// nearest.
	Any bool
}

// Predicate returns the predicate of a kind: of values of at least threshold, and of a distance of at most k bits, as
// far as the kind has them. Searches have the recall that the kind has if nobody says.
func (k *Kind) Predicate(threshold float64, distance int) Predicate {
	p := Predicate{Kind: k}
	if !k.Bare {
		p.Recall = 1
	}
	if k.Within {
		p.Distance = distance
	}
	if !k.Bare {
		p.Threshold = threshold
	}
	return p
}

// Within returns the predicate of fingerprints within distance k, in bits. Searches by it are
// exact.
func Within(k int) Predicate { return Distance.Predicate(0, k) }

// Similar returns the predicate of a Jaccard similarity of at least threshold, in (0, 1]. Searches
// by it are exact.
func Similar(threshold float64) Predicate { return Jaccard.Predicate(threshold, 0) }

// WithinAndSimilar returns the predicate of fingerprints within distance k, in bits, whose sets have a
// Jaccard similarity of at least threshold, in (0, 1]. Searches by it are exact.
func WithinAndSimilar(k int, threshold float64) Predicate { return Both.Predicate(threshold, k) }

// Default returns what is near in an index if nobody says: a similarity of search.Jaccard or
// DefaultThreshold, verified, where there are sets, and otherwise a distance of search.Distance or
// DefaultDistance. Sets are searched by bands if search says by which, or with which recall.
func Default(s analysis.Settings, search analysis.Search) Predicate {
	if s.Sets() {
		if search.Copy > 0 {
			return Copy.Predicate(search.Copy, 0)
		}
		p := Similar(cmp.Or(search.Jaccard, DefaultThreshold))
		p.Recall, p.Bands = cmp.Or(search.Recall, 1), store.BandsOf(search)
		return p
	}
	return Within(cmp.Or(search.Distance, DefaultDistance))
}

// OfSets returns the similarity of sets for a copy, and p otherwise. By it the nearest are looked for, however far
// they are, since a judge sees few texts; and bands find what has that similarity.
func (p Predicate) OfSets() Predicate {
	if p.Kind == Copy {
		return Similar(DefaultThreshold)
	}
	return p
}

// BySets reports whether p compares sets of features. The zero value compares nothing.
func (p Predicate) BySets() bool { return p.Kind != nil && p.Kind.Sets }

// String says in words how near documents are to be.
func (p Predicate) String() string {
	if p.Kind == nil {
		return "nothing"
	}
	var parts []string
	if p.Kind.Within {
		parts = append(parts, fmt.Sprintf("a distance of at most %d bits", p.Distance))
	}
	if !p.Kind.Bare {
		parts = append(parts, fmt.Sprintf("%s of at least %v", p.Kind.Name, p.Threshold))
	}
	return strings.Join(parts, " and ")
}

// Check returns nil if an index with settings s can be searched by p, and ErrNoSearch otherwise.
func (p Predicate) Check(s analysis.Settings) error {
	k := p.Kind
	switch {
	case k == nil:
		return fmt.Errorf("%w: nobody has said what is near", ErrNoSearch)
	case k.Sets && s.Image != 0:
		return fmt.Errorf("%w: %s is about words, which pictures do not have; search them by a distance, --k", ErrNoSearch, k.Name)
	case k.Sets && !s.Sets():
		return fmt.Errorf("%w: the index has mode %s and no sets of features; search it by distance, or make one with mode minhash or both", ErrNoSearch, s.Mode)
	case k.Fingerprints && !s.Fingerprints() && k.Sets:
		return fmt.Errorf("%w: the index has mode %s and no fingerprints; search it by Jaccard similarity alone, or make one with mode both", ErrNoSearch, s.Mode)
	case k.Fingerprints && !s.Fingerprints():
		return fmt.Errorf("%w: the index has mode %s and no fingerprints; search it by Jaccard similarity, or make one with mode simhash or both", ErrNoSearch, s.Mode)
	case !k.Bare && !(p.Threshold > 0 && p.Threshold <= 1 && p.Recall >= 0 && p.Recall <= 1):
		return fmt.Errorf("%w: %s of %v with a recall of %v: want more than 0 and at most 1", ErrNoSearch, k.Name, p.Threshold, p.Recall)
	case k.Banded:
		return p.checkBands(s)
	}
	return nil
}

// criterion returns what finds what is near in ix by p. The error is ErrNoSearch.
func (p Predicate) criterion(ix *Snapshot) (criterion, error) {
	if err := ix.Asks(p); err != nil {
		return nil, err
	}
	return p.Kind.open(ix, p), nil
}

// Asks returns nil if the index can be searched by p, and ErrNoSearch otherwise.
func (ix *Snapshot) Asks(p Predicate) error {
	if err := p.Check(ix.Settings()); err != nil {
		return err
	}
	if p.Kind.Texts && ix.Keep() != KeepText {
		return fmt.Errorf("%w: the index keeps no texts, which %s is about; search it by Jaccard similarity, or make one with --store text", ErrNoSearch, p.Kind.Name)
	}
	return nil
}

// A Verification says how candidates of a search by Jaccard similarity are verified.
type Verification = join.Verification

const (
	// Exact compares the sets of features. Every match is at or above the threshold.
	Exact = join.Exact
	// BySignature compares signatures. The similarity is an estimate. Matches near the threshold
	// may be on the wrong side of it.
	BySignature = join.BySignature
	// Unverified takes every candidate. The similarity is an estimate.
	Unverified = join.Unverified
)
