package tables

import (
	"math/bits"

	"simsearch/hamming"
)

// batchSize is how many queries NearBatch takes through a step together: enough to
// keep as many cache misses in flight as a core has room for, few enough that what
// the steps hand on stays in the first cache.
const batchSize = 64

// NearBatch answers the queries qs as Near does, one after another in their order:
// it calls yield with the number of each query and its matches, which are valid
// during the call. It returns the first error of a query or of yield.
//
// It is several times as fast as Near where tables do not fit the caches, because the
// misses of many queries overlap: every step, of which there are four a table, is
// done for a batch of queries before the next.
func (t *Tables) NearBatch(qs []uint64, k int, yield func(i int, matches []hamming.Match) error) error {
	var b batch
	for start := 0; start < len(qs); start += batchSize {
		part := qs[start:min(len(qs), start+batchSize)]
		if k < 0 || k > t.design.Exact() || t.ways[k].scan || len(t.Values()) == 0 {
			for i, q := range part {
				var err error
				if b.sorted, err = t.Near(b.sorted[:0], q, k); err == nil {
					err = yield(start+i, b.sorted)
				}
				if err != nil {
					return err
				}
			}
			continue
		}
		if err := t.nearBatch(&b, part, k); err != nil {
			return err
		}
		for i := range part {
			if err := yield(start+i, b.take(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// A batch is what the steps of NearBatch hand on.
type batch struct {
	permuted [batchSize]uint64
	low      [batchSize]uint32 // the lowest half of each permuted query's tail
	lo, hi   [batchSize]uint32
	found    []batchMatch
	first    [batchSize]int32 // the last match of each query in found, or -1
	sorted   []hamming.Match
}

// A batchMatch is a match in the list of its query.
type batchMatch struct {
	match hamming.Match
	next  int32 // the one found before it, or -1
}

// nearBatch fills b with the matches of up to batchSize queries.
func (t *Tables) nearBatch(b *batch, qs []uint64, k int) error {
	b.found = b.found[:0]
	for i := range qs {
		b.first[i] = -1
	}
	radii := t.ways[k].radii
	for i := range t.tables {
		if radii[i] < 0 {
			continue
		}
		tb := &t.tables[i]
		tb.perm.ApplyAll(b.permuted[:len(qs)], qs)
		dir, shift, mask := tb.dir, tb.shift&63, tb.tails.mask
		for j, p := range b.permuted[:len(qs)] {
			slot := dir[p>>shift:]
			b.lo[j], b.hi[j] = slot[0], slot[1]
			b.low[j] = uint32(p & mask)
		}
		var touched uint32
		var heavy uint64 // the queries whose runs are
		low := tb.tails.low
		for j, lo := range b.lo[:len(qs)] {
			hi := b.hi[j]
			if lo > hi || int(hi) > len(low) {
				return t.badRun(i, int(lo), int(hi))
			}
			if hi-lo > heavyFrom {
				heavy |= 1 << j
				b.hi[j] = lo // not to be compared below
			}
			if int(lo) < len(low) {
				touched |= low[lo] // fetches the line; the value goes nowhere
			}
		}
		keep(touched)
		passed := hamming.RunsWithin32(low, b.lo[:], b.hi[:], b.low[:len(qs)], min(k, 32))
		for passed |= heavy; passed != 0; passed &= passed - 1 {
			j := bits.TrailingZeros64(passed)
			if heavy>>j&1 != 0 {
				b.hi[j] = dir[b.permuted[j]>>shift+1]
			}
			b.sorted = b.sorted[:0]
			var err error
			if b.sorted, err = t.compare(b.sorted, i, int(b.lo[j]), int(b.hi[j]), b.permuted[j], 0, search{qs[j], k, radii}); err != nil {
				return err
			}
			for _, m := range b.sorted {
				b.found = append(b.found, batchMatch{m, b.first[j]})
				b.first[j] = int32(len(b.found) - 1)
			}
		}
	}
	return nil
}

// take returns the matches of query i in order.
func (b *batch) take(i int) []hamming.Match {
	b.sorted = b.sorted[:0]
	for at := b.first[i]; at >= 0; at = b.found[at].next {
		b.sorted = append(b.sorted, b.found[at].match)
	}
	sortMatches(b.sorted)
	return b.sorted
}
