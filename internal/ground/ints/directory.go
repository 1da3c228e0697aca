package ints

import (
	"math/bits"

	"simsearch/internal/ground/disk"
)

// A Directory is the directory of a list of n < 1<<32 entries that are sorted by their keys. It
// resolves the Bits highest bits of a key, its slot. It is safe for concurrent use.
type Directory struct {
	// Starts has 1<<Bits + 1 elements: the entries of slot x are [Starts[x], Starts[x+1]).
	// If they come from a file, they must not be used before Check.
	Starts []uint32
	Shift  uint // the width of a key less Bits: key >> Shift is the slot
	Bits   int
	guard  Guard // nil if Starts needs no checking
}

// A Guard checks bytes of a file when they are first used. A section.Guard is one.
type Guard interface {
	// Check panics with a disk.Damage if the bytes [from, to) of the directory are damaged.
	Check(from, to uint64)
	// Corruptf returns an error about byte at of the directory.
	Corruptf(at uint64, format string, args ...any) error
}

// DirectoryBits returns the number of bits that a directory of n entries resolves, which is at most keyBits. A slot
// has 1<<spare to 2<<spare entries on average.
func DirectoryBits(n, keyBits, spare int) int { return min(keyBits, max(0, bits.Len(uint(n))-1-spare)) }

// OutlineDirectory returns a directory that resolves the given number of bits of keys of width bits, without
// Starts.
func OutlineDirectory(width, bits int) Directory {
	return Directory{Shift: uint(width - bits), Bits: bits}
}

// Len returns the length of Starts.
func (d *Directory) Len() uint64 { return 1<<d.Bits + 1 }

// Build makes Starts for keys, which are sorted by their slots.
func (d *Directory) Build(keys []uint64) {
	d.Begin()
	for _, key := range keys {
		d.Count(key)
	}
	d.End()
}

// Begin begins to make Starts: Count of each key follows, and End.
func (d *Directory) Begin() { d.Starts = disk.LargePages(make([]uint32, d.Len())) }

// Count counts a key. The keys may come in any order.
func (d *Directory) Count(key uint64) { d.Starts[key>>d.Shift+1]++ } // if Shift is 64, the slot is 0

// End makes Starts of the keys that were counted.
func (d *Directory) End() {
	for i := 1; i < len(d.Starts); i++ {
		d.Starts[i] += d.Starts[i-1]
	}
}

// Use sets Starts to a part of a file, of length Len(), which guard checks.
func (d *Directory) Use(starts []uint32, guard Guard) { d.Starts, d.guard = starts, guard }

// Slot returns the slot of a key.
func (d *Directory) Slot(key uint64) uint64 { return key >> d.Shift }

// Check checks the elements of Starts for the slots [first, last], as its Guard does.
func (d *Directory) Check(first, last uint64) {
	if d.guard != nil {
		d.guard.Check(4*first, 4*last+8)
	}
}

// Entries returns the entries [lo, hi) of the slots [first, last], which have been checked. ok is false if lo and hi
// are not a range of n entries, which a file with valid checksums may have, too.
func (d *Directory) Entries(first, last uint64, n int) (lo, hi int, ok bool) {
	lo, hi = int(d.Starts[first]), int(d.Starts[last+1])
	return lo, hi, lo <= hi && hi <= n
}

// Bad returns the error of slots [first, last] for which Entries is not ok.
func (d *Directory) Bad(first, last uint64, n int) error {
	lo, hi := d.Starts[first], d.Starts[last+1]
	return d.guard.Corruptf(4*first, "slots %#x to %#x lead to entries [%d, %d) of %d", first, last, lo, hi, n)
}
