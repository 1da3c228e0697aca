package tables

import (
	"context"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/parallel"
	"simsearch/internal/radix"
)

// A Pair is two near values of one set, A < B.
type Pair struct {
	A, B     uint32 // positions in the values
	Distance uint8  // bits, in [1, k]
}

// Pairs calls yield with every pair of values within distance k, each once,
// ordered by A, then by B. values must be strictly ascending, below 1<<width and
// fewer than 1<<32. The answer does not depend on threads.
//
// It needs no tables built before: it makes those of the design that suits
// len(values) and k, one a thread at a time, and drops each when it has been
// walked. Where comparing each with each is cheaper it does that. Beside 16 bytes a
// value and thread it holds 16 bytes a pair found by tables, and nothing for the
// pairs found by comparing.
//
// The error is that of ctx or the first one of yield, which ends the search.
func Pairs(ctx context.Context, values []uint64, width, k, threads int, yield func(Pair) error) error {
	if k < 0 || len(values) < 2 {
		return context.Cause(ctx)
	}
	if design, ok := PlanPairs(values, width, k); ok {
		return pairsByTables(ctx, values, design, k, threads, yield)
	}
	return pairsByComparing(ctx, values, k, threads, yield)
}

const (
	// costPair is the cost of a pair found by tables, in nanoseconds: several tables
	// show it, one hands it on, its positions are looked up and it is sorted.
	costPair = 1000
	// sampled bounds the comparisons that PlanPairs spends on a look at the data,
	// and rows are the values it compares with all others.
	sampled, minRows, maxRows = 8 << 20, 4, 64
)

// PlanPairs returns the design by which Pairs joins values, or false where it
// compares each with each. hamming.PlanJoin decides for uniform values; but where
// some values compared with all show that a good part of all pairs are near, so that
// tables would show each of them again and again, comparing wins.
func PlanPairs(values []uint64, width, k int) (hamming.Design, bool) {
	design, ok := hamming.PlanJoin(width, len(values), k)
	if !ok {
		return design, false
	}
	rows := max(minRows, min(maxRows, sampled/len(values)))
	var found []hamming.Match
	near := 0
	for i := range rows {
		found = hamming.Scan(found[:0], values, values[i*len(values)/rows], k)
		near += len(found) - 1 // not itself
	}
	n := float64(len(values))
	pairs := float64(near) / float64(rows) * n / 2
	return design, pairs*costPair < n*n/2*hamming.CostsFor(len(values)).Scan
}

// rowsPerTask keeps a task of comparing long against its hand-over and its
// results few.
const rowsPerTask = 64

func pairsByComparing(ctx context.Context, values []uint64, k, threads int, yield func(Pair) error) error {
	tasks := (len(values) + rowsPerTask - 1) / rowsPerTask
	rows := func(ctx context.Context, task int) ([]Pair, error) {
		var found []Pair
		var row []hamming.Match
		for a := task * rowsPerTask; a < min(len(values), (task+1)*rowsPerTask); a++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			row = hamming.Scan(row[:0], values[a+1:], values[a], k)
			for _, m := range row {
				found = append(found, Pair{uint32(a), uint32(a+1) + m.Index, m.Distance})
			}
		}
		return found, nil
	}
	return parallel.Ordered(ctx, threads, tasks, rows, func(found []Pair) error {
		for _, p := range found {
			if err := yield(p); err != nil {
				return err
			}
		}
		return nil
	})
}

func pairsByTables(ctx context.Context, values []uint64, design hamming.Design, k, threads int, yield func(Pair) error) error {
	var keys []uint64 // A in the upper half, B in the lower
	rank := newRanker(values, design.Width())
	buffers := sync.Pool{New: func() any {
		b := make([]uint64, 2*len(values))
		return &b
	}}
	join := func(ctx context.Context, i int) ([]uint64, error) {
		var found []uint64
		j := joiner{ctx: ctx, k: k}
		buffer := buffers.Get().(*[]uint64)
		defer buffers.Put(buffer)
		j.table(values, *buffer, design, i, func(x, y uint64) {
			found = append(found, rank.of(min(x, y))<<32|rank.of(max(x, y)))
		})
		return found, ctx.Err()
	}
	err := parallel.Ordered(ctx, threads, len(design.Tables()), join, func(found []uint64) error {
		keys = append(keys, found...)
		return nil
	})
	if err != nil {
		return err
	}
	radix.Sort(keys, make([]uint64, len(keys)))
	for i, key := range keys {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		a, b := uint32(key>>32), uint32(key)
		if err := yield(Pair{a, b, uint8(hamming.Distance(values[a], values[b]))}); err != nil {
			return err
		}
	}
	return nil
}

// A ranker finds positions in a sorted set: those of one slot of a directory, which
// resolves the highest bits, are searched.
type ranker struct {
	values []uint64
	dir    []uint32
	shift  uint
}

func newRanker(values []uint64, width int) ranker {
	dirBits := hamming.DirectoryBits(len(values), width)
	shift := uint(width - dirBits)
	return ranker{values, directory(values, shift, dirBits), shift}
}

// of returns the position of x, which must be in the set.
func (r *ranker) of(x uint64) uint64 {
	slot := x >> r.shift
	lo, hi := r.dir[slot], r.dir[slot+1]
	return uint64(lo) + uint64(lowerBound(r.values[lo:hi], x))
}

// A joiner finds the near pairs inside one set of distinct values.
type joiner struct {
	ctx context.Context
	k   int
}

// table finds the pairs that agree on header i of design and on no earlier one,
// so that over all i each pair is found once. buffer has twice the length of values.
func (j joiner) table(values, buffer []uint64, design hamming.Design, i int, found func(x, y uint64)) {
	perms := design.Tables()
	perm, earlier := perms[i], perms[:i]
	entries, scratch := buffer[:len(values)], buffer[len(values):]
	perm.ApplyAll(entries, values)
	tail := perm.Width() - perm.HeaderBits()
	radix.SortTop(entries, scratch, tail)
	unpermuted := func(x, y uint64) {
		x, y = perm.Invert(x), perm.Invert(y)
		for _, p := range earlier {
			if (x^y)&p.Header() == 0 {
				return
			}
		}
		found(x, y)
	}
	for lo := 0; lo < len(entries); {
		hi := lo + 1
		for hi < len(entries) && entries[hi]>>tail == entries[lo]>>tail {
			hi++
		}
		if hi-lo > 1 {
			j.within(entries[lo:hi], tail, unpermuted)
			if j.ctx.Err() != nil {
				return
			}
		}
		lo = hi
	}
}

// splitFrom is the length of a run above which another level of tables may pay.
const splitFrom = 256

// within finds the pairs among entries that agree on all bits at or above tail.
// A long run, as skewed data have, is searched by tables over its tail, so that
// one frequent header does not cost the square of its frequency.
func (j joiner) within(entries []uint64, tail int, found func(x, y uint64)) {
	if len(entries) > splitFrom && tail > 0 {
		if design, ok := hamming.PlanJoin(tail, len(entries), j.k); ok {
			header := entries[0] &^ hamming.Mask(tail)
			tails := make([]uint64, len(entries))
			for i, x := range entries {
				tails[i] = x & hamming.Mask(tail)
			}
			buffer := make([]uint64, 2*len(tails))
			for i := range design.Tables() {
				j.table(tails, buffer, design, i, func(x, y uint64) { found(header|x, header|y) })
			}
			return
		}
	}
	for i, x := range entries {
		if i%splitFrom == 0 && j.ctx.Err() != nil {
			return
		}
		for n := i + 1; n < len(entries); n++ {
			if n += hamming.NextWithin(entries[n:], x, j.k); n < len(entries) {
				found(x, entries[n])
			}
		}
	}
}
