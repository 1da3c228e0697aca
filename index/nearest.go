package index

import (
	"context"
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/gather"
)

// hasNearest returns ErrNoSearch if there are no nearest documents by the kind of p.
func (p Predicate) hasNearest() error {
	switch {
	case p.Cosine != 0:
		return fmt.Errorf("%w: the nearest by the cosine are the first of those within a cosine: use a limit", ErrNoSearch)
	case p.Both:
		return fmt.Errorf("%w: the nearest are wanted by distance or by similarity, not by both", ErrNoSearch)
	}
	return nil
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
		if err := d.near(ctx, r, &tried, work); err != nil {
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
			near[at] = gather.Group{Number: set.Set, Measures: Measures{Jaccard: set.Jaccard(len(r.Set))}}
		}
		if err := g.AddAll(ix.collection(), i, s.Sets().Groups(), near); err != nil {
			return err
		}
		compared += int64(s.Sets().Len())
	}
	stats.Add(Stats{Queries: 1, Compared: compared, Candidates: compared, Verified: compared})
	return nil
}
