// Package tables finds the fingerprints within a Hamming distance k, or all pairs of them, by
// block-permuted sorted tables. The answer is exactly that of a linear scan.
//
//	t := tables.Build(fingerprints, tables.Choose(64, len(fingerprints), 3, 0).Design)
//	matches, err := t.Near(nil, query, 3)
//
// There is a table for each header of a Design. It holds every fingerprint with the bits of the header
// permuted to the top, in ascending order, so that fingerprints with the same header are neighbours.
// A query looks up its own header, and compares the entries that have it.
//
// Source: Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling", WWW 2007, section 3
// (https://doi.org/10.1145/1242572.1242592). They find a header by binary search. Here a bit for each few
// entries leads to the cache line that has them (lines.go). The tables of Combinations
// are theirs, and are searched as they do.
package tables

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/ints"
	"simsearch/internal/kernels"
	"simsearch/internal/lines"
	"simsearch/internal/section"
)

// These ways to build a table were tried and dropped:
//
//   - Finding the whole header by a binary search. At k = 1 among a hundred thousand fingerprints, the binary search took half of
//     the time of a query. Now a query looks up only about the first log2 n bits of it. The entries that differ in the rest of the
//     header are few, and are compared in vain.
//   - Sorting entries by all of their bits. That doubles the time to build a table. The header alone
//     decides what is found. Entries of one header keep the order of the values, so that the bytes of
//     a table are canonical all the same.

// Tables are an immutable set of distinct fingerprints that can be searched. They are safe for
// concurrent use.
type Tables struct {
	design      Design
	values      []uint64       // strictly ascending; the entries of the first table
	valuesGuard *section.Guard // nil in memory
	// dir leads from the highest bits of a value to the values that have them: from what is known of an entry to its values.
	dir      ints.Directory
	dirGuard *section.Guard
	tables   []table
	ways     [hamming.MaxBits + 1]way // by distance, once they are planned
	planned  [hamming.MaxBits + 1]sync.Once
	prices   prices

	heavy  []heavyRuns // of each table
	memory *heavyMemory
	tuning tuning

	startsSound, linesSound *soundness // of these parts of the tables

	later *later // nil unless the tables are yet to be made
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

var defaultTuning = tuning{patience: 1 << 10, sortQueries: 1 << 12, sortValues: 1 << 20, headers: 1 << 19, keepMatches: 1 << 20}

// A table holds all fingerprints under one permutation. The entries of the first table are the values, and it has no lines.
type table struct {
	perm Permutation
	lines.Buckets
	entries      []uint64 // of a table by hand alone, ascending
	entriesGuard *section.Guard

	search  int    // bits of the header that a search looks up: those of the buckets, which may be fewer, or all in a table by hand
	mask    uint64 // these bits in a fingerprint
	unknown uint64 // the bits of a fingerprint that neither they nor the word of an entry tell
}

// Build returns the tables of design over values. values must be strictly ascending, below
// 1<<design.Width(), and fewer than 1<<32. Build panics with ErrWidth if the last of them is not below
// 1<<design.Width().
//
// The tables keep values, which must not be changed afterwards. The first table is the values, with half a byte more for each. Each
// other table takes 5 to 7 bytes for each value. Tables of Combinations take 8 bytes.
func Build(values []uint64, design Design) *Tables {
	if err := checkWidths(values, design.Width()); err != nil {
		panic(err)
	}
	t := &Tables{design: design, values: values, dir: design.outlineDirectory(len(values))}
	t.outline()
	t.fill()
	t.finish()
	return t
}

// finish sets the fields that follow from the tables.
func (t *Tables) finish() {
	t.heavy, t.tuning = make([]heavyRuns, len(t.tables)), defaultTuning
	t.startsSound = newSoundness(func(g *lines.Guards) *section.Guard { return g.Starts })
	t.linesSound = newSoundness(func(g *lines.Guards) *section.Guard { return g.Lines })
	t.memory = new(heavyMemory)
	t.SetHeavyBudget(int64(max(minHeavyBudget, 2*t.Bytes())))
	t.prices = pricesOf(costsFor(len(t.values)))
}

// outline returns table i of n values, without its contents.
func (d Design) outline(n, i int) table {
	perm := d.permutations[i]
	t := table{perm: perm, search: d.searchBits(n, i)}
	t.mask = perm.invert(lowBits(t.search) << (perm.Width() - t.search))
	switch {
	case d.byHand():
	case i == 0:
		t.unknown = ^t.mask & lowBits(d.width)
	default:
		t.Buckets = lines.Outline(n, perm.HeaderBits(), d.width, i)
		t.unknown = perm.invert(lowBits(max(0, 32-t.Base-int(t.Up))))
	}
	return t
}

// outlineDirectory returns the directory of n values, without its contents: it resolves some of the bits of the first header, so that
// eight to sixteen values have the same. Tables by hand have none.
func (d Design) outlineDirectory(n int) ints.Directory {
	if d.byHand() {
		return ints.OutlineDirectory(d.width, 0)
	}
	return ints.OutlineDirectory(d.width, d.searchBits(n, 0))
}

// newTable returns table i of values. Its entries are sorted by bucket; entries of one bucket keep the order of
// values. Those of a table by hand are sorted by the whole header, and so altogether: permutations keep the order of the
// other bits. scratch has twice the length of values.
func (d Design) newTable(values []uint64, i int, scratch []uint64) table {
	t := d.outline(len(values), i)
	perm := t.perm
	if i == 0 {
		return t
	}
	bits := t.Bits
	if d.byHand() {
		bits = perm.HeaderBits()
	}
	// Sorting is by at least one bit.
	entries := ints.SortMapped(scratch[:len(values)], scratch[len(values):], values, perm.Width()-max(1, bits), perm.ApplyAll)
	if d.byHand() {
		t.entries = slices.Clone(entries)
	} else {
		t.Build(entries)
	}
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
func (t *Tables) Bytes() int {
	size := 8*len(t.values) + 4*int(t.dir.Len())
	for i := range t.tables {
		size += t.tables[i].Bytes() + 8*len(t.tables[i].entries)
	}
	return size
}

// Check returns an error if the tables break a rule of docs/FORMAT.md that checksums do not tell: the values ascend, and
// each line of each table has the words of the values that belong there. All bytes must have passed their checksums. The error is a
// *section.CorruptError that names a section. Check reads all tables once, and takes no memory. Of older tables it reads the values.
func (t *Tables) Check() error {
	if err := t.checkValues(); err != nil || t.Older() {
		return err
	}
	at := 0
	for slot := range t.dir.Len() - 1 {
		lo, hi, ok := t.dir.Entries(slot, slot, len(t.values))
		if !ok || lo != at || lo < hi && (t.dir.Slot(t.values[lo]) != slot || t.dir.Slot(t.values[hi-1]) != slot) {
			return t.dirGuard.Corruptf(4*slot, "slot %#x leads to values [%d, %d) of %d, behind %d", slot, lo, hi, len(t.values), at)
		}
		at = hi
	}
	if at != len(t.values) {
		return t.dirGuard.Corruptf(4*(t.dir.Len()-1), "the directory ends at %d of %d values", at, len(t.values))
	}
	for i := range t.tables {
		check := t.tables[i].checkLines
		switch {
		case i == 0:
			continue
		case t.design.byHand():
			check = t.tables[i].checkEntries
		}
		if err := check(t.values); err != nil {
			return fmt.Errorf("table %d: %w", i, err)
		}
	}
	return nil
}

// checkValues checks that the values are distinct fingerprints, in ascending order.
func (t *Tables) checkValues() error {
	if err := t.valuesGuard.CheckAll(); err != nil {
		return err
	}
	for i, x := range t.values {
		if i > 0 && x <= t.values[i-1] || x&^lowBits(t.design.Width()) != 0 {
			return t.valuesGuard.Corruptf(8*uint64(i), "value %d is %#x, behind %#x", i, x, t.values[max(i, 1)-1])
		}
	}
	return nil
}

// errOtherEntries is the error of a table that has other entries than the values.
var errOtherEntries = &section.CorruptError{Section: "tables", Offset: -1, Reason: "its entries are not the values of the first table"}

// checkEntries checks a table by hand.
func (t *table) checkEntries(values []uint64) error {
	sum := uint64(0)
	for i, x := range t.entries {
		if i > 0 && x <= t.entries[i-1] {
			return t.entriesGuard.Corruptf(8*uint64(i), "entry %d is not in order", i)
		}
		sum += mixed(t.perm.invert(x)) - mixed(values[i])
	}
	if sum != 0 {
		return errOtherEntries
	}
	return nil
}

// checkLines checks the lines of a table.
func (t *table) checkLines(values []uint64) error {
	begun := uint64(0)
	for i, x := range t.Starts {
		if x>>32 != begun || i == 0 && x&1 == 0 && len(values) > 0 {
			return t.Guards.Starts.Corruptf(8*uint64(i), "%d lines begin before, want %d", x>>32, begun)
		}
		begun += uint64(bits.OnesCount32(uint32(x)))
	}
	if begun != uint64(len(t.Lines)) {
		return t.Guards.Starts.Corruptf(0, "%d lines begin, and there are %d", begun, len(t.Lines))
	}
	sum, more := uint64(0), 0
	for i := range t.Lines {
		words := t.Lines[i][:]
		if n := t.Lines[i].Count(); n <= kernels.LineWords {
			words = words[:n]
		} else {
			lo, hi, err := t.Run(uint64(i))
			if err != nil {
				return err
			}
			if lo != more {
				return t.Guards.Lines.Corruptf(64*uint64(i), "the words of line %d begin at %d, want %d", i, lo, more)
			}
			words, more = t.More[lo:hi], hi
		}
		for _, w := range words {
			sum += mixed(uint64(i)<<32 | uint64(w))
		}
	}
	if more != len(t.More) {
		return t.Guards.More.Corruptf(4*uint64(more), "the words of lines end at %d of %d", more, len(t.More))
	}
	for _, x := range values {
		entry := t.perm.Apply(x)
		sum -= mixed(t.Line(t.Bucket(entry))<<32 | uint64(t.Word(entry)))
	}
	if sum != 0 {
		return errOtherEntries
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
