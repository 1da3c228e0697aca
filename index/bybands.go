package index

import (
	"context"
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/bands"
	"simsearch/internal/gather"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/lsh"
)

// byBands searches by the Jaccard similarity of sets of features. It compares the sets that agree with the
// query on a band of their signatures, and misses others.
type byBands struct {
	bySets
	search bands.Search
}

func (ix *Snapshot) newByBands(p Predicate) *byBands {
	p.Recall = p.requirements(0).Recall
	v := join.NewVerifier(p.Threshold, p.Verify, ix.Settings().Positions)
	return &byBands{bySets{ix, p}, bands.Search{Threshold: p.Threshold, Recall: p.Recall, Bands: p.Bands, Verifier: v}}
}

// canLookUp returns ErrNoSearch if a query cannot look up the bands of p in some segment.
func (ix *Snapshot) canLookUp(p Predicate) error {
	if p.kind(ix.Settings()) != aSimilarityByBands {
		return nil
	}
	for _, s := range ix.segments {
		if has := s.Bands().Bands(); !p.Bands.Within(has) {
			return fmt.Errorf("%w: the index has %v, so that a query can look up as many bands and rows, or fewer, and not %v; make an index with these (a join of all pairs cuts any)", ErrNoSearch, has, p.Bands)
		}
	}
	return nil
}

func (b *byBands) near(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	return b.nearBy(ctx, b.finder(stats), r, g, stats)
}

func (b *byBands) nearAll(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	return b.nearAllBy(ctx, b.finder(stats), batch, h, stats)
}

// finder returns a nearSets that compares what bands find. It counts its work in stats.
func (b *byBands) finder(stats *Stats) nearSets {
	q := bands.Query{Search: &b.search}
	return func(ctx context.Context, s *segment.Segment, r *analysis.Result) ([]gather.Group, error) {
		if err := q.Near(ctx, s, r.Signature, r.Set); err != nil {
			return nil, err
		}
		stats.Add(Stats{LookUps: q.LookUps, Compared: q.Compared, Candidates: q.Candidates, Verified: q.Verified})
		return q.Found, nil
	}
}

func (b *byBands) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	sets, err := segment.NewAllSets(b.ix.segments)
	if err != nil {
		return err
	}
	bands := b.p.Bands
	if bands == (lsh.Bands{}) {
		if bands, err = lsh.ChooseWithReserve(b.p.requirements(b.ix.Settings().Positions)); err != nil {
			return err
		}
	}
	return join.ByBands(ctx, sets, b.search.Verifier, join.Bands{Bands: bands, Threshold: b.p.Threshold}, o, yield)
}

func (b *byBands) explain(s *segment.Segment) (string, bool) {
	return b.search.Explain(s), b.search.Depth(s) == 0
}

func (b *byBands) group(ctx context.Context, chain bool, o join.Options) ([]uint32, error) {
	return groupPairs(ctx, b.ix, b.join, chain, o, b.verified)
}

// verified reports whether the sets of two documents are near, as the Verifier says.
func (b *byBands) verified(x, y uint32) (bool, error) {
	sx, sy, ok, err := b.setsOf(x, y)
	if err != nil || !ok {
		return false, err
	}
	signatureX, err := sx.sets.Signature(sx.set)
	if err != nil {
		return false, err
	}
	signatureY, err := sy.sets.Signature(sy.set)
	if err != nil {
		return false, err
	}
	_, near, err := b.search.Verifier.Compare(signatureX, signatureY, func() (a, b []uint64, err error) {
		if a, err = sx.sets.AppendSet(nil, sx.set); err == nil {
			b, err = sy.sets.AppendSet(nil, sy.set)
		}
		return a, b, err
	})
	return near, err
}
