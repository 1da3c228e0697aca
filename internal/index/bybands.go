package index

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
	"simsearch/internal/match/lsh"
)

// byBands searches by the Jaccard similarity of sets of features. It compares the sets that agree with the
// query on a band of their signatures, and misses others.
type byBands struct {
	*bySets
	named    bool // somebody has named the recall
	verifier *join.Verifier
}

func newByBands(ix *Snapshot, p Predicate) *byBands {
	named := p.Recall > 0 && p.Recall < 1
	p.Recall = p.requirements(0).Recall
	b := &byBands{newBySets(ix, p), named, join.NewVerifier(p.Threshold, p.Verify, ix.Settings().Sketch, ix.Settings().Positions)}
	b.find = b.byBands
	return b
}

// byBands reports whether p is searched by bands in an index with settings s.
func (p Predicate) byBands(s analysis.Settings) bool {
	return p.Kind.Banded && s.Signatures() && (p.Bands != (lsh.Bands{}) || p.Recall > 0 && p.Recall < 1 || p.Verify != Exact)
}

// checkBands returns ErrNoSearch if an index with settings s cannot be searched by the bands of p, or verified as p
// says.
func (p Predicate) checkBands(s analysis.Settings) error {
	var err error
	switch {
	case p.Verify != Exact && !s.Signatures():
		return fmt.Errorf("%w: the index has no signatures to verify by; make one that has them, or verify exactly", ErrNoSearch)
	case p.Bands != (lsh.Bands{}) && !s.Signatures():
		return fmt.Errorf("%w: the index has no signatures to cut bands from; make one that has them, or search it without bands", ErrNoSearch)
	case p.Bands != (lsh.Bands{}):
		err = p.Bands.Fits(s.Positions)
	case p.byBands(s):
		err = p.requirements(s.Positions).Validate()
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNoSearch, err)
	}
	return err
}

// requirements returns what bands over signatures of the given number of positions must meet.
func (p Predicate) requirements(positions int) lsh.Requirements {
	recall := p.Recall
	if recall == 0 || recall == 1 {
		recall = lsh.DefaultRecall
	}
	return lsh.Requirements{Threshold: p.Threshold, Recall: recall, Positions: positions}
}

// canLookUp returns ErrNoSearch if a query cannot look up the bands of p in some segment.
func (p Predicate) canLookUp(ix *Snapshot) error {
	if !p.byBands(ix.Settings()) {
		return nil
	}
	for _, s := range ix.segments {
		if has := s.Bands().Bands(); !p.Bands.Within(has) {
			return fmt.Errorf("%w: the index has %v, so that a query can look up as many bands and rows, or fewer, and not %v; make an index with these (a join of all pairs cuts any)", ErrNoSearch, has, p.Bands)
		}
	}
	return nil
}

// lookedUp returns the bands of s, and the rows of them, that are looked up. The rows are 0 if the bands of s find
// too little.
func (b *byBands) lookedUp(s *segment.Segment) lsh.Bands {
	if b.p.Bands != (lsh.Bands{}) {
		return b.p.Bands
	}
	has := s.Bands().Bands()
	return lsh.Bands{Bands: has.Bands, Rows: has.Depth(b.p.Threshold, b.p.Recall)}
}

// checkEvery is how many sets are compared before the context is looked at again.
const checkEvery = 1 << 12

// byBands finds the sets that bands find, or that signatures suggest, and that the verifier takes for similar.
func (b *byBands) byBands(stats *Stats) finder {
	var candidates []uint32
	var set []uint64 // of a candidate
	var found []segment.NearGroup
	return func(ctx context.Context, s *segment.Segment, r *analysis.Result) (_ *segment.Groups, _ []segment.NearGroup, err error) {
		if candidates, err = b.candidates(ctx, candidates[:0], s, r.Signature, stats); err != nil {
			return nil, nil, err
		}
		verified := int64(0)
		found = found[:0]
		for i, candidate := range candidates {
			if i%checkEvery == 0 && ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			j, ok := b.verifier.Compare(r.Signature, s.Sets().Signature(candidate), func() (_, _ []uint64) {
				verified++
				set = s.Sets().AppendSet(set[:0], candidate)
				return r.Set, set
			})
			if ok {
				found = append(found, segment.NearGroup{Number: candidate, Measures: Measures{Value: j}})
			}
		}
		n := int64(len(candidates))
		stats.Add(Stats{Compared: n, Candidates: n, Verified: verified})
		return s.Sets().Groups(), found, nil
	}
}

// candidates appends to dst the candidates among the sets of s.
func (b *byBands) candidates(
	ctx context.Context, dst []uint32, s *segment.Segment, signature []byte, stats *Stats,
) (_ []uint32, err error) {
	if bands := b.lookedUp(s); bands.Rows > 0 {
		stats.Add(Stats{LookUps: int64(bands.Bands)})
		return s.Bands().Candidates(dst, signature, bands), nil
	}
	s.Sets().CheckSignatures()
	for i := range uint32(s.Sets().Len()) {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return dst, context.Cause(ctx)
		}
		if _, ok := b.verifier.Estimate(signature, s.Sets().Signature(i)); ok {
			dst = append(dst, i)
		}
	}
	stats.Add(Stats{Compared: int64(s.Sets().Len())})
	return dst, nil
}

func (b *byBands) explain(s *segment.Segment) (how string, comparesAll bool) {
	bands, lookedUp := s.Bands().Bands(), b.lookedUp(s)
	depth := lookedUp.Rows
	if depth == 0 {
		return fmt.Sprintf("%v; these find a pair of Jaccard similarity %.2f with probability %.3f at most, less than the recall of %.2f that is wanted, so that a query is compared with all signatures",
			bands, b.p.Threshold, lsh.Bands{Bands: bands.Bands, Rows: 1}.Probability(b.p.Threshold), b.p.Recall), true
	}
	of := "each"
	if lookedUp.Bands < bands.Bands {
		of = fmt.Sprintf("the first %d", lookedUp.Bands)
	}
	return fmt.Sprintf("%v; a query looks up %d of the rows of %s: %s", bands, depth, of, lookedUp.Explain(b.p.Threshold)), false
}

func (b *byBands) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	sets := segment.NewAllSets(b.ix.segments)
	bands := b.p.Bands
	if bands == (lsh.Bands{}) {
		var err error
		bands, err = lsh.ChooseWithReserve(b.p.requirements(b.ix.Settings().Positions))
		if err != nil && (b.named || !errors.Is(err, lsh.ErrRecall)) {
			return err // otherwise the largest recall that there is will do
		}
	}
	return join.ByBands(ctx, sets, b.verifier, join.Bands{Bands: bands, Threshold: b.p.Threshold}, o, yield)
}

func (b *byBands) group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error) {
	return groupPairs(ctx, b.ix, b.join, chain, o, b.verified)
}

// verified reports whether the sets of two documents are near, as the Verifier says.
func (b *byBands) verified(x, y uint32) (bool, error) {
	sx, sy, ok := b.setsOf(x, y)
	if !ok {
		return false, nil
	}
	_, near := b.verifier.Compare(sx.sets.Signature(sx.set), sy.sets.Signature(sy.set), func() (_, _ []uint64) {
		return sx.features(), sy.features()
	})
	return near, nil
}

// groupPairs divides the documents of an index into groups by the pairs of a search, as join.GroupPairs does.
func groupPairs(ctx context.Context, ix *Snapshot, pairs func(context.Context, join.Options, func(join.Pair) error) error,
	chain bool, o join.Options, near func(x, y uint32) (bool, error),
) (*join.Grouping, error) {
	of := make([]uint32, ix.Len())
	for doc := range of {
		of[doc] = uint32(doc)
	}
	all := func(yield func(join.Pair) error) error { return pairs(ctx, o, yield) }
	of, err := join.GroupPairs(ctx, of, chain, all, near)
	return &join.Grouping{Of: of}, err
}
