//go:build !purego

package kernels

func maskWithin32(xs []uint32, q uint32, k int) uint64 {
	switch {
	case len(xs) == 0:
		return 0
	case useAVX512:
		return maskWithin32AVX512(&xs[0], len(xs), q, uint32(k))
	case useAVX2 && len(xs) >= 8:
		// The vectors take eight values at a time, and Go the others.
		n := len(xs) &^ 7
		return maskWithin32AVX2(&xs[0], n, q, uint32(k)) | maskWithin32Generic(xs[n:], q, k)<<(n&63)
	}
	return maskWithin32Generic(xs, q, k)
}

func pairMask(xs []uint64, k int) uint64 {
	if useAVX512 {
		return pairMaskAVX512(&xs[0], len(xs), k)
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

// pairMaskAVX512 needs n in [2, 64] values at xs and k in [0, 32].
//
//go:noescape
func pairMaskAVX512(xs *uint64, n, k int) uint64
