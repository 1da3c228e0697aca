// Package selfjoin finds all near pairs of a set of fingerprints by partitions. It builds no table: it goes through
// the values again and again, gathers those that agree on some first bits, and compares those that agree on a whole
// header.
//
// A header is a set of bits. Headers are chosen so that two fingerprints within a distance agree on all bits of at
// least one header (Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling", WWW 2007, section 3,
// https://doi.org/10.1145/1242572.1242592). Where they keep a sorted table for each header, this package divides the
// values by the first bits of headers into buckets that fit the second cache. Headers with the same first bits share
// this division, and it is free for the highest bits, by which the values are sorted. Inside a bucket, a counting
// sort by other bits of each header brings the values together that are compared.
package selfjoin

import (
	"context"
	"sync"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
)

// Headers are sets of bits of fingerprints of Width bits, in [1, 64]. Each has at least one bit, and all are different.
type Headers struct {
	Width int
	Masks []uint64
}

// Options say how Each works. They leave its answer as it is.
type Options struct {
	Threads int // at least one
	// Memory is about how many bytes gathered values take, on all threads together, half of the bytes of the values
	// at most. 0 is that half. With less memory, the values are read more often. The values of one bucket are always
	// gathered together, even if they take more.
	Memory int64
	// Plan chooses headers for the values of a long run, without the bits in which all of them agree. It is called
	// with ascending and distinct values. ok is false if they are better compared with each other, as they are if
	// Plan is nil.
	Plan func(values []uint64, width, k int) (h Headers, ok bool)
	// Progress, if not nil, is called with the number of finished parts of the work and that of all parts.
	Progress func(done, parts int)
}

// pairsAtOnce is about how many pairs are handed over at a time.
const pairsAtOnce = 1 << 14

// Each calls do with the pairs of values within distance k that agree on a header, as they are found: in no order,
// some at a time, from any goroutine. Each pair comes once, as a number with the index of the smaller value in its
// upper half, and that of the larger one in its lower half. The slice is valid until do returns, which may change it.
//
// values are strictly ascending, below 1<<Width, and fewer than 1<<32. They are not changed. The error is that of
// ctx, or the first error of do, which ends the search.
func Each(ctx context.Context, values []uint64, h Headers, k int, o Options, do func(pairs []uint64) error) error {
	if len(values) < 2 || k < 0 || len(h.Masks) == 0 {
		return context.Cause(ctx)
	}
	j := newJoin(values, h, k, o)
	if err := j.count(ctx); err != nil {
		return err
	}
	rank := sync.OnceValue(func() ints.Ranker { return ints.NewRanker(values, h.Width) })
	workers := sync.Pool{New: func() any { return new(worker) }}
	work := func(ctx context.Context, i int) (struct{}, error) {
		w := workers.Get().(*worker)
		defer workers.Put(w)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		pairs := w.pairs[:0]
		give := func() {
			if len(pairs) > 0 && ctx.Err() == nil {
				if err := do(pairs); err != nil {
					cancel(err)
				}
			}
			pairs = pairs[:0]
		}
		w.join, w.ctx, w.found = j, ctx, func(x, y uint64) {
			r := rank()
			pairs = append(pairs, r.Of(min(x, y))<<32|r.Of(max(x, y)))
			if len(pairs) >= pairsAtOnce {
				give()
			}
		}
		w.task(j.tasks[i])
		give()
		w.pairs = pairs
		return struct{}{}, context.Cause(ctx)
	}
	done := 0
	return parallel.Ordered(ctx, o.Threads, len(j.tasks), work, func(struct{}) error {
		if done++; o.Progress != nil {
			o.Progress(done, len(j.tasks))
		}
		return nil
	})
}
