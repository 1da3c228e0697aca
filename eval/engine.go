package eval

import (
	"bytes"
	"context"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
	"simsearch/minhash"
)

// searched calls do for each pair that an index finds by sets.
func (c *Collection) searched(ctx context.Context, by index.Predicate, do func(a, b uint32)) error {
	ix, err := c.Index(ctx)
	if err != nil {
		return err
	}
	return ix.Pairs(ctx, by, index.PairOptions{Threads: c.o.Threads}, func(p index.Pair) error {
		do(p.A, p.B)
		return nil
	})
}

// estimate returns the Jaccard similarity of two documents as their signatures estimate it, or their sketches
// if there are no signatures. Both have features.
func (c *Collection) estimate(a, b uint32) float64 {
	if c.signatures == nil {
		return c.sketch.Jaccard(c.sketch.Sketch(nil, c.Sets[a]), c.sketch.Sketch(nil, c.Sets[b]))
	}
	x, y := c.signatures[a], c.signatures[b]
	return minhash.PackedJaccard(minhash.Agree(x, y), len(x))
}

// candidates reports whether two documents agree on one of the bands or more.
func (c *Collection) candidates(a, b uint32, bands lsh.Bands) bool {
	x, y := c.signatures[a], c.signatures[b]
	for i := range bands.Bands {
		if at := i * bands.Rows; bytes.Equal(x[at:at+bands.Rows], y[at:at+bands.Rows]) {
			return true
		}
	}
	return false
}

// partLength is how many of many things a goroutine takes at a time.
const partLength = 64

// eachOf calls do for each number in [0, n), on all threads and in any order. So do must change nothing but what
// belongs to the number. The error is that of do, or the cause of ctx.
func (c *Collection) eachOf(ctx context.Context, n int, do func(s *analysis.Scratch, i int) error) error {
	return parallel.Ordered(ctx, c.o.Threads, (n+partLength-1)/partLength, func(ctx context.Context, part int) (struct{}, error) {
		if ctx.Err() != nil {
			return struct{}{}, context.Cause(ctx)
		}
		var s analysis.Scratch
		for i := part * partLength; i < min(n, (part+1)*partLength); i++ {
			if err := do(&s, i); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	}, func(struct{}) error { return nil })
}

// measurePairs returns what each of measures returns for each pair.
func measurePairs(ctx context.Context, c *Collection, pairs [][2]uint32, measures ...func(a, b uint32) float64) ([][]float64, error) {
	out := make([][]float64, len(measures))
	for m := range out {
		out[m] = make([]float64, len(pairs))
	}
	return out, c.eachOf(ctx, len(pairs), func(_ *analysis.Scratch, i int) error {
		for m, measure := range measures {
			out[m][i] = measure(pairs[i][0], pairs[i][1])
		}
		return nil
	})
}
