package index

import (
	"context"
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/gather"
	"simsearch/internal/ints"
	"simsearch/internal/join"
	"simsearch/internal/segment"
)

// byBoth searches by distance and compares the sets of what it finds. A match is as near as its sets
// are similar. Every document within the distance whose set is similar enough is found.
type byBoth struct {
	*bySets
	d byDistance
}

func (ix *Snapshot) newByBoth(p Predicate) *byBoth {
	return &byBoth{&bySets{ix: ix, p: p}, byDistance{ix, p.Distance}}
}

func (b *byBoth) one(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	if err := hasFeatures(r); err != nil {
		return err
	}
	var near gather.One
	if err := b.d.one(ctx, r, &near, stats); err != nil {
		return err
	}
	known := map[stored]float64{} // documents share sets
	for _, m := range near.Found {
		set, ok, err := b.setOf(m.Document)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		similarity, ok := known[set]
		if !ok {
			features, err := set.features()
			if err != nil {
				return err
			}
			similarity = ints.Jaccard(r.Set, features)
			known[set] = similarity
		}
		if similarity >= b.p.Threshold {
			g.Found = append(g.Found, Match{Document: m.Document, ID: m.ID, Jaccard: similarity})
		}
	}
	stats.Add(Stats{Candidates: int64(len(near.Found)), Verified: int64(len(known))})
	return nil
}

func (b *byBoth) batch(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	return addEach(ctx, h, batch, func(r *analysis.Result, g *gather.One) error { return b.one(ctx, r, g, stats) })
}

// addEach searches for each query of a batch by itself.
func addEach(ctx context.Context, h *gather.Many, batch *analysis.Batch, one func(r *analysis.Result, g *gather.One) error) error {
	return eachQuery(ctx, batch, func(i int, r *analysis.Result) error {
		g := gather.One{Limit: h.Limit}
		if err := one(r, &g); err != nil {
			return err
		}
		h.Set(i, g.Matches())
		return nil
	})
}

func (b *byBoth) pairs(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	docs, fps, err := b.ix.allFingerprints()
	if err != nil {
		return err
	}
	var of []join.Fingerprinted[segment.Identity]
	for i, doc := range docs {
		s, local := b.ix.locate(doc)
		_, ok, err := s.Sets().Of(local)
		if err != nil {
			return err
		}
		if !ok {
			continue // it is near nothing
		}
		identity, err := s.Identity(local)
		if err != nil {
			return err
		}
		of = append(of, join.Fingerprinted[segment.Identity]{Document: doc, Fingerprint: fps[i], Identity: identity})
	}
	verify := func(p *join.Pair) (near bool, err error) {
		p.Jaccard, near, err = b.compare(p.A, p.B)
		return near, err
	}
	return join.ByBoth(ctx, b.ix.Len(), of, b.ix.Settings().Bits, b.d.k, o, verify, yield)
}

func (b *byBoth) representatives(ctx context.Context, chain bool, o join.Options) ([]uint32, error) {
	return groupPairs(ctx, b.ix, b.pairs, chain, o, func(x, y uint32) (bool, error) {
		distance, err := b.ix.distance(x, y)
		if err != nil || distance == NoDistance || distance > b.d.k {
			return false, err
		}
		_, near, err := b.compare(x, y)
		return near, err
	})
}

// groupPairs divides the documents of an index into groups by the pairs of a search, as join.GroupPairs does.
func groupPairs(ctx context.Context, ix *Snapshot, pairs func(context.Context, join.Options, func(join.Pair) error) error,
	chain bool, o join.Options, near func(x, y uint32) (bool, error),
) ([]uint32, error) {
	all := func(yield func(join.Pair) error) error { return pairs(ctx, o, yield) }
	return join.GroupPairs(ctx, ix.Len(), chain, all, func(p *join.Pair) float64 { return max(p.Jaccard, p.Cosine) }, near)
}

func (b *byBoth) measure(ctx context.Context, g *Group) error {
	if err := b.d.measure(ctx, g); err != nil {
		return err
	}
	apart, estimated := g.Apart, g.Estimated
	err := b.bySets.measure(ctx, g)
	g.Apart, g.Estimated = g.Apart || apart, g.Estimated || estimated
	return err
}

func (b *byBoth) empty(r *analysis.Result) bool { return b.d.empty(r) }

func (b *byBoth) explain(s *segment.Segment) string {
	return fmt.Sprintf("%s; the sets of what is within are compared", b.d.explain(s))
}

func (*byBoth) comparesAll(*segment.Segment) bool { return false }
