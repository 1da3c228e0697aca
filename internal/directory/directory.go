// Package directory finds entries of a sorted list by the first bits of their keys, without a
// binary search: a list of where each value of these bits begins.
package directory

import "math/bits"

// A Directory is the directory of a list of n < 1<<32 entries that are sorted by their keys. It
// resolves the Bits highest bits of a key, its slot. It is safe for concurrent use.
type Directory struct {
	// Starts has 1<<Bits + 1 elements: the entries of slot x are [Starts[x], Starts[x+1]).
	// Those of a file must not be believed before Check.
	Starts []uint32
	Shift  uint // key >> Shift is the slot: the width of a key less Bits
	Bits   int
	guard  Guard // nil where Starts need no checking
}

// A Guard checks what lies in a file at its first use, as section.Guard does.
type Guard interface {
	// Check returns an error unless the bytes [from, to) of the directory are sound.
	Check(from, to uint64) error
	// Corruptf returns an error about byte at of the directory.
	Corruptf(at uint64, format string, args ...any) error
}

// Bits returns how many bits a directory of n entries resolves, at most keyBits. A slot holds one
// to two entries on average where spare is 0, and 1<<spare times as many otherwise.
func Bits(n, keyBits, spare int) int { return min(keyBits, max(0, bits.Len(uint(n))-1-spare)) }

// Outline returns a directory of so many bits of keys of width bits, without Starts.
func Outline(width, bits int) Directory { return Directory{Shift: uint(width - bits), Bits: bits} }

// Len returns how many elements Starts has.
func (d *Directory) Len() uint64 { return 1<<d.Bits + 1 }

// Build makes Starts. keys are sorted by their slots.
func (d *Directory) Build(keys []uint64) {
	d.Starts = make([]uint32, d.Len())
	for _, key := range keys {
		d.Starts[key>>d.Shift+1]++ // where Shift is 64, the slot is 0
	}
	for i := 1; i < len(d.Starts); i++ {
		d.Starts[i] += d.Starts[i-1]
	}
}

// Use takes Starts from a file, Len() of them, which guard checks.
func (d *Directory) Use(starts []uint32, guard Guard) { d.Starts, d.guard = starts, guard }

// Slot returns the slot of a key.
func (d *Directory) Slot(key uint64) uint64 { return key >> d.Shift }

// Check checks what Starts says of the slots [first, last].
func (d *Directory) Check(first, last uint64) error {
	if d.guard == nil {
		return nil
	}
	return d.guard.Check(4*first, 4*last+8)
}

// Entries returns the entries [lo, hi) of the slots [first, last], which have been checked. ok is
// false if these are no range of n entries, as a file that was made to deceive may have it.
func (d *Directory) Entries(first, last uint64, n int) (lo, hi int, ok bool) {
	lo, hi = int(d.Starts[first]), int(d.Starts[last+1])
	return lo, hi, lo <= hi && hi <= n
}

// Bad returns the error of slots [first, last] that lead to no range of n entries.
func (d *Directory) Bad(first, last uint64, n int) error {
	lo, hi := d.Starts[first], d.Starts[last+1]
	return d.guard.Corruptf(4*first, "slots %#x to %#x lead to entries [%d, %d) of %d", first, last, lo, hi, n)
}
