// Package tables finds the fingerprints within a Hamming distance k, or all pairs of them, by
// block-permuted sorted tables. The answer is exactly that of a linear scan.
//
//	t := tables.Build(fingerprints, tables.Choose(64, len(fingerprints), 3, 0).Design)
//	matches, err := t.Near(nil, query, 3)
//
// There is a table for each header of a Design. It holds every fingerprint with the bits of the header
// permuted to the top, sorted by the header, so that fingerprints with the same header are neighbours.
// A query looks up its own header by binary search, and compares the entries that have it.
//
// Source: Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling", WWW 2007, section 3
// (https://doi.org/10.1145/1242572.1242592). The first steps of the binary search are one look into a
// directory over the first bits of the header, about log2 n of them. It mostly leads to one or two entries.
// Where it leads to many, the binary search goes on in the rest of the header.
package tables

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"simsearch/hamming"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// These ways to lay out a table were tried and dropped:
//
//   - Finding the whole header in every look-up. At k = 1 among a hundred thousand fingerprints, the binary
//     search behind the directory took half of the time of a query. The one or two entries that differ in
//     the rest of the header are compared in vain.
//   - Sorting entries by all of their bits. That doubles the time to build a table. The header alone
//     decides what is found. Entries of one header keep the order of the values, so that the bytes of
//     a table are canonical all the same.
//   - Huge pages for tables and scratch memory. No query, join or build among ten million fingerprints
//     was faster by more than the noise (go test ./tables -bench 'Near/n=10000000/k=3'). Go's heap has
//     no way to take the mark back.

// Tables are an immutable set of distinct fingerprints that can be searched. They are safe for
// concurrent use.
type Tables struct {
	design  Design
	values  []uint64 // strictly ascending; the entries of the first table
	tables  []table
	ways    [hamming.MaxBits + 1]way // by distance, once they are planned
	planned [hamming.MaxBits + 1]sync.Once
	prices  prices

	heavy  []heavyRuns // of each table
	long   int         // the number of entries above which a run is heavy
	memory *heavyMemory
	tuning tuning

	checked atomic.Bool // as sound says
}

// tuning has the parameters that choose between ways to the same answer. Tests change them.
type tuning struct {
	// patience is how often a heavy run is compared before tables of it are made: the cost of making
	// tables of one entry, as a number of entries compared.
	patience int
	// A batch of at least sortQueries headers among at least sortValues values, which exceed the second
	// cache, is sorted for each table.
	sortQueries, sortValues int
	// headers is about the largest number of headers that a batch looks up in one table at a time.
	headers int
	// keepMatches is the largest number of matches of a batch that are kept until they are yielded in
	// order.
	keepMatches int
}

var defaultTuning = tuning{patience: 1 << 10, sortQueries: 1 << 14, sortValues: 1 << 20, headers: 1 << 19, keepMatches: 1 << 20}

// A table holds all fingerprints under one permutation.
type table struct {
	perm Permutation
	// dir leads from the highest bits of an entry, the search header, to the entries that have it.
	// The header of the design may be longer: withHeader finds the entries that agree on all of it.
	dir    ints.Directory
	tails  tails
	guards guards
}

// Build returns the tables of design over values. values must be strictly ascending, below
// 1<<design.Width(), and fewer than 1<<32. Build panics with ErrWidth if the last of them is not below
// 1<<design.Width().
//
// The tables keep values, which must not be changed afterwards. For fingerprints of 64 bits, the first table takes 12
// bytes per entry. Each other table takes 6 bytes per entry, or 8 if there are fewer than 1<<16 entries. A directory
// takes another 2 to 4 bytes per entry. Dense tables are made by WriteParts alone: of their design, Build makes
// others.
func Build(values []uint64, design Design) *Tables {
	design.slots = 0
	if err := checkWidths(values, design.Width()); err != nil {
		panic(err)
	}
	t := &Tables{design: design, values: values}
	scratch := disk.LargePages(make([]uint64, 2*len(values)))
	for i := range design.Permutations() {
		t.tables = append(t.tables, design.newTable(values, i, scratch))
	}
	t.finish()
	return t
}

// finish sets the fields that follow from the tables.
func (t *Tables) finish() {
	t.heavy, t.long, t.tuning = make([]heavyRuns, len(t.tables)), heavyFrom, defaultTuning
	if t.design.slots > 0 {
		t.long = max(heavyFrom, 8*len(t.values)>>t.design.HeaderBits())
	}
	t.memory = new(heavyMemory)
	t.SetHeavyBudget(int64(max(minHeavyBudget, 2*t.Bytes())))
	t.prices = pricesOf(searchCosts(len(t.values)))
}

// outline returns table i of n values, without its contents.
func (d Design) outline(n, i int) table {
	t := table{perm: d.permutations[i], dir: ints.OutlineDirectory(d.width, directoryBits(n, d.permutations[i].HeaderBits()))}
	if d.slots > 0 && i > 0 {
		t.tails.slots, t.tails.n = d.outlineSlots(), n
	}
	return t
}

// newTable returns table i of values. Its entries are sorted by header, and so altogether: those of one header keep the
// order of values, and permutations keep the order of the other bits. scratch has twice the length of values.
func (d Design) newTable(values []uint64, i int, scratch []uint64) table {
	t := d.outline(len(values), i)
	perm := t.perm
	if perm.identity() {
		t.dir.Build(values)
		t.tails = newTails(values, t.dir.Shift, true)
		return t
	}
	entries := ints.SortMapped(scratch[:len(values)], scratch[len(values):], values, perm.Width()-perm.HeaderBits(), perm.ApplyAll)
	t.dir.Build(entries)
	t.tails = newTails(entries, t.dir.Shift, false)
	return t
}

// Design returns the design of the tables.
func (t *Tables) Design() Design { return t.design }

// Values returns the fingerprints in ascending order. The caller must not change them. Match.Index is an
// index of this slice. After Load, the values must not be used before the file has been verified.
func (t *Tables) Values() []uint64 { return t.values }

// Len returns the number of fingerprints.
func (t *Tables) Len() int { return len(t.values) }

// Bytes returns the memory of the tables in bytes, values included. HeavyBytes returns the memory of
// the tables of heavy runs, which queries make.
func (t *Tables) Bytes() int { return bytesOf(len(t.values), t.design) }

// bytesOf returns the memory of the tables of a design over n values in bytes.
func bytesOf(n int, design Design) int {
	size := 8 * n
	for i := range design.Permutations() {
		tb := design.outline(n, i)
		size += 4*int(tb.dir.Len()) + tb.tails.bytes(n, tb.dir.Shift, i == 0, design.slots > 0)
	}
	return size
}

// run returns the range of the entries of table i that have the search header h.
func (t *Tables) run(i int, h uint64) (lo, hi int) {
	tb := &t.tables[i]
	if !tb.guards.dir.Whole() {
		tb.dir.Check(h, h)
	}
	lo, hi, ok := tb.dir.Entries(h, h, len(t.values))
	if !ok {
		panic(tb.dir.Bad(h, h, len(t.values)))
	}
	return lo, hi
}

// rank returns the index of x in the values, by the first table.
func (t *Tables) rank(x uint64) int {
	first := &t.tables[0]
	lo, hi := t.run(0, x>>first.dir.Shift)
	first.guards.checkRest(lo, hi)
	i, found := slices.BinarySearch(t.values[lo:hi], x)
	if !found {
		panic(first.guards.rest.Corruptf(8*uint64(lo), "fingerprint %0*x stands in one table and not in the first", first.perm.Width()/4, x))
	}
	return lo + i
}

// Check returns an error if the tables break a rule of internal/ground/section/FORMAT.md that checksums do not tell:
// the values ascend, and each table holds them all, in its order. All bytes must have passed their checksums. The
// error is a *section.CorruptError that names a section. Check reads all tables once, and takes no memory.
func (t *Tables) Check() error {
	sum := uint64(0)
	for i, x := range t.values {
		if i > 0 && x <= t.values[i-1] || x&^lowBits(t.design.Width()) != 0 {
			return t.tables[0].guards.rest.Corruptf(8*uint64(i), "value %d is %#x, behind %#x", i, x, t.values[max(i, 1)-1])
		}
		sum += mixed(x)
	}
	for i := range t.tables {
		if err := t.tables[i].check(len(t.values), sum); err != nil {
			return fmt.Errorf("table %d: %w", i, err)
		}
	}
	return nil
}

// check checks a table of n values, of which mixed sums up to sum.
func (t *table) check(n int, sum uint64) error {
	dir, guard := t.finest()
	if err := t.checkSlots(); err != nil {
		return err
	}
	at, before := 0, uint64(0) // the entry before
	for slot := range dir.Len() - 1 {
		lo, hi, ok := dir.Entries(slot, slot, n)
		if !ok || lo != at {
			return guard.Corruptf(4*slot, "slot %#x leads to entries [%d, %d) of %d, behind %d", slot, lo, hi, n, at)
		}
		for ; at < hi; at++ {
			tail := t.tails.below(at)
			entry := slot<<dir.Shift | tail
			switch {
			case tail&^lowBits(int(dir.Shift)) != 0 || t.tails.low != nil && t.tails.low[at] != uint32(tail):
				return guard.Corruptf(4*slot, "entry %d has bits %#x, more than its tail, or not its lowest bits", at, tail)
			case t.tails.full != nil && t.tails.full[at] != entry:
				return guard.Corruptf(4*slot, "entry %d is %#x, not in slot %#x", at, t.tails.full[at], slot)
			case entry < before:
				return guard.Corruptf(4*slot, "entry %d is not in order", at)
			}
			sum -= mixed(t.perm.invert(entry))
			before = entry
		}
	}
	if at != n || sum != 0 {
		return &section.CorruptError{Section: "tables", Offset: -1, Reason: "its entries are not the values of the first table"}
	}
	return nil
}

// mixed returns a number by which sums of values tell most sets of values from others: the finalizer of MurmurHash3
// (A. Appleby).
func mixed(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33 + 1
}

// ErrWidth is returned for a query or a value that has bits at or above the width of the tables. Such a
// value has no place in them, and the matches of such a query would depend on the way of searching.
var ErrWidth = errors.New("tables: a fingerprint has too many bits")

// checkWidth returns ErrWidth if x is not below 1<<width.
func checkWidth(x uint64, width int) error {
	if x>>width != 0 {
		return fmt.Errorf("%w: %016x where %d are wanted", ErrWidth, x, width)
	}
	return nil
}

// checkWidths is checkWidth for all of values, which are ascending.
func checkWidths(values []uint64, width int) error {
	if len(values) == 0 {
		return nil
	}
	return checkWidth(values[len(values)-1], width)
}
