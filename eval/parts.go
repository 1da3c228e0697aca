package eval

import (
	"context"

	"simsearch/internal/parallel"
)

// partLength is how many of many things a goroutine takes at a time.
const partLength = 256

// eachOf calls do for each number in [0, n), on all threads and in any order. So do must change nothing but what belongs to the
// number. The error is that of do, or the cause of ctx.
func (c *Collection) eachOf(ctx context.Context, n int, do func(i int) error) error {
	return parallel.Ordered(ctx, c.threads, (n+partLength-1)/partLength, func(ctx context.Context, part int) (struct{}, error) {
		if ctx.Err() != nil {
			return struct{}{}, context.Cause(ctx)
		}
		for i := part * partLength; i < min(n, (part+1)*partLength); i++ {
			if err := do(i); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	}, func(struct{}) error { return nil })
}

// measurePairs returns what of returns for each pair.
func measurePairs(ctx context.Context, c *Collection, pairs [][2]uint32, of func(a, b uint32) float64) ([]float64, error) {
	out := make([]float64, len(pairs))
	return out, c.eachOf(ctx, len(pairs), func(i int) error {
		out[i] = of(pairs[i][0], pairs[i][1])
		return nil
	})
}
