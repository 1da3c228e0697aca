package selfjoin

import (
	"context"
	"math/bits"
	"slices"

	"simsearch/internal/match/kernels"
)

// A worker finds pairs on one goroutine.
type worker struct {
	*join
	ctx   context.Context
	found func(x, y uint64) // is called with values as they were given
	pairs []uint64          // not handed over yet

	group    *group // that is worked on, and the number of its header
	header   int
	gathered []uint64 // the values of a task, moved, bucket by bucket
	places   []uint32 // where the next value of each bucket goes
	chunk    []uint64
	sorted   []uint64 // the values of a bucket, sorted by a key
	ends     [1 << mostKeyBits]uint32
	inner    *worker // of long runs
}

// gatherAtOnce is how many values are looked at before those that match are put into their buckets.
const gatherAtOnce = 1 << 12

// task finds the pairs of the buckets of t.
func (w *worker) task(t task) {
	g := &w.groups[t.group]
	w.group = g
	values, at := w.values, uint32(0)
	if !g.sorted {
		at = g.ends[t.from]
		n := int(g.ends[t.to] - at)
		if n > w.large {
			w.alone.Lock()
			defer w.alone.Unlock()
		}
		values = w.gather(g, t, n)
	}
	for b := t.from; b < t.to && w.ctx.Err() == nil; b++ {
		if lo, hi := g.ends[b]-at, g.ends[b+1]-at; hi-lo > 1 {
			w.bucket(values[lo:hi], t.headers)
		}
	}
}

// gather returns the n values of the buckets of t, moved, bucket by bucket.
func (w *worker) gather(g *group, t task, n int) []uint64 {
	if len(w.gathered) < n {
		w.gathered = make([]uint64, n+n/16)
	}
	if w.chunk == nil {
		w.chunk = make([]uint64, gatherAtOnce+kernels.Margin)
	}
	w.places = w.places[:0]
	for _, end := range g.ends[t.from:t.to] {
		w.places = append(w.places, end-g.ends[t.from])
	}
	places, gathered, shift, mask := w.places, w.gathered, uint(w.width-g.bits), uint64(len(w.places)-1)
	for from := 0; from < len(w.values) && w.ctx.Err() == nil; from += gatherAtOnce {
		some := w.values[from:min(len(w.values), from+gatherAtOnce)]
		m := g.moves.ApplyMatching(w.chunk, some, uint(w.width-t.bits), t.top)
		for _, x := range w.chunk[:m] {
			p := &places[x>>(shift&63)&mask]
			gathered[*p] = x
			*p++
		}
	}
	return gathered[:n]
}

// bucket finds the pairs of values that agree on the first bits of the group, by each of some of its headers.
func (w *worker) bucket(values []uint64, headers []header) {
	if len(w.sorted) < len(values) {
		w.sorted = make([]uint64, len(values)+len(values)/4)
	}
	for i := range headers {
		h := &headers[i]
		w.header = h.number
		n := min(h.key.bits, bits.Len(uint(len(values))))
		if n == 0 {
			w.run(values)
			continue
		}
		key, mask, ends, sorted := h.key, lowBits(n), w.ends[:1<<n], w.sorted[:len(values)]
		clear(ends)
		for _, x := range values {
			ends[key.of(x)&mask]++
		}
		at := uint32(0)
		for i, n := range ends {
			ends[i] = at
			at += n
		}
		for _, x := range values {
			p := &ends[key.of(x)&mask]
			sorted[*p] = x
			*p++
		}
		lo := uint32(0)
		for _, hi := range ends {
			if hi-lo > 1 {
				w.run(sorted[lo:hi])
			}
			lo = hi
		}
	}
}

const (
	// fewOfRun is the length of a run up to which its values are compared one by one.
	fewOfRun = 6
	// compareAtOnce is the length of a run up to which PairMask is faster than a scan for each value.
	// compareAtOnceTo is the distance up to which it is: PairMask looks at half of the bits, which
	// agree too often within larger distances.
	compareAtOnce, compareAtOnceTo = 64, 6
	// splitFrom is the length of a run above which headers of its own may pay.
	splitFrom = 256
	// longRun is the length of a run above which the context is looked at for each value.
	longRun = 1 << 14
)

// run finds the pairs of values that agree on a key of the header.
func (w *worker) run(values []uint64) {
	n := len(values)
	switch {
	case n <= fewOfRun:
		for i, y := range values {
			for _, x := range values[:i] {
				if bits.OnesCount64(x^y) <= w.k {
					w.near(x, y)
				}
			}
		}
	case n <= compareAtOnce && w.k <= compareAtOnceTo:
		for near := kernels.PairMask(values, w.k); near != 0; near &= near - 1 {
			at := bits.TrailingZeros64(near)
			before, y := values[:at], values[at]
			for i := kernels.NextWithin(before, y, w.k); i < at; i += 1 + kernels.NextWithin(before[i+1:], y, w.k) {
				w.near(before[i], y)
			}
		}
	case n > splitFrom && w.split(values):
	default:
		for i, x := range values {
			if (i%splitFrom == 0 || n > longRun) && w.ctx.Err() != nil {
				return
			}
			for at := i + 1; at < n; at++ {
				if at += kernels.NextWithin(values[at:], x, w.k); at < n {
					w.near(x, values[at])
				}
			}
		}
	}
}

// near takes a pair within distance k, unless it does not agree on the header, or agrees on an earlier one.
func (w *worker) near(x, y uint64) {
	differ := w.group.moves.Invert(x ^ y)
	if differ&w.masks[w.header] != 0 {
		return
	}
	for _, mask := range w.masks[:w.header] {
		if differ&mask == 0 {
			return
		}
	}
	x, y = w.group.moves.Invert(x), w.group.moves.Invert(y)
	if w.back != nil {
		x, y = w.back.Invert(x), w.back.Invert(y)
	}
	w.found(x, y)
}

// split finds the pairs of a long run, as skewed data have, by headers on the bits in which its values differ. So a
// header that a million fingerprints share costs what the near pairs of these cost, and not the square of a million.
// It returns false if comparing all values is cheaper.
func (w *worker) split(values []uint64) bool {
	if w.options.Plan == nil {
		return false
	}
	var differ uint64
	for _, x := range values {
		differ |= x ^ values[0]
	}
	width := bits.OnesCount64(differ)
	if width <= w.k {
		return false
	}
	moves := kernels.MovesTo(width, differ)
	tails := make([]uint64, len(values))
	moves.ApplyAll(tails, values)
	slices.Sort(tails)
	h, ok := w.options.Plan(tails, width, w.k)
	if !ok {
		return false
	}
	o := w.options
	o.Threads, o.Memory, o.Progress = 1, 0, nil
	inner := newJoin(tails, h, w.k, o)
	if inner.count(w.ctx) != nil {
		return true
	}
	base := values[0] &^ differ
	if w.inner == nil {
		w.inner = new(worker)
	}
	w.inner.join, w.inner.ctx = inner, w.ctx
	w.inner.found = func(x, y uint64) { w.near(base|moves.Invert(x), base|moves.Invert(y)) }
	for _, t := range inner.tasks {
		w.inner.task(t)
	}
	return true
}
