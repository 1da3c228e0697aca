package index

import (
	"context"
	"fmt"
	"slices"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
	"simsearch/internal/match/prefix"
)

// Jaccard is the kind of sets of features by their Jaccard similarity.
var Jaccard = &Kind{
	Key: "jaccard", Usage: "near is a Jaccard similarity of at least `T`", Told: "0.8 where an index has no texts to judge", Aliases: []string{"threshold"},
	Name: "a Jaccard similarity", Short: "similarity",
	Sets: true, Banded: true,
	Compare: func(x, y *analysis.Result) Measures {
		return Measures{Value: measureSets(prefix.Jaccard, x.Set, y.Set)}
	},
	open: func(ix *Snapshot, p Predicate) criterion {
		if p.byBands(ix.Settings()) {
			return newByBands(ix, p)
		}
		return newBySets(ix, p)
	},
}

// bySets searches by the Jaccard similarity of sets of features, without a miss unless find is another one; or by
// another measure.
type bySets struct {
	ix     *Snapshot
	p      Predicate
	of     prefix.Measure
	find   func(stats *Stats) finder // it counts its work in stats; what it finds is in no certain order
	pairs  func(ctx context.Context, s join.Source, t float64, o join.Options, yield func(join.Pair) error) error
	groups func(ctx context.Context, s join.Source, t float64, chain bool, o join.Options) ([]uint32, error)
}

func newBySets(ix *Snapshot, p Predicate) *bySets {
	b := &bySets{ix: ix, p: p, of: prefix.Jaccard, pairs: join.BySets, groups: join.GroupSets}
	b.find = b.byFeatures
	return b
}

// byFeatures finds the sets that share rare features with a query, and are similar to it.
func (b *bySets) byFeatures(stats *Stats) finder {
	var matches []prefix.Match
	var found []segment.NearGroup
	return func(ctx context.Context, s *segment.Segment, r *analysis.Result) (_ *segment.Groups, _ []segment.NearGroup, err error) {
		var work prefix.Stats
		matches, err = s.Sets().Coded().Near(ctx, matches[:0], r.Set, b.p.Threshold, &work)
		stats.Add(Stats{LookUps: work.LookUps, Compared: work.Entries, Candidates: work.Candidates, Verified: work.Candidates})
		found = b.measured(found[:0], matches, r)
		return s.Sets().Groups(), found, err
	}
}

// measured appends to dst the sets of matches, with how near they are to that of r.
func (b *bySets) measured(dst []segment.NearGroup, matches []prefix.Match, r *analysis.Result) []segment.NearGroup {
	for _, m := range matches {
		dst = append(dst, segment.NearGroup{Number: m.Set, Measures: Measures{Value: m.By(b.of, len(r.Set))}})
	}
	return dst
}

func (b *bySets) has(r *analysis.Result) bool { return len(r.Set) > 0 }

func (b *bySets) near(ctx context.Context, q queries, h *segment.GatheredMany, stats *Stats) error {
	find := b.find(stats)
	err := eachQuery(ctx, q, func(q int, r *analysis.Result) error {
		take := func(s *segment.Segment, start uint32, groups *segment.Groups, near []segment.NearGroup) {
			h.Add(q, s, start, groups, near)
		}
		return b.eachSegment(ctx, find, r, h.Limit, stats, take)
	})
	h.Sort()
	return err
}

// nearest compares the sets of the query and of every document: 10 ms for 50,000 documents of 140
// features. It leaves out what shares no feature with the query.
func (b *bySets) nearest(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	compareAll := func(ctx context.Context, s *segment.Segment, r *analysis.Result) (*segment.Groups, []segment.NearGroup, error) {
		sets, err := s.Sets().Nearest(ctx, r.Set, g.Limit)
		n := int64(s.Sets().Len())
		stats.Add(Stats{Compared: n, Candidates: n, Verified: n})
		return s.Sets().Groups(), b.measured(nil, sets, r), err
	}
	return b.eachSegment(ctx, compareAll, r, 0, stats, g.AddAll)
}

// eachSegment calls take with what find finds in each segment for a query that has features, which it counts. With a
// limit it sorts what find finds.
func (b *bySets) eachSegment(ctx context.Context, find finder, r *analysis.Result, limit int, stats *Stats, take taker) error {
	if err := hasFeatures(r); err != nil || len(r.Set) == 0 {
		return err
	}
	stats.Add(Stats{Queries: 1})
	for i, s := range b.ix.segments {
		groups, near, err := find(ctx, s, r)
		if err != nil {
			return err
		}
		if limit > 0 {
			slices.SortFunc(near, func(a, b segment.NearGroup) int { return a.Compare(&b.Measures) })
		}
		take(s, b.ix.starts[i], groups, near)
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

func (b *bySets) explain(s *segment.Segment) (how string, comparesAll bool) {
	plan := s.Sets().Coded().Plan()
	if !s.Sets().Coded().Looks(b.p.Threshold) {
		return fmt.Sprintf("the sets are planned for a Jaccard similarity of %v, so that a query of %v is compared with all %d sets",
			plan.Threshold, b.p.Threshold, s.Sets().Len()), true
	}
	return fmt.Sprintf("a query looks up its rarest features, such that no set is missed, among those of %d sets; a set that shares %d of them is compared (planned for a Jaccard similarity of %v)",
		s.Sets().Len(), plan.Common, plan.Threshold), false
}

func (b *bySets) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	sets := segment.NewAllSets(b.ix.segments)
	return b.pairs(ctx, sets, b.p.Threshold, o, yield)
}

func (b *bySets) group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error) {
	sets := segment.NewAllSets(b.ix.segments)
	of, err := b.groups(ctx, sets, b.p.Threshold, chain, o)
	return &join.Grouping{Of: of}, err
}

func (b *bySets) measure(ctx context.Context, g *Group) error {
	known := map[stored][]uint64{} // features of sets that are compared with those of other segments
	features := func(x stored) []uint64 {
		if known[x] == nil {
			known[x] = x.features()
		}
		return known[x]
	}
	return measureDistinct(ctx, g, b.p, join.Measured, b.setOf, func(x, y stored) (Measures, error) {
		if x.sets == y.sets {
			return Measures{Value: x.measure(b.of, y)}, nil
		}
		return Measures{Value: measureSets(b.of, features(x), features(y))}, nil
	})
}

// A stored is a set of a segment.
type stored struct {
	sets *segment.Sets
	set  uint32
}

// features returns the features of a set, ascending.
func (s stored) features() []uint64 { return s.sets.AppendSet(nil, s.set) }

// measure returns how near two sets are by a measure.
func (s stored) measure(of prefix.Measure, other stored) float64 {
	if s.sets == other.sets {
		return s.sets.Measure(of, s.set, other.set)
	}
	return measureSets(of, s.features(), other.features())
}

// measureSets returns how near two lists of features are, each strictly ascending. It is 0 if one is empty.
func measureSets(of prefix.Measure, a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	return of(ints.Shared(a, b), len(a), len(b))
}

// setOf returns the set of a document; ok is false if it has none.
func (b *bySets) setOf(doc uint32) (of stored, ok bool) {
	s, local := b.ix.locate(doc)
	set, ok := s.Sets().Of(local)
	return stored{s.Sets(), set}, ok
}

// setsOf returns the sets of two documents; ok is false if one has none.
func (b *bySets) setsOf(x, y uint32) (sx, sy stored, ok bool) {
	sx, okX := b.setOf(x)
	sy, okY := b.setOf(y)
	return sx, sy, okX && okY
}
