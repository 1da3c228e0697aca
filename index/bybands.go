package index

import (
	"context"
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/gather"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/lsh"
)

// byBands searches by the Jaccard similarity of sets of features. It compares the sets that agree with the
// query on a band of their signatures, and misses others.
type byBands struct {
	bySets
	verifier *join.Verifier
}

func (b *byBands) one(_ context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	q := bandQuery{byBands: b, limit: g.Limit, stats: stats}
	return q.each(r, func(i int, s *segment.Segment) error {
		return g.AddAll(b.ix.collection(), i, s.Sets().Groups(), q.found)
	})
}

func (b *byBands) batch(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	q := bandQuery{byBands: b, limit: h.Limit, stats: stats}
	for i := range batch.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := batch.Result(i)
		if err := q.each(&r, func(segment int, s *segment.Segment) error { return h.Add(i, segment, s.Sets().Groups(), q.found) }); err != nil {
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
	return join.ByBands(ctx, sets, b.verifier, join.Bands{Bands: bands, Threshold: b.p.Threshold}, o, yield)
}

// depth returns how many rows of each band of s are looked up. It is 0 if the bands of s find too
// little.
func (b *byBands) depth(s *segment.Segment) int {
	return s.Bands().Bands().Depth(b.p.Threshold, b.p.Recall)
}

func (b *byBands) comparesAll(s *segment.Segment) bool { return b.depth(s) == 0 }

func (b *byBands) explain(s *segment.Segment) string {
	bands, depth := s.Bands().Bands(), b.depth(s)
	if depth == 0 {
		return fmt.Sprintf("%v; these find a pair of Jaccard similarity %.2f with probability %.3f at most, less than the recall of %.2f that is wanted, so that a query is compared with all signatures",
			bands, b.p.Threshold, lsh.Bands{Bands: bands.Bands, Rows: 1}.Probability(b.p.Threshold), b.p.Recall)
	}
	return fmt.Sprintf("%v; a query looks up %d of the rows of each: %s", bands, depth, lsh.Bands{Bands: bands.Bands, Rows: depth}.Explain(b.p.Threshold))
}

// A bandQuery is a set that is compared with the sets that bands find.
type bandQuery struct {
	*byBands
	limit      int
	stats      *Stats
	candidates []uint32
	set        []uint64       // of a candidate
	found      []gather.Group // as of setQuery
}

// each is like setQuery.each.
func (q *bandQuery) each(r *analysis.Result, do func(i int, s *segment.Segment) error) error {
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
		if err := q.near(r, s); err != nil {
			return err
		}
		if err := do(i, s); err != nil {
			return err
		}
	}
	return nil
}

// near sets q.found to the sets of s that are near.
func (q *bandQuery) near(r *analysis.Result, s *segment.Segment) error {
	if err := q.find(r.Signature, s); err != nil {
		return err
	}
	q.found = q.found[:0]
	verified := int64(0)
	for _, candidate := range q.candidates {
		signature, err := s.Sets().Signature(candidate)
		if err != nil {
			return err
		}
		j, ok, err := q.verifier.Compare(r.Signature, signature, func() (_, _ []uint64, err error) {
			verified++
			q.set, err = s.Sets().AppendSet(q.set[:0], candidate)
			return r.Set, q.set, err
		})
		if err != nil {
			return err
		}
		if ok {
			q.found = append(q.found, gather.Group{Number: candidate, Jaccard: j})
		}
	}
	sortNearest(q.found, q.limit)
	if q.stats != nil {
		q.stats.Add(Stats{Compared: int64(len(q.candidates)), Candidates: int64(len(q.candidates)), Verified: verified})
	}
	return nil
}

// find sets q.candidates to the candidates among the sets of s.
func (q *bandQuery) find(signature []byte, s *segment.Segment) (err error) {
	q.candidates = q.candidates[:0]
	if depth := q.depth(s); depth > 0 {
		q.candidates, err = s.Bands().Candidates(q.candidates, signature, depth)
		if q.stats != nil {
			q.stats.LookUps += int64(s.Bands().Bands().Bands)
		}
		return s.InFile(err)
	}
	if err := s.Sets().CheckSignatures(); err != nil {
		return err
	}
	for i := range uint32(s.Sets().Len()) {
		other, err := s.Sets().Signature(i)
		if err != nil {
			return err
		}
		if _, ok := q.verifier.Estimate(signature, other); ok {
			q.candidates = append(q.candidates, i)
		}
	}
	if q.stats != nil {
		q.stats.Compared += int64(s.Sets().Len())
	}
	return nil
}

func (b *byBands) areNear(x, y uint32) (bool, error) {
	sx, okX, err := b.setOf(x)
	if err != nil {
		return false, err
	}
	sy, okY, err := b.setOf(y)
	if err != nil || !okX || !okY {
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
	_, near, err := b.verifier.Compare(signatureX, signatureY, func() (a, b []uint64, err error) {
		if a, err = sx.sets.AppendSet(nil, sx.set); err == nil {
			b, err = sy.sets.AppendSet(nil, sy.set)
		}
		return a, b, err
	})
	return near, err
}
