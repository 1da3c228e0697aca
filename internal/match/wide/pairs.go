package wide

import (
	"context"

	"simsearch/internal/ground/parallel"
	"simsearch/tables"
)

// pairTask is how many fingerprints are looked up by one goroutine at a time.
const pairTask = 1 << 10

// EachPair calls do with the pairs of values within distance k, each once: a number with the smaller index in its upper half and the
// larger one in the lower half. do is called from any goroutine and may keep or change the slice. The error is that of ctx or the first one
// of do. Of o it uses Threads and Progress.
//
// It looks up one fingerprint after the other. Neighbours in the order of the values share keys.
func (t *Tables) EachPair(ctx context.Context, k int, o tables.PairOptions, do func(pairs []uint64) error) error {
	tasks := (t.n + pairTask - 1) / pairTask
	done := 0
	look := func(ctx context.Context, task int) (struct{}, error) {
		var found []Match
		var pairs []uint64
		for a := task * pairTask; a < min(t.n, (task+1)*pairTask); a++ {
			if a%16 == 0 && ctx.Err() != nil {
				return struct{}{}, context.Cause(ctx)
			}
			q := t.value(uint32(a))
			found = t.Near(found[:0], q, k, nil)
			for _, m := range found {
				if m.Index > uint32(a) {
					pairs = append(pairs, uint64(a)<<32|uint64(m.Index))
				}
			}
			if len(pairs) >= pairTask {
				if err := do(pairs); err != nil {
					return struct{}{}, err
				}
				pairs = nil
			}
		}
		if len(pairs) == 0 {
			return struct{}{}, nil
		}
		return struct{}{}, do(pairs)
	}
	return parallel.Ordered(ctx, o.Threads, tasks, look, func(struct{}) error {
		if done++; o.Progress != nil {
			o.Progress(done, tasks)
		}
		return nil
	})
}
