package kernels

import "math/bits"

// NextWithin returns the least i whose distance from q, OnesCount64(xs[i]^q), is at most k, or len(xs) if there
// is none. It is the inner loop of every search: see SIMD.md.
func NextWithin(xs []uint64, q uint64, k int) int {
	if k < 0 {
		return len(xs)
	}
	return nextWithin(xs, q, min(k, 64))
}

// nextWithinGeneric is NextWithin in Go, the reference of the other backends and
// the one for short slices.
func nextWithinGeneric(xs []uint64, q uint64, k int) int {
	// Eight values share one branch: matches are rare, and a branch a value
	// would cost as much as the count of its bits.
	i := 0
	for i+8 <= len(xs) && !anyWithin((*[8]uint64)(xs[i:]), q, k) {
		i += 8
	}
	for ; i < len(xs); i++ {
		if bits.OnesCount64(xs[i]^q) <= k {
			break
		}
	}
	return i
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
