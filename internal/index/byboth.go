package index

import (
	"cmp"
	"context"

	"simsearch/internal/analysis"
	"simsearch/internal/join"
	"simsearch/internal/prefix"
	"simsearch/internal/segment"
)

// Both is the kind of documents that are near by their fingerprints and by their sets.
var Both = &Kind{
	Key: "jaccard", Name: "a Jaccard similarity", Short: "similarity",
	Sets: true, Fingerprints: true, Within: true, Recall: 1,
	Exactly:   "searches by distance find everything, and nothing else",
	NoNearest: "the nearest are wanted by distance or by similarity, not by both",
	measure: func(_ *analysis.Analysis, x, y *analysis.Result) (Measures, error) {
		return Measures{Distance: distanceOf(x, y), Value: measureSets(prefix.Jaccard, x.Set, y.Set)}, nil
	},
	open: func(ix *Snapshot, p Predicate, _ SourceReader) criterion { return newByBoth(ix, p) },
}

// byBoth verifies what is within a distance by its sets. A match is as near as its sets
// are similar. Every document within the distance whose set is similar enough is found.
type byBoth struct {
	*bySets
	d byDistance
}

func newByBoth(ix *Snapshot, p Predicate) criterion {
	d := byDistance{ix, p.Distance}
	return &verified[segment.Identity]{d, &byBoth{newBySets(ix, p), d}, false}
}

func (b *byBoth) query(r *analysis.Result, stats *Stats) (func(m *Match) (bool, error), error) {
	known := map[stored]float64{} // documents share sets
	return func(m *Match) (bool, error) {
		set, ok, err := b.setOf(m.Document)
		if err != nil || !ok {
			return false, err
		}
		similarity, ok := known[set]
		if !ok {
			features, err := set.features()
			if err != nil {
				return false, err
			}
			similarity = measureSets(b.of, r.Set, features)
			known[set] = similarity
			stats.Add(Stats{Verified: 1})
		}
		m.Measures = Measures{Value: similarity}
		return similarity >= b.p.Threshold, nil
	}, hasFeatures(r)
}

func (b *byBoth) pair(p *join.Pair) (near bool, err error) {
	x, y, ok, err := b.setsOf(p.A, p.B)
	if err != nil || !ok {
		return false, err
	}
	if p.Value = 1; x != y {
		p.Value, err = x.measure(b.of, y)
	}
	return p.Value >= b.p.Threshold, err
}

func (b *byBoth) identity(doc uint32) (id segment.Identity, ok bool, err error) {
	s, local := b.ix.locate(doc)
	if _, ok, err = s.Sets().Of(local); err == nil && ok {
		id, err = s.Identity(local)
	}
	return id, ok, err
}

func (b *byBoth) measure(ctx context.Context, g *Group) error {
	within := *g
	err := cmp.Or(b.d.measure(ctx, &within), b.bySets.measure(ctx, g))
	g.Distance, g.Apart, g.Estimated = within.Distance, g.Apart || within.Apart, g.Estimated || within.Estimated
	return err
}

func (b *byBoth) how() string { return "; the sets of what is within are compared" }
