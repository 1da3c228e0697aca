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

// A batch does each step for many queries before the next step. A processor overlaps the cache misses of
// a short loop, and not those of a long one.
//
// Tried and kept: the fields of a table are read once for a batch, outside of its loops. A query among
// ten million takes 0.6 µs then, instead of 1.7 µs, since more cache misses fit the window of the
// processor.
//
// Tried and limited: sorting every batch by header, as Manku et al. do. Below 16,384 queries, or where
// the tables fit the second cache, it costs more than it saves. Among ten million fingerprints it saves
// a sixth of the time. So only larger batches are sorted, by the thresholds in tuning.

const (
	// batchSize is how many queries NearBatch takes through each step. Fewer would leave room for more
	// cache misses in flight. With more, what the steps hand on would leave the first cache.
	batchSize = 64

	// sortBits is the number of bits of the header by which many queries are sorted, in one pass.
	sortBits = 11

	// maxChunk is the largest number of queries that are answered at a time.
	maxChunk = 1 << 18
)

// NearBatch answers the queries qs as Near does. It calls yield for each query, in their order, with
// its index in qs and its matches, which are valid during the call.
//
// It is several times as fast as Near if the tables do not fit the caches. Each of the four steps
// of a table is done for a batch of queries before the next step, so that the cache misses of these
// queries overlap. At most 2^18 queries are answered at a time, in 28 bytes per query and 12 bytes
// per match. At most 2^20 matches are kept, or those of a single query if it has more.
//
// The error is ErrWidth, before yield is called, section.ErrCorrupt, or the first error of yield.
func (t *Tables) NearBatch(qs []uint64, k int, yield func(i int, matches []hamming.Match) error) error {
	return t.NearBatchStats(qs, k, nil, yield)
}

// NearBatchStats is like NearBatch and adds its work to stats, unless stats is nil.
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
		b.count = &tally{left: math.MaxInt64}
		defer func() { stats.Add(b.count.stats) }()
	}
	return t.nearChunks(b, qs, k, yield)
}

// nearChunks answers the queries chunk by chunk. It estimates from the last chunk how many queries have
// half of the matches that may be kept: that is the size of the next chunk.
func (t *Tables) nearChunks(b *batch, qs []uint64, k int, yield func(i int, matches []hamming.Match) error) error {
	for start, chunk := 0, batchSize; start < len(qs); {
		part := qs[start:min(len(qs), start+chunk)]
		var matches int
		err := t.nearBatch(b, part, k)
		switch {
		case errors.Is(err, errTooMany) && len(part) > 1:
			chunk = max(1, len(part)/8)
			continue
		case errors.Is(err, errTooMany): // a single query may have any number of matches
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

// yield calls the function for each query of a chunk. The first query of the chunk is query start.
func (b *batch) yield(start, queries int, yield func(i int, matches []hamming.Match) error) error {
	for i := range queries {
		if err := yield(start+i, b.take(i)); err != nil {
			return err
		}
	}
	return nil
}

// errTooMany is returned for a chunk that has more matches than may be kept.
var errTooMany = errors.New("tables: too many matches")

var batches = sync.Pool{New: func() any { return new(batch) }}

// A batch is the memory that NearBatch works in. Steps leave there what the next steps need.
type batch struct {
	permuted, sortedKeys []uint64
	order, sortedOrder   []uint32 // the index of each permuted query
	found                []batchMatch
	first                []int32 // where the last match of each query is in found, or -1
	matches              []hamming.Match
	count                *tally // nil if no counts are wanted

	lo, hi, low [batchSize]uint32 // runs, and the lowest half of each query's tail
}

// A batchMatch is an element of the linked list of the matches of one query.
type batchMatch struct {
	match hamming.Match
	next  int32 // the one found before it, or -1
}

// nearBatch fills b with the matches of qs, of which there are at most maxChunk. The error is
// errTooMany or section.ErrCorrupt.
func (t *Tables) nearBatch(b *batch, qs []uint64, k int) error {
	if len(b.first) < len(qs) {
		b.first, b.permuted, b.order = make([]int32, len(qs)), make([]uint64, len(qs)), make([]uint32, len(qs))
	}
	b.found = b.found[:0]
	for i := range qs {
		b.first[i] = -1
	}
	// The batch query of Manku et al.: queries in the order of their headers meet neighbouring runs.
	sorted := len(qs) >= t.tuning.sortQueries && len(t.values) >= t.tuning.sortValues
	if sorted && len(b.sortedKeys) < len(qs) {
		b.sortedKeys, b.sortedOrder = make([]uint64, len(qs)), make([]uint32, len(qs))
	}
	w := &t.ways[k]
	for i := range t.tables {
		if w.look[i] < 0 {
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
			if err := t.step(b, i, permuted[from:to], order[from:to], qs, k, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// step looks up at most batchSize queries in table i. permuted holds the queries under the permutation
// of the table, and order their indices in qs.
func (t *Tables) step(b *batch, i int, permuted []uint64, order []uint32, qs []uint64, k int, w *way) error {
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
			// The loop below finds runs that are out of range.
			if err := tb.guards.checkLow(int(b.lo[j]), int(b.hi[j])); err != nil {
				return err
			}
		}
	}
	var touched uint32
	var heavy uint64 // a bit for each query that meets a heavy run
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
			touched |= low[lo] | low[hi-1] // reads them into the cache
		}
	}
	keep(touched)
	passed := kernels.RunsWithin32(low, b.lo[:], b.hi[:], b.low[:len(permuted)], min(k, 32))
	var rest uint64
	for few := passed; few != 0; few &= few - 1 {
		// The other parts of the entries are read into the cache before the first is compared.
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
			if (passed|heavy)>>j&1 == 0 { // compare counts the entries of the others
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
		if b.matches, err = t.compare(b.matches[:0], i, int(b.lo[j]), int(hi), permuted[j], 0, search{q: qs[q], k: k, way: w, count: b.count}); err != nil {
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

// take returns the matches of query i in the order that Near promises.
func (b *batch) take(i int) []hamming.Match {
	b.matches = b.matches[:0]
	for at := b.first[i]; at >= 0; at = b.found[at].next {
		b.matches = append(b.matches, b.found[at].match)
	}
	sortMatches(b.matches)
	return b.matches
}
