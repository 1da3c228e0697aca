package fingerprint

import "math/bits"

// manyHashes is the number of hashes beyond which memory is dearer than a branch that is foreseen wrongly.
const manyHashes = 1 << 14

// Distinct moves the distinct hashes to the front, in the order in which they first occur, and returns them. It is
// Count without the counts, for the time of a few instructions a hash: most hashes find their place empty or taken by
// an equal hash, and neither case takes a branch, since no processor can foresee which features occur again.
func (c *Counter) Distinct(hashes []uint64) []uint64 {
	// With four places for each hash, few find another hash in theirs.
	width := max(4, bits.Len(uint(4*len(hashes))))
	if len(hashes) > manyHashes {
		width-- // the table has left the second cache
	}
	if size := 1 << width; len(c.keys) < size {
		c.keys = make([]uint64, size)
	}
	keys := c.keys[:1<<width]
	clear(keys)
	shift := uint(64-width) & 63
	n, zero := 0, false
	for _, h := range hashes {
		if h == 0 { // an empty place
			if !zero {
				hashes[n], zero = 0, true
				n++
			}
			continue
		}
		// The multiplication is for hashes that are not uniform in their upper bits.
		i := h * 0x9e3779b97f4a7c15 >> shift
		key := keys[i]
		other := key ^ h
		if min(key, other) != 0 { // neither is 0: the place has another hash
			i = place(keys, i, h)
			other = keys[i] ^ h
		}
		keys[i] = h
		hashes[n] = h                    // n is never beyond the hash that is looked at
		n += int((other | -other) >> 63) // 1 unless other is 0
	}
	return hashes[:n]
}

// place returns the first place from i on that is empty or has h. The places are a ring.
//
//go:noinline
func place(keys []uint64, i, h uint64) uint64 {
	for keys[i] != 0 && keys[i] != h {
		i = (i + 1) & uint64(len(keys)-1)
	}
	return i
}
