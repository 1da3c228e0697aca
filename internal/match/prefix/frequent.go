package prefix

import (
	"context"

	"simsearch/internal/match/vocabulary"
)

// A Counted is a feature, and the number of sets that have it.
type Counted struct {
	Feature uint64
	Sets    uint32
}

// Frequent returns the features that more than the given number of sets of src have, at least 1, in ascending order. It
// takes about o.Memory, and 16 bytes for each of them. The error is that of src or of ctx.
func Frequent(ctx context.Context, src Source, more uint32, o Options) ([]Counted, error) {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	counts, err := vocabulary.Count(ctx, src, max(1, more), o.Threads, o.Memory, o.Progress)
	if err != nil {
		return nil, err
	}
	features := make([]Counted, len(counts))
	for i, c := range counts {
		features[i] = Counted{c.Hash, c.Sets}
	}
	return features, nil
}
