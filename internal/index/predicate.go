package index

import (
	"cmp"
	"fmt"

	"simsearch/internal/analysis"
	"simsearch/internal/join"
	"simsearch/internal/lsh"
	"simsearch/internal/store"
)

// A Predicate says which documents are near each other: by the distance of their fingerprints, by
// the Jaccard similarity of their sets of features, by both, or by the cosine of their weighted
// features. Within, Similar, WithinAndSimilar and SimilarCosine return one.
type Predicate struct {
	Distance  int     // in bits, used if Threshold is 0 or Both is set
	Threshold float64 // the least Jaccard similarity, in (0, 1]

	// Recall is the probability of finding a pair at the threshold, in (0, 1]. 0 stands for 1: nothing
	// is missed. Less lets an index with signatures search by their bands, which find more similar
	// pairs with a higher probability. An index without signatures never misses anything.
	Recall float64
	// Bands, if not zero, are the bands that the signatures are searched by, and Recall does not matter. A
	// join takes any that the signatures have positions for, and a query those within the bands of all
	// segments (lsh.Bands.Within): it looks up the first rows of the first of them.
	Bands lsh.Bands `json:",omitzero"`
	// Verify says how candidates are verified. All but Exact wants signatures.
	Verify Verification

	// Both wants a distance of at most Distance and a similarity of at least Threshold. Recall and
	// Verify do not matter then: searches are exact.
	Both bool

	// Cosine, if not 0, is the least cosine of the weighted features that fingerprints are made of, in (0, 1].
	// Candidates are within the distance that fingerprint.CosineDistance gives for it and for Recall, 0 of
	// which stands for DefaultCosineRecall. Distance, Threshold, Verify and Both do not matter then.
	Cosine float64
}

// DefaultCosineRecall is the probability with which a pair whose cosine is just the one wanted is found.
const DefaultCosineRecall = 0.99

// SimilarCosine returns the predicate of a cosine of the weighted features of at least t, in (0, 1]. The
// cosine is exact where the index keeps texts or can read their sources again; otherwise it is the estimate
// by the distance of the fingerprints.
func SimilarCosine(t float64) Predicate { return Predicate{Cosine: t, Recall: DefaultCosineRecall} }

// Within returns the predicate of fingerprints within distance k, in bits. Searches by it are
// exact.
func Within(k int) Predicate { return Predicate{Distance: k} }

// Similar returns the predicate of a Jaccard similarity of at least threshold, in (0, 1]. Searches
// by it are exact.
func Similar(threshold float64) Predicate { return Predicate{Threshold: threshold, Recall: 1} }

// WithinAndSimilar returns the predicate of fingerprints within distance k, in bits, whose sets have a
// Jaccard similarity of at least threshold, in (0, 1]. Searches by it are exact.
func WithinAndSimilar(k int, threshold float64) Predicate {
	return Predicate{Distance: k, Threshold: threshold, Recall: 1, Both: true}
}

// Default returns what is near in an index if nobody says: a similarity of search.Jaccard or
// DefaultThreshold, verified, where there are sets, and otherwise a distance of search.Distance or
// DefaultDistance. Sets are searched by bands if search says by which, or with which recall.
func Default(s analysis.Settings, search analysis.Search) Predicate {
	if s.Sets() {
		p := Similar(cmp.Or(search.Jaccard, DefaultThreshold))
		p.Recall, p.Bands = cmp.Or(search.Recall, 1), store.BandsOf(search)
		return p
	}
	return Within(cmp.Or(search.Distance, DefaultDistance))
}

// BySets reports whether p compares sets of features.
func (p Predicate) BySets() bool { return p.Threshold != 0 }

// Check returns nil if an index with settings s can be searched by p, and ErrNoSearch otherwise.
func (p Predicate) Check(s analysis.Settings) error {
	switch {
	case p.Cosine != 0 && !(p.Cosine > 0 && p.Cosine <= 1 && p.Recall >= 0 && p.Recall <= 1):
		return fmt.Errorf("%w: a cosine of %v with a recall of %v: want more than 0 and at most 1", ErrNoSearch, p.Cosine, p.Recall)
	case p.Cosine != 0 && p.BySets():
		return fmt.Errorf("%w: by the cosine or by Jaccard similarity, not by both", ErrNoSearch)
	case p.BySets() && !s.Sets():
		return fmt.Errorf("%w: the index has mode %s and no sets of features; search it by distance, or make one with mode minhash or both", ErrNoSearch, s.Mode)
	case p.Both && !s.Fingerprints():
		return fmt.Errorf("%w: the index has mode %s and no fingerprints; search it by Jaccard similarity alone, or make one with mode both", ErrNoSearch, s.Mode)
	case p.BySets() && !(p.Threshold > 0 && p.Threshold <= 1 && p.Recall >= 0 && p.Recall <= 1):
		return fmt.Errorf("%w: a similarity of %v with a recall of %v: want more than 0 and at most 1", ErrNoSearch, p.Threshold, p.Recall)
	case p.BySets() && p.Verify != Exact && !s.Signatures():
		return fmt.Errorf("%w: the index has no signatures to verify by; make one that has them, or verify exactly", ErrNoSearch)
	case p.Bands != (lsh.Bands{}) && p.BySets() && !p.Both:
		if !s.Signatures() {
			return fmt.Errorf("%w: the index has no signatures to cut bands from; make one that has them, or search it without bands", ErrNoSearch)
		}
		if err := p.Bands.Fits(s.Positions); err != nil {
			return fmt.Errorf("%w: %w", ErrNoSearch, err)
		}
	case p.kind(s) == aSimilarityByBands:
		if err := p.requirements(s.Positions).Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrNoSearch, err)
		}
	case p.BySets():
		return nil
	case !s.Fingerprints():
		return fmt.Errorf("%w: the index has mode %s and no fingerprints; search it by Jaccard similarity, or make one with mode simhash or both", ErrNoSearch, s.Mode)
	}
	return nil
}

// A kind is what a Predicate is about.
type kind int

const (
	aDistance kind = iota
	aSimilarity
	aSimilarityByBands
	aDistanceAndSimilarity
	aCosine
)

// kind returns what p is about in an index with settings s.
func (p Predicate) kind(s analysis.Settings) kind {
	switch {
	case p.Cosine != 0:
		return aCosine
	case !p.BySets():
		return aDistance
	case p.Both:
		return aDistanceAndSimilarity
	case s.Signatures() && (p.Bands != (lsh.Bands{}) || p.Recall > 0 && p.Recall < 1 || p.Verify != Exact):
		return aSimilarityByBands
	}
	return aSimilarity
}

// requirements returns what bands over signatures of the given number of positions must meet.
func (p Predicate) requirements(positions int) lsh.Requirements {
	recall := p.Recall
	if recall == 0 || recall == 1 {
		recall = lsh.DefaultRecall
	}
	return lsh.Requirements{Threshold: p.Threshold, Recall: recall, Positions: positions}
}

// criterion returns what finds what is near in ix by p. sources may be nil. The error is ErrNoSearch.
func (p Predicate) criterion(ix *Snapshot, sources SourceReader) (criterion, error) {
	if err := p.Check(ix.Settings()); err != nil {
		return nil, err
	}
	switch p.kind(ix.Settings()) {
	case aCosine:
		return newByCosine(ix, p, sources), nil
	case aDistance:
		return &byDistance{ix, p.Distance}, nil
	case aDistanceAndSimilarity:
		return newByBoth(ix, p), nil
	case aSimilarity:
		return newBySets(ix, p), nil
	}
	return newByBands(ix, p), nil
}

// A Verification says how candidates of a search by Jaccard similarity are verified. Its String is
// "exact", "signature" or "none".
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

// ParseVerification returns the verification called name, as String returns it.
func ParseVerification(name string) (Verification, error) { return join.ParseVerification(name) }
