package tables

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"simsearch/internal/kernels"
)

// Where headers are much longer than what a directory resolves, as for distance 1, most queries share no header with
// any value. A filter says so by one bit a table: it has a bit for each value of the first bits of the header, a few
// more than the directory resolves, and that bit is set if a value has them. It takes two bytes a fingerprint and table
// at most, and stays in the second cache where the directories and the entries do not.
//
// A search leaves out the tables whose lane says so. Then the first of the others shows a match.

// filterBits returns how many bits of a header a lane resolves for n values: one bit of 8 to 16 is set if they are
// uniform.
func filterBits(n int) int { return bits.Len(uint(8*n - 1)) }

// A filter leaves out tables in which no value shares the header of a query.
type filter struct {
	lanes []lane
	ways  [maxFiltered][1 << maxFiltered]way // by distance, and by the set of tables that are not left out
}

// A lane is the filter of one table.
type lane struct {
	moves kernels.Moves // those of the table
	shift uint
	seen  []uint64 // a bit for each value of a permuted fingerprint above shift
}

// filtering is the state of the filter of some tables, which is made when searches have been asked for.
type filtering struct {
	wanted bool // whether headers are long enough
	asked  atomic.Int64
	making atomic.Bool
	made   atomic.Pointer[filter]
}

// wantsFilter reports whether a filter would exclude most queries among uniform values.
func wantsFilter(t *Tables) bool {
	if len(t.values) == 0 || len(t.tables) > maxFiltered || t.design.exact >= maxFiltered || t.design.byHeader() {
		return false
	}
	for i := range t.tables {
		if t.tables[i].perm.HeaderBits() < filterBits(len(t.values)) {
			return false
		}
	}
	return true
}

// maxFiltered is the largest number of tables with a filter: of uniform queries, a lane lets one of 8 to 16 pass.
const maxFiltered = 4

// left returns the set of tables in which a value may have the header of q: bit i stands for table i.
func (f *filter) left(q uint64) (tables uint64) {
	for i := range f.lanes {
		l := &f.lanes[i]
		header := l.moves.Apply(q) >> (l.shift & 63)
		tables |= l.seen[header>>6] >> (header & 63) & 1 << i
	}
	return tables
}

// way returns the way of a query within the exact distance k, or nil if the query has no match. It counts the queries
// asked, and makes a filter when there have been so many that it would have paid.
func (f *filtering) way(t *Tables, q uint64, k int) *way {
	if f := f.made.Load(); f != nil {
		tables := f.left(q)
		if tables == 0 {
			return nil
		}
		return &f.ways[k][tables]
	}
	// One query in 64 counts for all of them, so that goroutines do not wait for one another's counts.
	const golden = 0x9e3779b97f4a7c15
	if bits.LeadingZeros64(q*golden) >= 6 {
		f.ask(t, 64)
	}
	return &t.ways[k]
}

// ask counts queries, and makes a filter if it is time.
func (f *filtering) ask(t *Tables, queries int) {
	if f.asked.Add(int64(queries)) >= int64(len(t.values)/t.tuning.filterFrom) && f.making.CompareAndSwap(false, true) {
		f.make(t)
	}
}

// make makes the filter. If the values are corrupt, it makes none: searches tell of what they meet.
func (f *filtering) make(t *Tables) {
	if t.tables[0].guards.checkRest(0, len(t.values)) != nil {
		return
	}
	made := new(filter)
	permuted, prefix := make([]uint64, 1<<12), filterBits(len(t.values))
	for i := range t.tables {
		tb := &t.tables[i]
		l := lane{moves: tb.perm.moves, shift: uint(tb.perm.Width() - prefix), seen: make([]uint64, 1<<max(0, prefix-6))}
		for from := 0; from < len(t.values); from += len(permuted) {
			part := t.values[from:min(len(t.values), from+len(permuted))]
			tb.perm.ApplyAll(permuted, part)
			for _, x := range permuted[:len(part)] {
				header := x >> (l.shift & 63)
				l.seen[header>>6] |= 1 << (header & 63)
			}
		}
		made.lanes = append(made.lanes, l)
	}
	for k := range t.design.exact + 1 {
		for tables := range made.ways[k] {
			made.ways[k][tables] = t.ways[k].only(tables)
		}
	}
	f.made.Store(made)
}

// only returns the way that looks up headers in a set of tables alone: bit i stands for table i.
func (w *way) only(tables int) way {
	o := way{scan: w.scan, scanShared: w.scanShared, radii: slices.Clone(w.radii), look: slices.Clone(w.look)}
	for i := range o.look {
		if tables>>i&1 == 0 {
			o.radii[i], o.look[i] = -1, -1
		}
	}
	return o
}
