package tables

import (
	"context"
	"math/bits"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/hugepage"
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
	// sampled bounds the comparisons that PlanPairs spends on a look at the data,
	// and rows are the values it compares with all others.
	sampled, minRows, maxRows = 8 << 20, 4, 64
)

// PlanPairs returns the design by which Pairs joins values, or false where it
// compares each with each. hamming.PlanJoin decides, by how many pairs there are
// when some of the values are compared with all.
func PlanPairs(values []uint64, width, k int) (hamming.Design, bool) {
	n := len(values)
	rows := min(max(minRows, min(maxRows, sampled/max(n, 1))), n/8+1)
	var found []hamming.Match
	near := 0
	for i := range min(rows, n) {
		found = hamming.Scan(found[:0], values, values[i*n/rows], k)
		near += len(found) - 1 // not itself
	}
	return hamming.PlanJoin(width, n, k, float64(near)/float64(rows)*float64(n)/2)
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
	joiners := sync.Pool{New: func() any { return new(joiner) }}
	join := func(ctx context.Context, i int) ([]uint64, error) {
		var found []uint64
		j := joiners.Get().(*joiner)
		defer joiners.Put(j)
		j.ctx, j.k = ctx, k
		j.table(values, design, i, func(x, y uint64) {
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

// rankBits is how many steps of bisection a ranker leaves to be done, for a directory so
// much smaller.
const rankBits = 4

func newRanker(values []uint64, width int) ranker {
	dirBits := max(0, hamming.DirectoryBits(len(values), width)-rankBits)
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
	ctx  context.Context
	k    int
	a, b []uint64 // buffers, equally long
}

// A joiner needs two buffers for the entries that it sorts. It goes through a table in
// parts, by the first bits of the header: memory never used before costs several times
// what reading the values once more for each part does.
const (
	partBits  = 2
	partsFrom = 1 << 16 // values, below which it sorts them all at once
)

// table finds the pairs that agree on header i of design and on no earlier one,
// so that over all i each pair is found once.
func (j *joiner) table(values []uint64, design hamming.Design, i int, found func(x, y uint64)) {
	perms := design.Tables()
	perm, earlier := perms[i], perms[:i]
	tail := perm.Width() - perm.HeaderBits()
	unpermuted := func(x, y uint64) {
		x, y = perm.Invert(x), perm.Invert(y)
		for _, p := range earlier {
			if (x^y)&p.Header() == 0 {
				return
			}
		}
		found(x, y)
	}
	switch {
	case perm.Identity():
		j.runs(values, tail, unpermuted)
	case len(values) < partsFrom || perm.HeaderBits() < partBits:
		j.grow(len(values))
		j.runs(radix.SortMapped(j.a, j.b, values, tail, perm.ApplyAll), tail, unpermuted)
	default:
		for part := range uint64(1 << partBits) {
			entries := j.gather(values, perm, part)
			entries = radix.SortMapped(j.b[:len(entries)], entries, entries, tail, func(dst, src []uint64) { copy(dst, src) })
			j.runs(entries, tail, unpermuted)
		}
	}
}

// grow makes room for n entries.
func (j *joiner) grow(n int) {
	if len(j.a) < n {
		j.a, j.b = hugepage.Make[uint64](n), hugepage.Make[uint64](n)
	}
}

// gather returns those of the values, permuted, whose partBits highest bits are part.
func (j *joiner) gather(values []uint64, perm hamming.Permutation, part uint64) []uint64 {
	const step = 1 << 16
	n := 0
	for from := 0; from < len(values); from += step {
		some := values[from:min(len(values), from+step)]
		if n+len(some)+hamming.Spare > len(j.a) { // about a part's share, a little more at a time
			more := hugepage.Make[uint64](max(len(values)>>partBits+len(values)>>(partBits+3), n+n/4) + step + hamming.Spare)
			copy(more, j.a[:n])
			j.a, j.b = more, hugepage.Make[uint64](len(more))
		}
		n += perm.ApplyMatching(j.a[n:], some, partBits, part)
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
	// compareAtOnce is the length of a run up to which one question whether it has any
	// pair is faster than one for each value, and compareAtOnceTo the distance: beyond
	// it, half of the bits, by which the answer is found, agree too often.
	compareAtOnce, compareAtOnceTo = 64, 6
	// splitFrom is the length of a run above which another level of tables may pay.
	splitFrom = 256
)

// within finds the pairs among entries that agree on all bits at or above tail.
// A long run, as skewed data have, is searched by tables over its tail, so that
// one frequent header does not cost the square of its frequency.
func (j *joiner) within(entries []uint64, tail int, found func(x, y uint64)) {
	if len(entries) <= compareAtOnce && j.k <= compareAtOnceTo {
		for near := hamming.PairMask(entries, j.k); near != 0; near &= near - 1 {
			at := bits.TrailingZeros64(near)
			before, y := entries[:at], entries[at]
			for i := hamming.NextWithin(before, y, j.k); i < at; i += 1 + hamming.NextWithin(before[i+1:], y, j.k) {
				found(before[i], y)
			}
		}
		return
	}
	if len(entries) > splitFrom && tail > 0 {
		header := entries[0] &^ hamming.Mask(tail)
		tails := make([]uint64, len(entries))
		for i, x := range entries {
			tails[i] = x & hamming.Mask(tail)
		}
		if design, ok := PlanPairs(tails, tail, j.k); ok {
			inner := joiner{ctx: j.ctx, k: j.k}
			for i := range design.Tables() {
				inner.table(tails, design, i, func(x, y uint64) { found(header|x, header|y) })
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
