//go:build !purego

package kernels

import "unsafe"

func listWithin16(dst []uint32, xs []uint16, q uint16, k int, base uint32, ahead []uint16) int {
	if !useAVX512 && !useAVX2 || len(xs) < 16 {
		return listWithin16Generic(dst, xs, q, k, base)
	}
	return listWithin16AVX2(&dst[0], &xs[0], len(xs), q, uint16(k), base, unsafe.SliceData(ahead), 2*len(ahead))
}

// listWithin16AVX2 needs n >= 16 values at xs, k in [0, 16], and bytes >= 0 bytes at ahead.
//
//go:noescape
func listWithin16AVX2(dst *uint32, xs *uint16, n int, q, k uint16, base uint32, ahead *uint16, bytes int) int
