package tables

import (
	"errors"
	"math"
	"math/bits"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/kernels"
	"simsearch/internal/radix"
)

const (
	// batchSize is how many queries NearBatch takes through a step together: enough to
	// keep as many cache misses in flight as a core has room for, few enough that what
	// the steps hand on stays in the first cache.
	batchSize = 64

	// sortBits is by how many bits of the header many queries are sorted: as one pass does.
	sortBits = 11

	// maxChunk is how many queries are asked together.
	maxChunk = 1 << 18
)

// NearBatch answers the queries qs as Near does, one after another in their order:
// it calls yield with the number of each query and its matches, which are valid
// during the call.
//
// It is several times as fast as Near where tables do not fit the caches, because the
// misses of many queries overlap: every step, of which there are four a table, is
// done for a batch of queries before the next. It takes 28 bytes a query, of at most
// 2^18 queries, and 12 a match of these, of at most 2^20 matches or those of a single query. The
// error is ErrWidth, before anything is answered, section.ErrCorrupt, or the first of yield.
func (t *Tables) NearBatch(qs []uint64, k int, yield func(i int, matches []hamming.Match) error) error {
	return t.NearBatchStats(qs, k, nil, yield)
}

// NearBatchStats is NearBatch, and adds its work to stats. A nil stats counts nothing.
func (t *Tables) NearBatchStats(qs []uint64, k int, stats *Stats, yield func(i int, matches []hamming.Match) error) error {
	for _, q := range qs {
		if err := checkWidth(q, t.design.Width()); err != nil {
			return err
		}
	}
	if k < 0 || k > t.design.Exact() || t.ways[k].scan || len(t.values) == 0 {
		var matches []hamming.Match
		for i, q := range qs {
			var err error
			if matches, err = t.NearStats(matches[:0], q, k, stats); err == nil {
				err = yield(i, matches)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	b := batches.Get().(*batch)
	defer batches.Put(b)
	b.count = nil
	if stats != nil {
		b.count = &tally{left: math.MaxInt}
		defer func() { stats.Add(b.count.stats) }()
	}
	return t.nearChunks(b, qs, k, yield)
}

// nearChunks answers the queries by way of b, as many together as have about half of the matches
// that are kept, by what those before them had.
func (t *Tables) nearChunks(b *batch, qs []uint64, k int, yield func(i int, matches []hamming.Match) error) error {
	for start, chunk := 0, batchSize; start < len(qs); {
		part := qs[start:min(len(qs), start+chunk)]
		var matches int
		err := t.nearBatch(b, part, k)
		switch {
		case errors.Is(err, errTooMany) && len(part) > 1:
			chunk = max(1, len(part)/8)
			continue
		case errors.Is(err, errTooMany): // a single query may have any number of them
			if b.matches, err = t.NearStats(b.matches[:0], part[0], k, b.count.counts()); err == nil {
				matches = len(b.matches)
				err = yield(start, b.matches)
			}
		case err == nil:
			matches = len(b.found)
			if b.count != nil {
				b.count.stats.Queries += int64(len(part))
			}
			err = b.yield(start, len(part), yield)
		}
		if err != nil {
			return err
		}
		start += len(part)
		likely := t.tuning.keepMatches / (2 * (matches/len(part) + 1))
		chunk = max(1, min(maxChunk, 64*len(part), likely))
	}
	return nil
}

// yield hands on the matches of each of so many queries, of which the first has the number start.
func (b *batch) yield(start, queries int, yield func(i int, matches []hamming.Match) error) error {
	for i := range queries {
		if err := yield(start+i, b.take(i)); err != nil {
			return err
		}
	}
	return nil
}

// errTooMany says that a chunk has more matches than are kept.
var errTooMany = errors.New("tables: too many matches")

var batches = sync.Pool{New: func() any { return new(batch) }}

// A batch is what the steps of NearBatch hand on.
type batch struct {
	permuted, sortedKeys []uint64
	order, sortedOrder   []uint32 // the query of each permuted one
	found                []batchMatch
	first                []int32 // the last match of each query in found, or -1
	matches              []hamming.Match
	count                *tally // nil if no counts are wanted

	lo, hi, low [batchSize]uint32 // runs, and the lowest half of each query's tail
}

// A batchMatch is a match in the list of its query.
type batchMatch struct {
	match hamming.Match
	next  int32 // the one found before it, or -1
}

// nearBatch fills b with the matches of up to maxChunk queries. The error is errTooMany if they
// have too many, or section.ErrCorrupt.
func (t *Tables) nearBatch(b *batch, qs []uint64, k int) error {
	if len(b.first) < len(qs) {
		b.first, b.permuted, b.order = make([]int32, len(qs)), make([]uint64, len(qs)), make([]uint32, len(qs))
	}
	b.found = b.found[:0]
	for i := range qs {
		b.first[i] = -1
	}
	// Manku's batch query: neighbours in the order of the headers are near in memory.
	sorted := len(qs) >= t.tuning.sortQueries && len(t.values) >= t.tuning.sortValues
	if sorted && len(b.sortedKeys) < len(qs) {
		b.sortedKeys, b.sortedOrder = make([]uint64, len(qs)), make([]uint32, len(qs))
	}
	radii := t.ways[k].radii
	for i := range t.tables {
		if radii[i] < 0 {
			continue
		}
		permuted, order := b.permuted[:len(qs)], b.order[:len(qs)]
		t.tables[i].perm.ApplyAll(permuted, qs)
		for j := range order {
			order[j] = uint32(j)
		}
		if sorted {
			width := t.tables[i].perm.Width()
			radix.PartitionPairs(b.sortedKeys, b.sortedOrder, permuted, order, width-min(width, sortBits))
			permuted, order = b.sortedKeys[:len(qs)], b.sortedOrder[:len(qs)]
		}
		for from := 0; from < len(qs); from += batchSize {
			to := min(len(qs), from+batchSize)
			if err := t.step(b, i, permuted[from:to], order[from:to], qs, k, radii); err != nil {
				return err
			}
		}
	}
	return nil
}

// step asks table i for up to batchSize of the queries qs: those that order names, permuted.
func (t *Tables) step(b *batch, i int, permuted []uint64, order []uint32, qs []uint64, k int, radii []int8) error {
	tb := &t.tables[i]
	starts, shift, mask, low := tb.dir.Starts, tb.dir.Shift&63, tb.tails.mask, tb.tails.low
	permuted = permuted[:min(len(permuted), batchSize)]
	if !tb.guards.dir.Whole() {
		for _, p := range permuted {
			if err := tb.dir.Check(p>>shift, p>>shift); err != nil {
				return err
			}
		}
	}
	for j, p := range permuted {
		slot := starts[p>>shift:]
		b.lo[j], b.hi[j] = slot[0], slot[1]
		b.low[j] = uint32(p & mask)
	}
	if !tb.guards.low.Whole() {
		for j := range permuted {
			// Where the directory leads astray, the loop below finds it.
			if err := tb.guards.checkLow(int(b.lo[j]), int(b.hi[j])); err != nil {
				return err
			}
		}
	}
	var touched uint32
	var heavy uint64 // the queries whose runs are
	for j, lo := range b.lo[:len(permuted)] {
		hi := b.hi[j]
		if lo > hi || int(hi) > len(low) {
			return tb.dir.Bad(permuted[j]>>shift, permuted[j]>>shift, len(t.values))
		}
		if hi-lo > heavyFrom {
			heavy |= 1 << j
			b.hi[j] = lo // not to be compared below
		}
		if hi > lo {
			touched |= low[lo] | low[hi-1] // fetches the lines; the values go nowhere
		}
	}
	keep(touched)
	passed := kernels.RunsWithin32(low, b.lo[:], b.hi[:], b.low[:len(permuted)], min(k, 32))
	var rest uint64
	for few := passed; few != 0; few &= few - 1 {
		// The parts that tell for sure are fetched before the first is looked at.
		j := bits.TrailingZeros64(few)
		lo, hi := int(b.lo[j]), int(min(b.hi[j], b.lo[j]+64))
		if some := kernels.MaskWithin32(low[lo:hi], b.low[j], min(k, 32)); some != 0 {
			rest |= tb.tails.touch(lo + bits.TrailingZeros64(some))
		}
	}
	keep(uint32(rest))
	if b.count != nil {
		b.count.looked(len(permuted))
		for j, lo := range b.lo[:len(permuted)] {
			if (passed|heavy)>>j&1 == 0 { // compare counts the others
				b.count.compared(int(b.hi[j] - lo))
			}
		}
	}
	for passed |= heavy; passed != 0; passed &= passed - 1 {
		j := bits.TrailingZeros64(passed)
		hi := b.hi[j]
		if heavy>>j&1 != 0 {
			hi = starts[permuted[j]>>shift+1]
		}
		q := order[j]
		var err error
		if b.matches, err = t.compare(b.matches[:0], i, int(b.lo[j]), int(hi), permuted[j], 0, search{qs[q], k, radii, b.count}); err != nil {
			return err
		}
		if len(b.found)+len(b.matches) > t.tuning.keepMatches {
			return errTooMany
		}
		for _, m := range b.matches {
			b.found = append(b.found, batchMatch{m, b.first[q]})
			b.first[q] = int32(len(b.found) - 1)
		}
	}
	return nil
}

// take returns the matches of query i in order.
func (b *batch) take(i int) []hamming.Match {
	b.matches = b.matches[:0]
	for at := b.first[i]; at >= 0; at = b.found[at].next {
		b.matches = append(b.matches, b.found[at].match)
	}
	sortMatches(b.matches)
	return b.matches
}
