package kernels

import "math/bits"

// The lengths from which a call of the assembly pays.
const (
	minAVX512  = 2
	minVectors = 16
)

// NextWithin returns the least i for which the distance OnesCount64(xs[i]^q) is at most k, or len(xs) if there
// is none. k may be any number.
func NextWithin(xs []uint64, q uint64, k int) int {
	if k < 0 {
		return len(xs)
	}
	k = min(k, 64)
	if useAVX512 && len(xs) >= minAVX512 {
		return nextWithinAVX512(&xs[0], len(xs), q, k)
	}
	if (useAVX2 || useNEON) && len(xs) >= minVectors {
		// The vectors take four values at a time, and Go the others.
		n := len(xs) &^ 3
		if i := nextWithinVectors(&xs[0], n, q, k); i < n {
			return i
		}
		return n + nextWithinGeneric(xs[n:], q, k)
	}
	return nextWithinGeneric(xs, q, k)
}

// nextWithinGeneric is NextWithin in Go. It is the reference of the other backends, and is used for short
// slices.
func nextWithinGeneric(xs []uint64, q uint64, k int) int {
	// Eight values share one branch. Matches are rare, and a branch for each value would cost as much as
	// counting its bits. Vectors are up to ten times as fast (SIMD.md).
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

// anyWithin reports whether one of xs is within k of q. The differences are negative exactly for such values,
// and their bitwise or is negative exactly if one of them is.
func anyWithin(xs *[8]uint64, q uint64, k int) bool {
	limit := k + 1
	return ((bits.OnesCount64(xs[0]^q) - limit) | (bits.OnesCount64(xs[1]^q) - limit) |
		(bits.OnesCount64(xs[2]^q) - limit) | (bits.OnesCount64(xs[3]^q) - limit) |
		(bits.OnesCount64(xs[4]^q) - limit) | (bits.OnesCount64(xs[5]^q) - limit) |
		(bits.OnesCount64(xs[6]^q) - limit) | (bits.OnesCount64(xs[7]^q) - limit)) < 0
}

// nextWithinAVX512 needs n >= 0 values at xs, and k in [0, 64].
//
//go:noescape
func nextWithinAVX512(xs *uint64, n int, q uint64, k int) int

// nextWithinVectors needs n >= 0 values at xs, and k in [0, 64]. n is a multiple of 4.
//
//go:noescape
func nextWithinVectors(xs *uint64, n int, q uint64, k int) int
