package index

import (
	"context"
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/gather"
)

// nearest finds the nearest documents of a query, whatever the predicate takes as near.
type nearest struct {
	searcher
	find func(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error
}

// newNearest returns the searcher for the nearest documents by the kind of p.
func newNearest(ix *Snapshot, p Predicate, by searcher) (searcher, error) {
	switch {
	case p.Cosine != 0:
		return nil, fmt.Errorf("%w: the nearest by the cosine are the first of those within a cosine: use a limit", ErrNoSearch)
	case p.Both:
		return nil, fmt.Errorf("%w: the nearest are wanted by distance or by similarity, not by both", ErrNoSearch)
	case p.BySets():
		return &nearest{by, ix.nearestBySets}, nil
	}
	return &nearest{by, ix.nearestByDistance}, nil
}

func (n *nearest) one(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	return n.find(ctx, r, g, stats)
}

func (n *nearest) batch(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	return addEach(ctx, h, batch, func(r *analysis.Result, g *gather.One) error { return n.find(ctx, r, g, stats) })
}

// widen is by how many bits the distance grows. Few bits mean many searches, and many bits mean many
// matches that are not among the nearest.
const widen = 4

// nearestByDistance searches within one distance after the other until enough is found.
func (ix *Snapshot) nearestByDistance(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	bits := ix.Settings().Bits
	work := &Stats{}
	for k := DefaultDistance; ; k += widen {
		tried := gather.One{Limit: g.Limit}
		d := byDistance{ix, min(k, bits)}
		if err := d.one(ctx, r, &tried, work); err != nil {
			return err
		}
		if len(tried.Found) >= g.Limit || k >= bits || !r.HasFingerprint {
			*g = tried
			break
		}
	}
	work.Queries = min(work.Queries, 1)
	stats.Add(*work)
	return nil
}

// nearestBySets compares the sets of the query and of every document: 10 ms for 50,000 documents of 140
// features. It leaves out what shares no feature with the query.
func (ix *Snapshot) nearestBySets(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	if err := hasFeatures(r); err != nil || len(r.Set) == 0 {
		return err
	}
	compared := int64(0)
	for i, s := range ix.segments {
		sets, err := s.Sets().Nearest(ctx, r.Set, g.Limit)
		if err != nil {
			return err
		}
		near := make([]gather.Group, len(sets))
		for at, set := range sets {
			near[at] = gather.Group{Number: set.Set, Jaccard: set.Jaccard(len(r.Set))}
		}
		if err := g.AddAll(ix.collection(), i, s.Sets().Groups(), near); err != nil {
			return err
		}
		compared += int64(s.Sets().Len())
	}
	stats.Add(Stats{Queries: 1, Compared: compared, Candidates: compared, Verified: compared})
	return nil
}
