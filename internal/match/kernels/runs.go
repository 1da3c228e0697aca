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

func maskWithin32(xs []uint32, q uint32, k int) uint64 {
	n := len(xs)
	eights := (n + 7) &^ 7
	switch {
	case n == 0:
		return 0
	case useAVX512:
		return maskWithin32AVX512(&xs[0], n, q, uint32(k))
	case (useAVX2 || useNEON) && eights <= cap(xs): // it reads some of the values behind them, too
		return maskWithin32Vectors(&xs[0], eights, q, uint32(k)) << (-n & 63) >> (-n & 63)
	}
	return maskWithin32Generic(xs, q, k)
}

// MaskWithin48 is MaskWithin32 for values of 48 bits. low has the lowest 32 bits, and mid, which must not be
// shorter, the others. k is in [0, 48].
func MaskWithin48(low []uint32, mid []uint16, q uint64, k int) uint64 {
	if len(low) > 64 || len(mid) < len(low) {
		panic("kernels: a mask is of at most 64 values, of two parts each")
	}
	if useAVX512 && len(low) > 0 {
		return maskWithin48AVX512(&low[0], &mid[0], len(low), q, uint32(k))
	}
	if useNEON && len(low) >= 8 {
		return maskWithin48NEON(&low[0], &mid[0], len(low), q, uint32(k))
	}
	return maskWithinSumGeneric(low, mid, q, k)
}

// MaskWithin64 is MaskWithin32 for values of 64 bits. low has the lower halves, and high, which must not be
// shorter, the upper halves. k is in [0, 64].
func MaskWithin64(low, high []uint32, q uint64, k int) uint64 {
	if len(low) > 64 || len(high) < len(low) {
		panic("kernels: a mask is of at most 64 values, of two parts each")
	}
	if useAVX512 && len(low) > 0 {
		return maskWithin64AVX512(&low[0], &high[0], len(low), q, uint32(k))
	}
	if useNEON && len(low) >= 8 {
		return maskWithin64NEON(&low[0], &high[0], len(low), q, uint32(k))
	}
	return maskWithinSumGeneric(low, high, q, k)
}

// Prefetch reads the runs xs[lo[i]:hi[i]], or their first most values, into the cache. On amd64 and arm64 it does not
// wait for them.
//
// It panics if hi is shorter than lo. The caller must make sure that lo[i] <= hi[i] <= len(xs).
func Prefetch(xs, lo, hi []uint32, most int) {
	if len(hi) < len(lo) {
		panic("kernels: runs without bounds")
	}
	switch {
	case len(lo) == 0 || len(xs) == 0:
	case hasPrefetch:
		prefetchLines(&xs[0], &lo[0], &hi[0], len(lo), most)
	default:
		touch(xs, lo, hi, most)
	}
}

// line is the number of values of a cache line.
const line = 16

// touch is Prefetch in Go.
func touch(xs, lo, hi []uint32, most int) {
	var touched uint32
	for i, from := range lo {
		end := min(int(hi[i]), int(from)+most)
		for at := int(from); at < end; at += line {
			touched |= xs[at]
		}
		if int(from) < end {
			touched |= xs[end-1]
		}
	}
	keep(touched)
}

// keep uses a value that is computed only to read memory into the cache.
//
//go:noinline
func keep(uint32) {}

// PairMask returns a mask with bit j set for every j such that the lowest 32 bits of some xs[i], i < j, are
// within k of those of xs[j]. k is in [0, 32]. It panics if len(xs) > 64. It is for the runs of a join, which
// have few pairs.
func PairMask(xs []uint64, k int) uint64 {
	if len(xs) > 64 {
		panic("kernels: a mask is of at most 64 values")
	}
	switch {
	case len(xs) < 2:
		return 0
	case useAVX512:
		return pairMaskAVX512(&xs[0], len(xs), k)
	case useAVX2 || useNEON:
		return pairMaskVectors(&xs[0], len(xs), k)
	}
	return pairMaskGeneric(xs, k)
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

// maskWithinSumGeneric is MaskWithin48 and MaskWithin64 in Go. It is the reference of the other backends.
func maskWithinSumGeneric[T uint16 | uint32](low []uint32, high []T, q uint64, k int) uint64 {
	var mask uint64
	for i, x := range low {
		d := bits.OnesCount32(x^uint32(q)) + bits.OnesCount32(uint32(high[i])^uint32(q>>32))
		mask |= uint64(d-k-1) >> 63 << (i & 63)
	}
	return mask
}

// maskWithin32AVX512 needs n in [1, 64] values at xs and k in [0, 32].
//
//go:noescape
func maskWithin32AVX512(xs *uint32, n int, q, k uint32) uint64

// maskWithin32Vectors needs n in {8, 16, ..., 64} values at xs and k in [0, 32].
//
//go:noescape
func maskWithin32Vectors(xs *uint32, n int, q, k uint32) uint64

// maskWithin48AVX512 needs n in [1, 64] values at low and mid and k in [0, 64].
//
//go:noescape
func maskWithin48AVX512(low *uint32, mid *uint16, n int, q uint64, k uint32) uint64

// maskWithin48NEON needs n in [8, 64] values at low and mid and k in [0, 64].
//
//go:noescape
func maskWithin48NEON(low *uint32, mid *uint16, n int, q uint64, k uint32) uint64

// maskWithin64AVX512 needs n in [1, 64] values at low and high and k in [0, 64].
//
//go:noescape
func maskWithin64AVX512(low, high *uint32, n int, q uint64, k uint32) uint64

// maskWithin64NEON needs n in [8, 64] values at low and high and k in [0, 64].
//
//go:noescape
func maskWithin64NEON(low, high *uint32, n int, q uint64, k uint32) uint64

// pairMaskAVX512 needs n in [2, 64] values at xs and k in [0, 32].
//
//go:noescape
func pairMaskAVX512(xs *uint64, n, k int) uint64

// pairMaskVectors is pairMaskAVX512.
//
//go:noescape
func pairMaskVectors(xs *uint64, n, k int) uint64

// prefetchLines needs n >= 1 values at lo and hi, and most >= 0.
//
//go:noescape
func prefetchLines(xs, lo, hi *uint32, n, most int)
