package tables

import (
	"slices"

	"simsearch/internal/section"
)

// A damaged file may have lost values. Tables are made of values, and do not have all of their bits. So the file has their parity, by
// which a stretch of values that nobody can read is found again, if it is no longer than the parity.

const (
	parityOf   = 32   // values have one of parity, of which
	parityUnit = 2048 // or a multiple are there: a block of the file, or several
)

// parityLen returns the number of elements of the parity of n values.
func parityLen(n int) int {
	return min(n, (n+parityOf*parityUnit-1)/(parityOf*parityUnit)*parityUnit)
}

// parity returns the exclusive or of the values whose numbers have the same remainder, for each remainder.
func parity(values []uint64) []uint64 {
	p := make([]uint64, parityLen(len(values)))
	for i, x := range values {
		p[i%len(p)] ^= x
	}
	return p
}

// Salvage returns the values of the tables in f, some of whose blocks are damaged. It returns nil unless all values are found: if of
// those that have one parity, and of it, one is damaged.
func Salvage(f *section.File) []uint64 {
	t, err := Load(f)
	if err != nil {
		return nil
	}
	values := slices.Clone(t.values)
	p, err := section.Integers[uint64](f, sectionParity, uint64(parityLen(len(values))))
	for i := range values {
		if t.valuesGuard.Check(8*uint64(i), 8*uint64(i)+8) == nil {
			continue
		}
		if err != nil {
			return nil // written before there was a parity
		}
		if values[i], err = p.At(uint64(i % p.Len())); err != nil {
			return nil
		}
		for j := i % p.Len(); j < len(values); j += p.Len() {
			if j == i {
				continue
			}
			if t.valuesGuard.Check(8*uint64(j), 8*uint64(j)+8) != nil {
				return nil
			}
			values[i] ^= t.values[j]
		}
	}
	if !slices.IsSorted(values) {
		return nil
	}
	return values
}
