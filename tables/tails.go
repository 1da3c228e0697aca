package tables

import (
	"simsearch/internal/ground/disk"
	"simsearch/internal/match/kernels"
)

// A table stores tails, and not whole entries, since a search reads fewer bytes then. Of a million
// random values, about one agrees with a query in all but three of 32 bits. So a search reads four
// bytes of nearly every candidate, and the other two bytes of nearly none. Sixteen candidates fit a
// vector. Among ten million fingerprints at k = 3, tails take 37 bytes a fingerprint in all tables
// together, and whole entries 55. A query takes a third of the time.

// tails are the entries of a table without the bits that the directory implies. The lowest 32 bits of
// the entries are a slice of their own: nearly all entries that are not near differ enough in these. So
// a search reads four bytes an entry, and the other bits of the few that pass.
type tails struct {
	low []uint32 // the lowest 32 bits
	// The bits above are in one of these, if there are any.
	mid  []uint16 // up to 16 bits
	high []uint32 // up to 32
	// The first table has whole entries instead of mid or high.
	full []uint64
	mask uint64 // the bits of a tail
	// A dense table has slots, and 8 bits between these and the lowest 32. Its first table has full alone.
	slots *slots
	next  []uint8
	n     int // the number of entries, if there are slots
}

// manyPass is the distance from which both parts are compared at once, since many entries pass by their
// lowest 32 bits: at distance 10 one random entry of forty.
const manyPass = 10

// outlineTails returns which parts a tail of tailBits bits has. tailBits is in [0, 64].
func outlineTails(tailBits uint) (mid, high bool) {
	return tailBits > 32 && tailBits <= 48, tailBits > 48
}

// newTails returns the lowest tailBits bits of entries. It keeps entries if they are those of the first
// table, and copies the bits otherwise.
func newTails(entries []uint64, tailBits uint, first bool) tails {
	t := tails{low: disk.LargePages(make([]uint32, len(entries))), mask: lowBits(int(tailBits))}
	mid, high := outlineTails(tailBits)
	switch {
	case first:
		t.full = entries
	case mid:
		t.mid = disk.LargePages(make([]uint16, len(entries)))
	case high:
		t.high = disk.LargePages(make([]uint32, len(entries)))
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

// passing returns a mask of the entries [lo, hi), at most 64, that may be within k of q. It includes all
// that are, and few others. The entries and q agree on the bits above the tails.
func (t *tails) passing(lo, hi int, q uint64, k int) uint64 {
	switch {
	case k < manyPass && t.low != nil:
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

// below returns the bits of entry i below the finest directory of its table.
func (t *tails) below(i int) uint64 {
	if t.slots != nil {
		return uint64(t.next[i])<<32 | uint64(t.low[i])
	}
	return t.at(i)
}

// at returns the tail of entry i.
func (t *tails) at(i int) uint64 {
	switch {
	case t.slots != nil:
		slot := t.slots.of(i, t.n, nil) // what it reads has been checked
		return slot<<t.slots.Shift&t.mask | t.below(i)
	case t.full != nil:
		return t.full[i] & t.mask
	case t.mid != nil:
		return uint64(t.mid[i])<<32 | uint64(t.low[i])
	case t.high != nil:
		return uint64(t.high[i])<<32 | uint64(t.low[i])
	}
	return uint64(t.low[i])
}

// touch reads the bits of entry i above the lowest 32 into the cache. The result has no meaning.
func (t *tails) touch(i int) uint64 {
	switch {
	case t.slots != nil:
		return uint64(t.next[i])
	case t.full != nil:
		return t.full[i]
	case t.mid != nil:
		return uint64(t.mid[i])
	case t.high != nil:
		return uint64(t.high[i])
	}
	return 0
}

// touchAll is touch for some entries.
func (t *tails) touchAll(entries []uint32) {
	var rest uint64
	for _, i := range entries {
		rest |= t.touch(int(i))
	}
	keep(uint32(rest))
}

// touchRun reads the bits of the entries [lo, hi) above the lowest 32 into the cache.
func (t *tails) touchRun(lo, hi int) {
	perLine := 8
	switch {
	case t.slots != nil:
		perLine = 64
	case t.mid != nil:
		perLine = 32
	case t.high != nil:
		perLine = 16
	}
	var rest uint64
	for i := lo; i < hi; i += perLine {
		rest |= t.touch(i)
	}
	if lo < hi {
		rest |= t.touch(hi - 1)
	}
	keep(uint32(rest))
}

// bytes returns the memory of n tails of tailBits bits in bytes. It does not count the whole
// entries of the first table, which are the values.
func (t *tails) bytes(n int, tailBits uint, first, dense bool) int {
	switch mid, high := outlineTails(tailBits); {
	case dense && first:
		return 0
	case dense:
		return 5*n + 4*int(t.slots.Len())
	case first:
		return 4 * n
	case mid:
		return 6 * n
	case high:
		return 8 * n
	}
	return 4 * n
}
