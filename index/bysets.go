package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"simsearch/analysis"
	"simsearch/hamming"
	"simsearch/internal/gather"
	"simsearch/internal/ints"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/prefix"
)

// bySets searches by the Jaccard similarity of sets of features, without a miss.
type bySets struct {
	ix *Snapshot
	p  Predicate
}

func (b *bySets) one(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	return b.oneBy(ctx, b.near(stats), r, g, stats)
}

func (b *bySets) batch(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	return b.batchBy(ctx, b.near(stats), batch, h, stats)
}

// A nearSets returns the sets of a segment that are near a document, in no certain order. They are valid
// until the next call.
type nearSets func(ctx context.Context, s *segment.Segment, r *analysis.Result) ([]gather.Group, error)

// near returns a nearSets that misses none. It counts its work in stats.
func (b *bySets) near(stats *Stats) nearSets {
	var matches []prefix.Match
	var found []gather.Group
	var work prefix.Stats
	return func(ctx context.Context, s *segment.Segment, r *analysis.Result) (_ []gather.Group, err error) {
		work = prefix.Stats{}
		if matches, err = s.Sets().Near(ctx, matches[:0], r.Set, b.p.Threshold, &work); err != nil {
			return nil, err
		}
		stats.Add(Stats{LookUps: work.LookUps, Compared: work.Entries, Candidates: work.Candidates, Verified: work.Candidates})
		found = found[:0]
		for _, m := range matches {
			found = append(found, gather.Group{Number: m.Set, Jaccard: m.Jaccard(len(r.Set))})
		}
		return found, nil
	}
}

// oneBy gathers the matches of a document, whose sets near finds.
func (b *bySets) oneBy(ctx context.Context, near nearSets, r *analysis.Result, g *gather.One, stats *Stats) error {
	return b.eachSegment(ctx, near, r, g.Limit, stats, func(i int, groups *segment.Groups, found []gather.Group) error {
		return g.AddAll(b.ix.collection(), i, groups, found)
	})
}

// batchBy gathers the matches of each document of a batch, whose sets near finds.
func (b *bySets) batchBy(ctx context.Context, near nearSets, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	err := eachQuery(ctx, batch, func(q int, r *analysis.Result) error {
		return b.eachSegment(ctx, near, r, h.Limit, stats, func(i int, groups *segment.Groups, found []gather.Group) error {
			return h.Add(q, i, groups, found)
		})
	})
	h.Sort()
	return err
}

// eachSegment calls do with each segment in turn and what near finds there. With a limit this is sorted,
// nearest first.
func (b *bySets) eachSegment(ctx context.Context, near nearSets, r *analysis.Result, limit int, stats *Stats,
	do func(i int, groups *segment.Groups, found []gather.Group) error,
) error {
	if err := hasFeatures(r); err != nil || len(r.Set) == 0 {
		return err
	}
	stats.Add(Stats{Queries: 1})
	for i, s := range b.ix.segments {
		found, err := near(ctx, s, r)
		if err != nil {
			return err
		}
		if limit > 0 {
			slices.SortFunc(found, func(a, b gather.Group) int { return cmp.Compare(b.Jaccard, a.Jaccard) })
		}
		if err := do(i, s.Sets().Groups(), found); err != nil {
			return err
		}
	}
	return nil
}

// hasFeatures returns ErrNoSearch if a query is a fingerprint, which has no features to compare.
func hasFeatures(r *analysis.Result) error {
	if r.Given {
		return fmt.Errorf("%w: a fingerprint has no features", ErrNoSearch)
	}
	return nil
}

// eachQuery calls do with the documents of a batch, one after the other.
func eachQuery(ctx context.Context, batch *analysis.Batch, do func(i int, r *analysis.Result) error) error {
	for i := range batch.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := batch.Result(i)
		if err := do(i, &r); err != nil {
			return fmt.Errorf("query %s: %w", r.ID, err)
		}
	}
	return nil
}

func (b *bySets) pairs(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	sets, err := segment.NewAllSets(b.ix.segments)
	if err != nil {
		return err
	}
	return b.inFile(join.BySets(ctx, sets, b.p.Threshold, o, yield))
}

func (b *bySets) representatives(ctx context.Context, chain bool, o join.Options) ([]uint32, error) {
	sets, err := segment.NewAllSets(b.ix.segments)
	if err != nil {
		return nil, err
	}
	of, err := join.GroupSets(ctx, sets, b.p.Threshold, chain, o)
	return of, b.inFile(err)
}

// inFile names the file of an error of a join. The sets of several segments are read one by one, by methods
// that name it.
func (b *bySets) inFile(err error) error {
	if len(b.ix.segments) == 1 {
		err = b.ix.segments[0].InFile(err)
	}
	return err
}

// finish fills in the distances, where there are fingerprints.
func (b *bySets) finish(r *analysis.Result, found []Match) error {
	if !b.ix.Settings().Fingerprints() {
		return nil
	}
	for i := range found {
		m := &found[i]
		fp, ok, err := b.ix.fingerprint(m.Document)
		if err != nil {
			return err
		}
		m.Distance = NoDistance
		if ok && r.HasFingerprint {
			m.Distance = hamming.Distance(fp, r.Fingerprint)
		}
	}
	return nil
}

func (*bySets) empty(r *analysis.Result) bool { return len(r.Set) == 0 }

func (b *bySets) comparesAll(s *segment.Segment) bool {
	return !s.Sets().Coded().Looks(b.p.Threshold)
}

func (b *bySets) explain(s *segment.Segment) string {
	plan := s.Sets().Coded().Plan()
	if b.comparesAll(s) {
		return fmt.Sprintf("the sets are planned for a Jaccard similarity of %v, so that a query of %v is compared with all %d sets", plan.Threshold, b.p.Threshold, s.Sets().Len())
	}
	return fmt.Sprintf("a query looks up its rarest features, such that no set is missed, among those of %d sets; a set that shares %d of them is compared (planned for a Jaccard similarity of %v)",
		s.Sets().Len(), plan.Common, plan.Threshold)
}

// A stored is a set of a segment.
type stored struct {
	sets *segment.Sets
	set  uint32
}

// features returns the features of a set, ascending.
func (s stored) features() ([]uint64, error) { return s.sets.AppendSet(nil, s.set) }

// jaccard returns the similarity of two sets.
func (s stored) jaccard(other stored) (float64, error) {
	if s.sets == other.sets {
		return s.sets.Jaccard(s.set, other.set)
	}
	a, err := s.features()
	if err != nil {
		return 0, err
	}
	b, err := other.features()
	return ints.Jaccard(a, b), err
}

// setOf returns the set of a document; ok is false if it has none.
func (b *bySets) setOf(doc uint32) (of stored, ok bool, err error) {
	s, local := b.ix.locate(doc)
	set, ok, err := s.Sets().Of(local)
	return stored{s.Sets(), set}, ok, err
}

// compare returns the similarity of the sets of two documents, and whether they are similar enough.
func (b *bySets) compare(x, y uint32) (jaccard float64, near bool, err error) {
	sx, sy, ok, err := b.setsOf(x, y)
	if err != nil || !ok {
		return 0, false, err
	}
	if sx == sy {
		return 1, true, nil
	}
	jaccard, err = sx.jaccard(sy)
	return jaccard, err == nil && jaccard >= b.p.Threshold, err
}

// setsOf returns the sets of two documents; ok is false if one has none.
func (b *bySets) setsOf(x, y uint32) (sx, sy stored, ok bool, err error) {
	if sx, ok, err = b.setOf(x); err == nil && ok {
		sy, ok, err = b.setOf(y)
	}
	return sx, sy, ok && err == nil, err
}

func (b *bySets) measure(ctx context.Context, g *Group) error {
	sets, representative, err := join.Distinct(g.Documents, g.Representative, b.setOf)
	if err != nil {
		return err
	}
	g.Jaccard = 1
	features := make([][]uint64, len(sets)) // of sets that are compared with those of other segments
	g.Estimated, err = join.Comparisons(ctx, len(sets), representative, join.Measured, func(i, j int) (err error) {
		if sets[i].sets == sets[j].sets {
			similarity, err := sets[i].sets.Jaccard(sets[i].set, sets[j].set)
			g.Jaccard = min(g.Jaccard, similarity)
			return err
		}
		for _, x := range []int{i, j} {
			if features[x] == nil {
				if features[x], err = sets[x].features(); err != nil {
					return err
				}
			}
		}
		g.Jaccard = min(g.Jaccard, ints.Jaccard(features[i], features[j]))
		return nil
	})
	g.Apart = g.Jaccard < b.p.Threshold
	return err
}
