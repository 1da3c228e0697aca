//go:build !purego

package kernels

func maskWithin32(xs []uint32, q uint32, k int) uint64 {
	n := len(xs)
	eights := (n + 7) &^ 7
	switch {
	case n == 0:
		return 0
	case useAVX512:
		return maskWithin32AVX512(&xs[0], n, q, uint32(k))
	case useAVX2 && eights <= cap(xs): // it reads some of the values behind them, too
		return maskWithin32AVX2(&xs[0], eights, q, uint32(k)) << (-n & 63) >> (-n & 63)
	}
	return maskWithin32Generic(xs, q, k)
}

func maskWithin48(low []uint32, mid []uint16, q uint64, k int) uint64 {
	if useAVX512 && len(low) > 0 {
		return maskWithin48AVX512(&low[0], &mid[0], len(low), q, uint32(k))
	}
	return maskWithinSumGeneric(low, mid, q, k)
}

func maskWithin64(low, high []uint32, q uint64, k int) uint64 {
	if useAVX512 && len(low) > 0 {
		return maskWithin64AVX512(&low[0], &high[0], len(low), q, uint32(k))
	}
	return maskWithinSumGeneric(low, high, q, k)
}

func prefetch(xs, lo, hi []uint32, most int) {
	prefetchSSE(&xs[0], &lo[0], &hi[0], len(lo), most)
}

func pairMask(xs []uint64, k int) uint64 {
	if useAVX512 {
		return pairMaskAVX512(&xs[0], len(xs), k)
	}
	if useAVX2 {
		return pairMaskAVX2(&xs[0], len(xs), k)
	}
	return pairMaskGeneric(xs, k)
}

// maskWithin32AVX512 needs n in [1, 64] values at xs and k in [0, 32].
//
//go:noescape
func maskWithin32AVX512(xs *uint32, n int, q, k uint32) uint64

// maskWithin32AVX2 needs n in {8, 16, ..., 64} values at xs and k in [0, 32].
//
//go:noescape
func maskWithin32AVX2(xs *uint32, n int, q, k uint32) uint64

// maskWithin48AVX512 needs n in [1, 64] values at low and mid and k in [0, 64].
//
//go:noescape
func maskWithin48AVX512(low *uint32, mid *uint16, n int, q uint64, k uint32) uint64

// maskWithin64AVX512 needs n in [1, 64] values at low and high and k in [0, 64].
//
//go:noescape
func maskWithin64AVX512(low, high *uint32, n int, q uint64, k uint32) uint64

// pairMaskAVX512 needs n in [2, 64] values at xs and k in [0, 32].
//
//go:noescape
func pairMaskAVX512(xs *uint64, n, k int) uint64

// pairMaskAVX2 is pairMaskAVX512.
//
//go:noescape
func pairMaskAVX2(xs *uint64, n, k int) uint64

// prefetchSSE needs n >= 1 values at lo and hi, and most >= 0.
//
//go:noescape
func prefetchSSE(xs, lo, hi *uint32, n, most int)
