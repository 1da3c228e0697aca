package tables

import (
	"math/bits"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/kernels"
)

// A search beyond the exact distance looks up many headers, and waits for memory: a run of forty entries is
// three cache lines, which no processor foresees. So it takes a wave of headers through each step before the
// next step, and reads every line of their runs into the cache while it compares the wave before.

// A wave is the runs of up to batchSize headers of one table.
type wave struct {
	table    int
	permuted uint64 // the query under the permutation of the table
	n        int
	lo, hi   [batchSize]uint32
	flip     [batchSize]uint64 // how each header differs from the query's
	low      [batchSize]uint32 // the lowest bits of the query, for each run
}

// nearBeyond looks up the header of q and all headers within the radius in each table. s.count must not be nil.
func (t *Tables) nearBeyond(dst []hamming.Match, s search) ([]hamming.Match, error) {
	two := waves.Get().(*[2]wave)
	defer waves.Put(two)
	next, last := &two[0], &two[1]
	last.n = 0
	var touched uint32
	for i := range t.tables {
		if tb := &t.tables[i]; s.way.look[i] >= 0 {
			touched |= tb.dir.Starts[tb.perm.Apply(s.q)>>tb.dir.Shift]
		}
	}
	keep(touched)
	for i := range t.tables {
		if s.way.look[i] < 0 {
			continue
		}
		tb := &t.tables[i]
		permuted := tb.perm.Apply(s.q)
		header := permuted >> tb.dir.Shift
		next.begin(tb, i, permuted)
		for r := 0; r <= min(int(s.way.look[i]), tb.dir.Bits, s.k); r++ {
			flip := lowBits(r)
			headers := int(Ball(tb.dir.Bits, r) - Ball(tb.dir.Bits, r-1))
			for headers > 0 {
				some := min(headers, batchSize-next.n)
				headers -= some
				var err error
				if flip, err = t.lookUp(next, header, flip, some); err != nil {
					return dst, err
				}
				if !s.count.looked(some) {
					return dst, errScan
				}
				if next.n < batchSize {
					continue
				}
				t.fetch(next)
				if dst, err = t.compareWave(dst, last, s); err != nil {
					return dst, err
				}
				next, last = last, next
				next.begin(tb, i, permuted)
			}
		}
		if next.n > 0 {
			t.fetch(next)
			var err error
			if dst, err = t.compareWave(dst, last, s); err != nil {
				return dst, err
			}
			next, last = last, next
		}
	}
	return t.compareWave(dst, last, s)
}

// begin empties the wave, for table i.
func (w *wave) begin(tb *table, i int, permuted uint64) {
	w.table, w.permuted, w.n = i, permuted, 0
	low := uint32(permuted & tb.tails.mask)
	for j := range w.low {
		w.low[j] = low
	}
}

// lookUp adds the runs of n headers, which differ from header in flip and in the following differences of as many
// bits. It returns the one behind these. The wave must have room for n runs.
func (t *Tables) lookUp(w *wave, header, flip uint64, n int) (uint64, error) {
	dir := &t.tables[w.table].dir
	sound := t.tables[w.table].guards.dir.Whole()
	for range n {
		slot := header ^ flip
		if !sound {
			if err := dir.Check(slot, slot); err != nil {
				return flip, err
			}
		}
		lo, hi := dir.Starts[slot], dir.Starts[slot+1]
		if lo > hi || int(hi) > len(t.values) {
			return flip, dir.Bad(slot, slot, len(t.values))
		}
		w.lo[w.n&(batchSize-1)], w.hi[w.n&(batchSize-1)], w.flip[w.n&(batchSize-1)] = lo, hi, flip
		if lo < hi {
			w.n++
		}
		if flip != 0 {
			flip = NextSubset(flip)
		}
	}
	return flip, nil
}

// fetch reads the runs of a wave into the cache.
func (t *Tables) fetch(w *wave) {
	kernels.Prefetch(t.tables[w.table].tails.low, w.lo[:w.n], w.hi[:w.n], heavyFrom)
}

// compareWave compares the entries of the runs of a wave.
func (t *Tables) compareWave(dst []hamming.Match, w *wave, s search) ([]hamming.Match, error) {
	if w.n == 0 {
		return dst, nil
	}
	tb := &t.tables[w.table]
	if g := &tb.guards; !g.low.Whole() {
		for j := range w.n {
			if err := g.checkLow(int(w.lo[j]), int(w.hi[j])); err != nil {
				return dst, err
			}
		}
	}
	// Headers are in the order of their differences: the first one leaves the most bits for the tails.
	passed := ^uint64(0) >> (batchSize - w.n)
	if within := s.k - bits.OnesCount64(w.flip[0]); within < manyPass {
		var heavy uint64
		entries := 0
		for j, lo := range w.lo[:w.n] {
			if w.hi[j]-lo > heavyFrom {
				heavy |= 1 << j
				w.hi[j] = lo // compared below
			}
		}
		passed = kernels.RunsWithin32(tb.tails.low, w.lo[:], w.hi[:], w.low[:w.n], min(within, 32))
		for j, lo := range w.lo[:w.n] {
			if passed>>j&1 == 0 { // compare counts the entries of the others
				entries += int(w.hi[j] - lo)
			}
		}
		if !s.count.compared(entries) {
			return dst, errScan
		}
		if !t.fetchRest(w, passed, within, s.count) {
			return dst, errScan
		}
		for ; heavy != 0; heavy &= heavy - 1 {
			j := bits.TrailingZeros64(heavy)
			w.hi[j] = tb.dir.Starts[w.permuted>>tb.dir.Shift^w.flip[j]+1]
			passed |= 1 << j
		}
	}
	for ; passed != 0; passed &= passed - 1 {
		j := bits.TrailingZeros64(passed)
		var err error
		if dst, err = t.compare(dst, w.table, int(w.lo[j]), int(w.hi[j]), w.permuted, w.flip[j], s); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// fetchRest reads what compare reads of the runs in a mask beyond the lowest 32 bits, and reports whether the
// search goes on.
func (t *Tables) fetchRest(w *wave, mask uint64, within int, count *tally) bool {
	tails := &t.tables[w.table].tails
	var rest uint64
	for ; mask != 0; mask &= mask - 1 {
		j := bits.TrailingZeros64(mask)
		for lo, hi := int(w.lo[j]), int(w.hi[j]); lo < hi; lo += 64 {
			some := kernels.MaskWithin32(tails.low[lo:min(hi, lo+64)], w.low[j], min(within, 32))
			if !count.spend(int64(bits.OnesCount64(some)) * count.price.passed) {
				return false
			}
			for ; some != 0; some &= some - 1 {
				rest |= tails.touch(lo + bits.TrailingZeros64(some))
			}
		}
	}
	keep(uint32(rest))
	return true
}

// waves are the memory of searches beyond the exact distance.
var waves = sync.Pool{New: func() any { return new([2]wave) }}
