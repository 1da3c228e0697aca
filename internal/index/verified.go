package index

import (
	"context"
	"fmt"

	"simsearch/internal/analysis"
	"simsearch/internal/join"
	"simsearch/internal/segment"
)

// A verified criterion takes what is within a distance for candidates, and verifies each of them.
type verified[I comparable] struct {
	byDistance
	verifier[I]
	tells bool // a join says how it verifies
}

// A verifier says which candidates are near, byBoth or byCosine. It is used by several goroutines at once.
type verifier[I comparable] interface {
	// query returns what reports whether a candidate is near a document, and measures it. It counts in stats what it verifies.
	query(r *analysis.Result, stats *Stats) (func(m *Match) (bool, error), error)
	// pair reports whether two documents are near, whose distance is known, and measures them.
	pair(p *join.Pair) (bool, error)
	// identity is equal for documents that are near the same ones; ok is false if they are near none.
	identity(doc uint32) (id I, ok bool, err error)
	// measure fills in how near the documents of a group are.
	measure(ctx context.Context, g *Group) error
	// how says how candidates are verified.
	how() string
}

// lookEvery is the number of candidates between two checks whether the context is done.
const lookEvery = 64

func (v *verified[I]) near(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	verify, err := v.query(r, stats)
	var candidates segment.Gathered
	if err == nil {
		err = v.byDistance.near(ctx, r, &candidates, stats)
	}
	if err != nil {
		return err
	}
	for i, m := range candidates.Found {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ok, err := verify(&m)
		if err != nil {
			return err
		}
		if ok {
			g.Found = append(g.Found, m)
		}
	}
	stats.Add(Stats{Candidates: int64(len(candidates.Found))})
	return nil
}

func (v *verified[I]) nearAll(ctx context.Context, batch *analysis.Batch, h *segment.GatheredMany, stats *Stats) error {
	return eachAlone(ctx, batch, h, stats, v.near)
}

func (v *verified[I]) explain(s *segment.Segment) (string, bool) {
	how, _ := v.byDistance.explain(s)
	return how + v.how(), false
}

func (v *verified[I]) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	docs, fps, err := v.all()
	if err != nil {
		return err
	}
	var candidates []join.Fingerprinted[I]
	for i, doc := range docs {
		id, ok, err := v.identity(doc)
		if err != nil {
			return err
		}
		if ok {
			candidates = append(candidates, join.Fingerprinted[I]{Document: doc, Fingerprint: fps[i], Identity: id})
		}
	}
	if v.tells && o.Explain != nil {
		o.Explain(fmt.Sprintf("pairs of fingerprints within %d bits%s", v.k, v.how()))
	}
	return join.ByBoth(ctx, v.ix.Len(), candidates, v.ix.Settings().Bits, v.k, o, v.pair, yield)
}

func (v *verified[I]) group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error) {
	return groupPairs(ctx, v.ix, v.join, chain, o, func(x, y uint32) (bool, error) {
		distance, err := v.ix.Distance(x, y)
		if err != nil || distance == NoDistance || distance > v.k {
			return false, err
		}
		return v.pair(&join.Pair{A: x, B: y, Measures: Measures{Distance: distance}})
	})
}

func (v *verified[I]) measure(ctx context.Context, g *Group) error { return v.verifier.measure(ctx, g) }
