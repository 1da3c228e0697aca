package prefix

import "context"

// Frequent returns the features that more than the given number of sets of src have, at least 1, ascending. It takes
// about o.Memory, and 8 bytes for each of them. The error is that of src or of ctx.
func Frequent(ctx context.Context, src Source, more uint32, o Options) ([]uint64, error) {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	counts, err := countMore(ctx, src, max(1, more), o.Threads, o.Memory)
	if err != nil {
		return nil, err
	}
	features := make([]uint64, len(counts))
	for i, c := range counts {
		features[i] = c.hash
	}
	return features, nil
}
