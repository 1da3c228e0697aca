package tables

import (
	"context"
	"math/bits"

	"simsearch/internal/ints"
	"simsearch/internal/kernels"
)

// A joiner finds the near pairs of one set of distinct, ascending values. The tails of a run are such
// a set, too: permutations keep the order of the bits behind the header, and entries of one header
// keep the order of their values. So a joiner can join a run as it is.
type joiner struct {
	ctx   context.Context
	k     int
	a, b  []uint64 // buffers of the same length
	pairs []uint64 // found and not handed over yet
}

// A joiner needs two buffers for the entries that it sorts. It goes through a table in parts, by the
// first bits of the header, and reads the values once for each part. Memory that the process has not
// used before costs two to three nanoseconds a byte, which is more than reading the values again from
// the cache. So sorting a table in four parts takes a quarter of the memory, and less time.
const (
	partBits  = 2
	partsFrom = 1 << 16 // the number of values from which the table is sorted in parts
)

// table finds the pairs that agree on header i of design and on no earlier header. So each pair is
// found for one i only. No set of pairs has to be kept, and goroutines that join different tables find
// the same pairs in every run.
func (j *joiner) table(values []uint64, design Design, i int, found func(x, y uint64)) {
	permutations := design.Permutations()
	perm, earlier := permutations[i], permutations[:i]
	tail := perm.Width() - perm.HeaderBits()
	unpermuted := func(x, y uint64) {
		x, y = perm.invert(x), perm.invert(y)
		for _, p := range earlier {
			if (x^y)&p.Header() == 0 {
				return
			}
		}
		found(x, y)
	}
	switch {
	case perm.identity():
		j.runs(values, tail, unpermuted)
	case len(values) < partsFrom || perm.HeaderBits() < partBits:
		j.grow(len(values))
		j.runs(ints.SortMapped(j.a, j.b, values, tail, perm.ApplyAll), tail, unpermuted)
	default:
		for part := range uint64(1 << partBits) {
			entries := j.gather(values, perm, part)
			entries = ints.SortMapped(j.b[:len(entries)], entries, entries, tail, func(dst, src []uint64) { copy(dst, src) })
			j.runs(entries, tail, unpermuted)
		}
	}
}

// grow makes room for n entries.
func (j *joiner) grow(n int) {
	if len(j.a) < n {
		j.a, j.b = make([]uint64, n), make([]uint64, n)
	}
}

// gather returns the permuted values that have part as their partBits highest bits.
func (j *joiner) gather(values []uint64, perm Permutation, part uint64) []uint64 {
	const step = 1 << 16
	n := 0
	for from := 0; from < len(values); from += step {
		some := values[from:min(len(values), from+step)]
		if n+len(some)+kernels.Margin > len(j.a) { // about the share of a part, and then a little more each time
			more := make([]uint64, max(len(values)>>partBits+len(values)>>(partBits+3), n+n/4)+step+kernels.Margin)
			copy(more, j.a[:n])
			j.a, j.b = more, make([]uint64, len(more))
		}
		n += perm.applyMatching(j.a[n:], some, partBits, part)
	}
	return j.a[:n]
}

// runs finds the pairs inside the runs of entries that agree on all bits at or above tail.
func (j *joiner) runs(entries []uint64, tail int, found func(x, y uint64)) {
	for lo := 0; lo < len(entries); {
		hi := lo + 1
		for hi < len(entries) && entries[hi]>>tail == entries[lo]>>tail {
			hi++
		}
		if hi-lo > 1 {
			j.within(entries[lo:hi], tail, found)
			if j.ctx.Err() != nil {
				return
			}
		}
		lo = hi
	}
}

const (
	// compareAtOnce is the length of a run up to which PairMask is faster than a scan for each value.
	// compareAtOnceTo is the distance up to which it is: PairMask looks at half of the bits, which
	// agree too often within larger distances.
	compareAtOnce, compareAtOnceTo = 64, 6
	// splitFrom is the length of a run above which tables of the run may pay.
	splitFrom = 256
	// longRun is the length of a run above which the context is looked at for each value. Comparing a
	// value with a longer run takes long, most of all where many of its values are near.
	longRun = 1 << 14
)

// within finds the pairs of entries that agree on all bits at or above tail. It joins a long run, as
// skewed data have, by tables over the tails. So a header that a million fingerprints share costs what
// the near pairs of these cost, and not the square of a million.
func (j *joiner) within(entries []uint64, tail int, found func(x, y uint64)) {
	if len(entries) <= compareAtOnce && j.k <= compareAtOnceTo {
		for near := kernels.PairMask(entries, j.k); near != 0; near &= near - 1 {
			at := bits.TrailingZeros64(near)
			before, y := entries[:at], entries[at]
			for i := kernels.NextWithin(before, y, j.k); i < at; i += 1 + kernels.NextWithin(before[i+1:], y, j.k) {
				found(before[i], y)
			}
		}
		return
	}
	if len(entries) > splitFrom && tail > 0 {
		header := entries[0] &^ lowBits(tail)
		tails := make([]uint64, len(entries))
		for i, x := range entries {
			tails[i] = x & lowBits(tail)
		}
		if design, ok := PlanPairs(tails, tail, j.k); ok {
			inner := joiner{ctx: j.ctx, k: j.k}
			for i := range design.Permutations() {
				inner.table(tails, design, i, func(x, y uint64) { found(header|x, header|y) })
			}
			return
		}
	}
	for i, x := range entries {
		if (i%splitFrom == 0 || len(entries) > longRun) && j.ctx.Err() != nil {
			return
		}
		for n := i + 1; n < len(entries); n++ {
			if n += kernels.NextWithin(entries[n:], x, j.k); n < len(entries) {
				found(x, entries[n])
			}
		}
	}
}
