package index

import (
	"context"

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

func (b *byBands) one(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	q := bandQuery{byBands: b, limit: g.Limit, stats: stats, Query: bands.Query{Search: &b.search}}
	return q.each(ctx, r, func(i int, s *segment.Segment) error {
		return g.AddAll(b.ix.collection(), i, s.Sets().Groups(), q.Found)
	})
}

func (b *byBands) batch(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	q := bandQuery{byBands: b, limit: h.Limit, stats: stats, Query: bands.Query{Search: &b.search}}
	for i := range batch.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := batch.Result(i)
		if err := q.each(ctx, &r, func(segment int, s *segment.Segment) error { return h.Add(i, segment, s.Sets().Groups(), q.Found) }); err != nil {
			return err
		}
	}
	h.Sort()
	return nil
}

func (b *byBands) pairs(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	sets, err := segment.NewAllSets(b.ix.segments)
	if err != nil {
		return err
	}
	bands, err := lsh.ChooseWithReserve(b.p.requirements(b.ix.Settings().Positions))
	if err != nil {
		return err
	}
	return join.ByBands(ctx, sets, b.search.Verifier, join.Bands{Bands: bands, Threshold: b.p.Threshold}, o, yield)
}

func (b *byBands) comparesAll(s *segment.Segment) bool { return b.search.Depth(s) == 0 }

func (b *byBands) explain(s *segment.Segment) string { return b.search.Explain(s) }

// A bandQuery is a set that is compared with the sets that bands find.
type bandQuery struct {
	*byBands
	limit int
	stats *Stats
	bands.Query
}

// each is like setQuery.each.
func (q *bandQuery) each(ctx context.Context, r *analysis.Result, do func(i int, s *segment.Segment) error) error {
	if r.Given {
		return noFeatures(r)
	}
	if len(r.Set) == 0 {
		return nil
	}
	if q.stats != nil {
		q.stats.Queries++
	}
	for i, s := range q.ix.segments {
		if err := q.Near(ctx, s, r.Signature, r.Set); err != nil {
			return err
		}
		sortNearest(q.Found, q.limit)
		if q.stats != nil {
			q.stats.Add(Stats{LookUps: q.LookUps, Compared: q.Compared, Candidates: q.Candidates, Verified: q.Verified})
		}
		if err := do(i, s); err != nil {
			return err
		}
	}
	return nil
}

func (b *byBands) nearness(x, y uint32) (float64, bool, error) {
	sx, sy, ok, err := b.setsOf(x, y)
	if err != nil || !ok {
		return 0, false, err
	}
	signatureX, err := sx.sets.Signature(sx.set)
	if err != nil {
		return 0, false, err
	}
	signatureY, err := sy.sets.Signature(sy.set)
	if err != nil {
		return 0, false, err
	}
	return b.search.Verifier.Compare(signatureX, signatureY, func() (a, b []uint64, err error) {
		if a, err = sx.sets.AppendSet(nil, sx.set); err == nil {
			b, err = sy.sets.AppendSet(nil, sy.set)
		}
		return a, b, err
	})
}
