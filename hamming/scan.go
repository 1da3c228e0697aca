package hamming

import "math/bits"

// A Match is one value found by a search.
type Match struct {
	Index    uint32 // its position in the values searched
	Distance uint8  // bits, in [0, k]
}

// Scan appends to dst a Match for every i with Distance(xs[i], q) <= k, in
// order of i, and returns the extended slice. A negative k matches nothing.
//
// It is the reference for all other searches, reads xs once from front to back,
// and allocates only to grow dst. len(xs) must be below 1<<32.
func Scan(dst []Match, xs []uint64, q uint64, k int) []Match {
	// Eight values share one branch: matches are rare, and a branch a value
	// would cost as much as the count of its bits.
	i := 0
	for ; i+8 <= len(xs); i += 8 {
		if anyWithin((*[8]uint64)(xs[i:]), q, k) {
			dst = scanEach(dst, xs[i:i+8], i, q, k)
		}
	}
	return scanEach(dst, xs[i:], i, q, k)
}

// anyWithin reports whether one of xs is within k of q: the differences are
// negative exactly for those, and so is the union of their bits.
func anyWithin(xs *[8]uint64, q uint64, k int) bool {
	limit := k + 1
	return ((bits.OnesCount64(xs[0]^q) - limit) | (bits.OnesCount64(xs[1]^q) - limit) |
		(bits.OnesCount64(xs[2]^q) - limit) | (bits.OnesCount64(xs[3]^q) - limit) |
		(bits.OnesCount64(xs[4]^q) - limit) | (bits.OnesCount64(xs[5]^q) - limit) |
		(bits.OnesCount64(xs[6]^q) - limit) | (bits.OnesCount64(xs[7]^q) - limit)) < 0
}

// scanEach is the scan as one would write it; base is the position of xs[0].
func scanEach(dst []Match, xs []uint64, base int, q uint64, k int) []Match {
	for i, x := range xs {
		if d := bits.OnesCount64(x ^ q); d <= k {
			dst = append(dst, Match{Index: uint32(base + i), Distance: uint8(d)})
		}
	}
	return dst
}
