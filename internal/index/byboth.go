package index

import (
	"cmp"
	"context"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
	"simsearch/internal/match/prefix"
)

// Both is the kind of documents that are near by their fingerprints and by their sets.
var Both = &Kind{
	Key: "jaccard", Name: "a Jaccard similarity", Short: "similarity",
	Sets: true, Fingerprints: true, Within: true,
	Exactly:   "searches by distance find everything, and nothing else",
	NoNearest: "the nearest are wanted by distance or by similarity, not by both",
	Compare: func(x, y *analysis.Result) Measures {
		return Measures{Distance: distanceOf(x, y), Value: measureSets(prefix.Jaccard, x.Set, y.Set)}
	},
	open: func(ix *Snapshot, p Predicate) criterion {
		return &byBoth{newBySets(ix, p), byDistance{ix, p.Distance}}
	},
}

// byBoth verifies what is within a distance by its sets. A match is as near as its sets
// are similar. Every document within the distance whose set is similar enough is found.
type byBoth struct {
	*bySets
	d byDistance
}

func (b *byBoth) pair(p *join.Pair) (near bool, err error) {
	x, y, ok := b.setsOf(p.A, p.B)
	if !ok {
		return false, nil
	}
	if p.Value = 1; x != y {
		p.Value = x.measure(b.of, y)
	}
	return p.Value >= b.p.Threshold, nil
}

func (b *byBoth) measure(ctx context.Context, g *Group) error {
	within := *g
	err := cmp.Or(b.d.measure(ctx, &within), b.bySets.measure(ctx, g))
	g.Distance, g.Apart, g.Estimated = within.Distance, g.Apart || within.Apart, g.Estimated || within.Estimated
	return err
}

// has reports whether a document has a fingerprint.
func (b *byBoth) has(r *analysis.Result) bool { return b.d.has(r) }

// lookEvery is the number of candidates between two checks whether the context is done.
const lookEvery = 64

func (b *byBoth) near(ctx context.Context, q queries, h *segment.GatheredMany, stats *Stats) error {
	return eachAlone(ctx, q, h, stats, func(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
		var candidates segment.Gathered
		if err := cmp.Or(hasFeatures(r), nearOne(ctx, &b.d, r, &candidates, stats)); err != nil {
			return err
		}
		stats.Add(Stats{Candidates: int64(len(candidates.Found))})
		known := map[stored]float64{} // documents share sets
		for i, m := range candidates.Found {
			if i%lookEvery == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			set, ok := b.setOf(m.Document)
			if !ok {
				continue
			}
			similarity, ok := known[set]
			if !ok {
				similarity = measureSets(b.of, r.Set, set.features())
				known[set] = similarity
				stats.Add(Stats{Verified: 1})
			}
			if similarity >= b.p.Threshold {
				m.Measures = Measures{Value: similarity}
				g.Found = append(g.Found, m)
			}
		}
		return nil
	})
}

func (b *byBoth) explain(s *segment.Segment) (string, bool) {
	how, _ := b.d.explain(s)
	return how + "; the sets of what is within are compared", false
}

func (b *byBoth) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	docs, fps := b.d.all()
	var candidates []join.Fingerprinted[segment.Identity]
	for i, doc := range docs {
		s, local := b.ix.locate(doc)
		if _, ok := s.Sets().Of(local); ok {
			candidates = append(candidates, join.Fingerprinted[segment.Identity]{Document: doc, Fingerprint: fps[i], Identity: s.Identity(local)})
		}
	}
	return join.ByBoth(ctx, b.ix.Len(), candidates, b.ix.Settings().Bits, b.d.k, o, b.pair, yield)
}

func (b *byBoth) group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error) {
	return groupPairs(ctx, b.ix, b.join, chain, o, func(x, y uint32) (bool, error) {
		distance := b.ix.distance(x, y)
		if distance == NoDistance || distance > b.d.k {
			return false, nil
		}
		return b.pair(&join.Pair{A: x, B: y, Measures: Measures{Distance: distance}})
	})
}
