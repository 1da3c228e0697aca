package kernels

import "math/bits"

// MaskWithin32 returns a mask with bit i set for every i with OnesCount32(xs[i]^q) <= k. k is in [0, 32]. It
// panics if len(xs) > 64.
//
// Tables call it with halves of fingerprints: few of these need to be compared as a whole then.
func MaskWithin32(xs []uint32, q uint32, k int) uint64 {
	if len(xs) > 64 {
		panic("kernels: a mask is of at most 64 values")
	}
	return maskWithin32(xs, q, k)
}

// PairMask returns a mask with bit j set for every j such that the lowest 32 bits of some xs[i], i < j, are
// within k of those of xs[j]. k is in [0, 32]. It panics if len(xs) > 64. It is for the runs of a join, which
// have few pairs.
func PairMask(xs []uint64, k int) uint64 {
	if len(xs) > 64 {
		panic("kernels: a mask is of at most 64 values")
	}
	if len(xs) < 2 {
		return 0
	}
	return pairMask(xs, k)
}

// pairMaskGeneric is PairMask in Go. It is the reference of the other backends.
func pairMaskGeneric(xs []uint64, k int) uint64 {
	var mask uint64
	for j, y := range xs {
		for _, x := range xs[:j] {
			mask |= uint64(bits.OnesCount32(uint32(x^y))-k-1) >> 63 << (j & 63)
		}
	}
	return mask
}

// maskWithin32Generic is MaskWithin32 in Go. It is the reference of the other backends.
func maskWithin32Generic(xs []uint32, q uint32, k int) uint64 {
	var mask uint64
	for i, x := range xs {
		// The difference is negative exactly for values within k.
		mask |= uint64(bits.OnesCount32(x^q)-k-1) >> 63 << (i & 63)
	}
	return mask
}
