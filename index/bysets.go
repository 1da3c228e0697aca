package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"simsearch/analysis"
	"simsearch/hamming"
	"simsearch/internal/gather"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/internal/sorted"
	"simsearch/prefix"
)

// bySets searches by the Jaccard similarity of sets of features, without a miss.
type bySets struct {
	ix *Snapshot
	p  Predicate
}

func (b *bySets) one(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	q := setQuery{bySets: b, limit: g.Limit, stats: stats}
	return q.each(ctx, r, func(i int, s *segment.Segment) error {
		return g.AddAll(b.ix.collection(), i, s.Sets().Groups(), q.found)
	})
}

func (b *bySets) batch(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	q := setQuery{bySets: b, limit: h.Limit, stats: stats}
	for i := range batch.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := batch.Result(i)
		if err := q.each(ctx, &r, func(segment int, s *segment.Segment) error { return h.Add(i, segment, s.Sets().Groups(), q.found) }); err != nil {
			return err
		}
	}
	h.Sort()
	return nil
}

func (b *bySets) pairs(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	sets, err := segment.NewAllSets(b.ix.segments)
	if err != nil {
		return err
	}
	return b.inFile(join.BySets(ctx, sets, b.p.Threshold, o, yield))
}

// groups returns the representative of each document, as join.GroupSets does.
func (b *bySets) groups(ctx context.Context, chain bool, o join.Options) ([]uint32, error) {
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
	coded := s.Sets().Coded()
	return coded == nil || !coded.Looks(b.p.Threshold)
}

func (b *bySets) explain(s *segment.Segment) string {
	if b.comparesAll(s) {
		what := "of a format before 5"
		if coded := s.Sets().Coded(); coded != nil {
			what = fmt.Sprintf("planned for a Jaccard similarity of %v", coded.Plan().Threshold)
		}
		return fmt.Sprintf("the sets are %s, so that a query of %v is compared with all %d sets", what, b.p.Threshold, s.Sets().Len())
	}
	plan := s.Sets().Coded().Plan()
	return fmt.Sprintf("a query looks up its rarest features, such that no set is missed, among those of %d sets; a set that shares %d of them is compared (planned for a Jaccard similarity of %v)",
		s.Sets().Len(), plan.Common, plan.Threshold)
}

// A setQuery is a set that is compared with the sets of the index, and the memory for the
// comparisons.
type setQuery struct {
	*bySets
	limit   int
	stats   *Stats
	matches []prefix.Match
	found   []gather.Group // the near sets of the last segment
}

// each sets q.found to the near sets of each segment in turn and then calls do. With a limit
// q.found is sorted, nearest first; otherwise its order is undefined.
func (q *setQuery) each(ctx context.Context, r *analysis.Result, do func(i int, s *segment.Segment) error) error {
	if r.Given {
		return noFeatures(r)
	}
	if len(r.Set) == 0 {
		return nil
	}
	var work *prefix.Stats
	if q.stats != nil {
		work = &prefix.Stats{}
		defer func() {
			q.stats.Add(Stats{Queries: 1, LookUps: work.LookUps, Compared: work.Entries, Candidates: work.Candidates, Verified: work.Candidates})
		}()
	}
	for i, s := range q.ix.segments {
		var err error
		if q.matches, err = s.Sets().Near(ctx, q.matches[:0], r.Set, q.p.Threshold, work); err != nil {
			return err
		}
		q.found = q.found[:0]
		for _, m := range q.matches {
			q.found = append(q.found, gather.Group{Number: m.Set, Jaccard: m.Jaccard(len(r.Set))})
		}
		sortNearest(q.found, q.limit)
		if err := do(i, s); err != nil {
			return err
		}
	}
	return nil
}

// sortNearest puts the nearest sets first if there is a limit.
func sortNearest(found []gather.Group, limit int) {
	if limit > 0 {
		slices.SortFunc(found, func(a, b gather.Group) int { return cmp.Compare(b.Jaccard, a.Jaccard) })
	}
}

// noFeatures returns the error of a query that is a fingerprint.
func noFeatures(r *analysis.Result) error {
	return fmt.Errorf("%w: a fingerprint, as %q, has no features", ErrNoSearch, r.ID)
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
	return sorted.Jaccard(a, b), err
}

// setOf returns the set of a document; ok is false if it has none.
func (b *bySets) setOf(doc uint32) (of stored, ok bool, err error) {
	s, local := b.ix.locate(doc)
	set, ok, err := s.Sets().Of(local)
	return stored{s.Sets(), set}, ok, err
}

// nearness returns the similarity of the sets of two documents, and whether they are similar enough.
func (b *bySets) nearness(x, y uint32) (jaccard float64, near bool, err error) {
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
	g.Estimated, err = join.Comparisons(ctx, len(sets), representative, func(i, j int) (err error) {
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
		g.Jaccard = min(g.Jaccard, sorted.Jaccard(features[i], features[j]))
		return nil
	})
	g.Apart = g.Jaccard < b.p.Threshold
	return err
}
