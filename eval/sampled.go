package eval

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/parallel"
)

// SampledPairs returns the pairs of SimilarPairs in which one set, or both, is sampled. It takes memory for
// the elements of the sampled sets only.
//
// If each set is sampled with the same probability, so is each pair. Shares of pairs are then estimated
// without bias.
func SampledPairs(ctx context.Context, sets [][]uint64, sampled []bool, threshold float64, threads int) ([]SimilarPair, error) {
	with := map[uint64][]uint32{}
	for i, in := range sampled {
		if in {
			for _, x := range sets[i] {
				with[x] = append(with[x], uint32(i))
			}
		}
	}
	const together = 1024
	var out []SimilarPair
	err := parallel.Ordered(ctx, threads, (len(sets)+together-1)/together, func(ctx context.Context, task int) ([]SimilarPair, error) {
		var found []SimilarPair
		shared := map[uint32]int{}
		for b := task * together; b < min(len(sets), (task+1)*together); b++ {
			clear(shared)
			for _, x := range sets[b] {
				for _, a := range with[x] {
					shared[a]++
				}
			}
			for a, n := range shared {
				if int(a) == b || sampled[b] && int(a) > b {
					continue // itself, or found from the other side
				}
				if j := float64(n) / float64(len(sets[a])+len(sets[b])-n); j >= threshold {
					found = append(found, SimilarPair{min(a, uint32(b)), max(a, uint32(b)), j})
				}
			}
		}
		return found, ctx.Err()
	}, func(found []SimilarPair) error {
		out = append(out, found...)
		return nil
	})
	slices.SortFunc(out, func(x, y SimilarPair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return out, err
}
