package tables

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/selfjoin"
)

// A Pair is two near values of one set, with A < B.
type Pair struct {
	A, B     uint32 // indices of the values
	Distance uint8  // bits, in [1, k]
}

// PairOptions are the options of Pairs. They leave its answer as it is, except that a Design shows no pairs beyond its
// exact distance that have no equal header.
type PairOptions struct {
	Threads int // at least one
	// Design has the headers by which values are joined. The zero value leaves the choice to PlanPairs.
	Design Design
	// PairsInMemory is about the number of pairs that are held in memory, in 16 bytes each. More pairs
	// are sorted by way of temporary files in TempDir, or in the directory of the system if TempDir is
	// empty. 0 is no limit.
	PairsInMemory int
	TempDir       string
	// Disk makes the temporary files. nil is the operating system. Tests make it fail.
	Disk disk.FS
	// Memory is about how many bytes values take that are brought together, on all threads, half of the bytes of the
	// values at most. 0 is that half. With less memory, the values are read more often.
	Memory int64
	// Progress, if not nil, is called with the number of parts of the work that are done, from any
	// goroutine, one call at a time.
	Progress func(done, parts int)
}

// Pairs calls yield with every pair of values within distance k, once, ordered by A, then by B. values
// must be strictly ascending, below 1<<width, and fewer than 1<<32. They are not changed.
//
// Pairs goes through the values once for each header of a design, as package selfjoin does, and makes no tables. If
// no design is worth it, Pairs compares all values with each other. A join takes half of the bytes of the values, or
// o.Memory. Its pairs are held until they are sorted; pairs found by comparing are not held.
//
// The error is ErrWidth if the last of values is not below 1<<width, that of ctx, that of the file
// system, or the first error of yield, which ends the search.
func Pairs(ctx context.Context, values []uint64, width, k int, o PairOptions, yield func(Pair) error) (err error) {
	give := func(key uint64) error {
		a, b := uint32(key>>32), uint32(key)
		return yield(Pair{a, b, uint8(hamming.Distance(values[a], values[b]))})
	}
	design, ok, err := o.plan(ctx, values, width, k)
	if err != nil || k < 0 || len(values) < 2 {
		return err
	}
	if !ok {
		return compare(ctx, values, k, o, nil, func(pairs []uint64) error {
			for _, key := range pairs {
				if err := give(key); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	sorter := spill.NewSorter(o.Disk, o.TempDir, o.PairsInMemory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	if err := join(ctx, values, design, k, o, sorter.Add); err != nil {
		return err
	}
	for key, err := range sorter.Sorted(ctx) {
		if err == nil {
			err = give(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EachPair calls do with the pairs that Pairs yields, as they are found: in no order, some at a time, from any
// goroutine,
// several at a time. A pair is a number with A in the upper half and B in the lower. The slice is valid until do
// returns, which may
// change it.
// EachPair holds no pairs, so that very many take no memory. Of o it uses Threads, Design and Progress. The error is
// that of
// Pairs, or the first error of do, which ends the search.
func EachPair(ctx context.Context, values []uint64, width, k int, o PairOptions, do func(pairs []uint64) error) error {
	design, ok, err := o.plan(ctx, values, width, k)
	switch {
	case err != nil || k < 0 || len(values) < 2:
		return err
	case ok:
		return join(ctx, values, design, k, o, do)
	}
	return compare(ctx, values, k, o, do, func([]uint64) error { return nil })
}

// plan returns the design by which values are joined, or false if they are compared with each other. The error is
// ErrWidth or that of ctx.
func (o *PairOptions) plan(ctx context.Context, values []uint64, width, k int) (design Design, ok bool, err error) {
	switch err := checkWidths(values, width); {
	case err != nil:
		return design, false, err
	case ctx.Err() != nil:
		return design, false, context.Cause(ctx)
	case k < 0 || len(values) < 2:
		return design, false, nil // there are no pairs
	case o.Design.Width() > 0:
		return o.Design, true, nil
	}
	design, ok = PlanPairs(values, width, k)
	return design, ok, nil
}

const (
	// sampled is about the number of comparisons by which PlanPairs looks at the data. It compares
	// minRows to maxRows values with all others.
	sampled, minRows, maxRows = 8 << 20, 4, 64
)

// PlanPairs returns the design by which Pairs joins values, or false if Pairs compares all values with
// each other. It compares some values with all to estimate the number of pairs, and finds the
// discriminating bits. planJoin chooses the design for these.
//
// planJoin alone would know uniform values only. Where a good part of all pairs are near, comparing each
// value with each is faster than finding most pairs again in table after table.
func PlanPairs(values []uint64, width, k int) (Design, bool) {
	n := len(values)
	rows := min(max(minRows, min(maxRows, sampled/max(n, 1))), n/8+1)
	var found []hamming.Match
	near := 0
	for i := range min(rows, n) {
		found = hamming.Scan(found[:0], values, values[i*n/rows], k)
		near += len(found) - 1 // without the value itself
	}
	pairs := float64(near) / float64(rows) * float64(n) / 2
	mask := discriminating(n, func(i int) uint64 { return values[i] })
	if dividing := bits.OnesCount64(mask); dividing > k && dividing < width {
		design, ok := planJoin(dividing, n, k, pairs)
		if ok {
			design = design.spread(width, mask)
		}
		return design, ok
	}
	return planJoin(width, n, k, pairs)
}

// rowsPerTask is how many values a task compares with all others: enough that handing over its result
// takes little of the time, and few enough that the result is small.
const rowsPerTask = 64

// compare finds pairs by comparing all values with each other. It calls do with some at a time, from several
// goroutines, or, if do is nil, take with the pairs of some values after the other, in order. Pairs are as those of
// EachPair.
func compare(ctx context.Context, values []uint64, k int, o PairOptions, do, take func(pairs []uint64) error) error {
	type found struct {
		row   []hamming.Match
		pairs []uint64
	}
	free := sync.Pool{New: func() any { return new(found) }}
	rows := func(ctx context.Context, task int) ([]uint64, error) {
		f := free.Get().(*found)
		defer free.Put(f)
		f.pairs = f.pairs[:0]
		for a := task * rowsPerTask; a < min(len(values), (task+1)*rowsPerTask); a++ {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			f.row = hamming.Scan(f.row[:0], values[a+1:], values[a], k)
			for _, m := range f.row {
				f.pairs = append(f.pairs, uint64(a)<<32|uint64(a+1+int(m.Index)))
			}
			if do != nil && len(f.pairs) >= pairsPerAdd {
				if err := do(f.pairs); err != nil {
					return nil, err
				}
				f.pairs = f.pairs[:0]
			}
		}
		if do != nil {
			return nil, do(f.pairs)
		}
		return slices.Clone(f.pairs), nil
	}
	return o.ordered(ctx, (len(values)+rowsPerTask-1)/rowsPerTask, rows, take)
}

// ordered does the tasks of some parts of the work, and calls take with the results, in order.
func (o *PairOptions) ordered(ctx context.Context, parts int, task func(ctx context.Context, i int) ([]uint64, error), take func(pairs []uint64) error) error {
	done := 0
	return parallel.Ordered(ctx, o.Threads, parts, task, func(pairs []uint64) error {
		if done++; o.Progress != nil {
			o.Progress(done, parts)
		}
		return take(pairs)
	})
}

// pairsPerAdd is about the number of pairs that are handed over at a time.
const pairsPerAdd = 1 << 14

// join calls do with the pairs of values that agree on a header of a design, as EachPair does.
func join(ctx context.Context, values []uint64, design Design, k int, o PairOptions, do func(pairs []uint64) error) error {
	how := selfjoin.Options{Threads: o.Threads, Memory: o.Memory, Progress: o.Progress}
	how.Plan = func(values []uint64, width, k int) (h selfjoin.Headers, ok bool) {
		design, ok := PlanPairs(values, width, k)
		return selfjoin.Headers{Width: width, Masks: design.Headers()}, ok
	}
	return selfjoin.Each(ctx, values, selfjoin.Headers{Width: design.Width(), Masks: design.Headers()}, k, how, do)
}
