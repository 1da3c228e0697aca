package tables

import (
	"simsearch/internal/kernels"
)

// tails are the entries of a table without the bits that the directory implies. Half
// of a fingerprint tells nearly all that are far from nearly all that are near, so that
// the lowest 32 bits lie by themselves: a search reads four bytes an entry, and the
// rest of the few that pass.
type tails struct {
	low []uint32 // the lowest 32 bits
	// Of the bits above, one of these, or none if there are none:
	mid  []uint16 // up to 16 bits
	high []uint32 // up to 32
	// The first table has whole entries, and neither of the others.
	full []uint64
	mask uint64 // the bits of a tail
}

// manyPass is the distance from which so many of 32 random bits agree, one value in
// forty at 10, that both parts are better compared at once.
const manyPass = 10

// outlineTails returns which parts tails of so many bits have, in [0, 64].
func outlineTails(tailBits uint) (mid, high bool) {
	return tailBits > 32 && tailBits <= 48, tailBits > 48
}

// newTails takes the lowest bits of entries. It keeps entries if they are those of the
// first table, and copies what it needs if not.
func newTails(entries []uint64, tailBits uint, first bool) tails {
	t := tails{low: make([]uint32, len(entries)), mask: lowBits(int(tailBits))}
	mid, high := outlineTails(tailBits)
	switch {
	case first:
		t.full = entries
	case mid:
		t.mid = make([]uint16, len(entries))
	case high:
		t.high = make([]uint32, len(entries))
	}
	for i, x := range entries {
		t.low[i] = uint32(x & t.mask)
	}
	for i := range t.mid {
		t.mid[i] = uint16(entries[i] & t.mask >> 32)
	}
	for i := range t.high {
		t.high[i] = uint32(entries[i] & t.mask >> 32)
	}
	return t
}

// passing returns a mask of those of the entries [lo, hi), at most 64, that may be
// within k of q: certainly all that are, and few others. The entries and q agree on the
// bits above the tails.
func (t *tails) passing(lo, hi int, q uint64, k int) uint64 {
	switch {
	case k < manyPass:
	case t.full != nil:
		var mask uint64
		for i := lo + kernels.NextWithin(t.full[lo:hi], q, k); i < hi; i += 1 + kernels.NextWithin(t.full[i+1:hi], q, k) {
			mask |= 1 << (i - lo)
		}
		return mask
	case t.mid != nil:
		return kernels.MaskWithin48(t.low[lo:hi], t.mid[lo:hi], q&t.mask, min(k, 48))
	case t.high != nil:
		return kernels.MaskWithin64(t.low[lo:hi], t.high[lo:hi], q&t.mask, min(k, 64))
	}
	return kernels.MaskWithin32(t.low[lo:hi], uint32(q&t.mask), min(k, 32))
}

// at returns the tail of entry i.
func (t *tails) at(i int) uint64 {
	switch {
	case t.full != nil:
		return t.full[i] & t.mask
	case t.mid != nil:
		return uint64(t.mid[i])<<32 | uint64(t.low[i])
	case t.high != nil:
		return uint64(t.high[i])<<32 | uint64(t.low[i])
	}
	return uint64(t.low[i])
}

// touch fetches the rest of entry i, beside its lowest 32 bits; the value means nothing.
func (t *tails) touch(i int) uint64 {
	switch {
	case t.full != nil:
		return t.full[i]
	case t.mid != nil:
		return uint64(t.mid[i])
	case t.high != nil:
		return uint64(t.high[i])
	}
	return 0
}

// tailBytes returns the memory of n tails of so many bits, in bytes. Those of the first table share
// the values, which are not counted.
func tailBytes(n int, tailBits uint, first bool) int {
	switch mid, high := outlineTails(tailBits); {
	case first:
		return 4 * n
	case mid:
		return 6 * n
	case high:
		return 8 * n
	}
	return 4 * n
}
