package kernels

import (
	"math/bits"
	"unsafe"
)

// ListWithin16 writes to dst base plus the index of every value of xs that is within distance k of q, in ascending
// order, and returns how many there are. What dst holds behind them is undefined. k may be any number.
//
// Meanwhile the values of ahead are read into the cache. On amd64 and arm64 it does not wait for them.
//
// It panics if dst is shorter than xs.
func ListWithin16(dst []uint32, xs []uint16, q uint16, k int, base uint32, ahead []uint16) int {
	if len(dst) < len(xs) {
		panic("kernels: no room for the values within a distance")
	}
	if k < 0 {
		return 0
	}
	k = min(k, 16)
	if !useAVX512 && !useAVX2 && !useNEON || len(xs) < 16 {
		return listWithin16Generic(dst, xs, q, k, base)
	}
	return listWithin16Vectors(&dst[0], &xs[0], len(xs), q, uint16(k), base, unsafe.SliceData(ahead), 2*len(ahead))
}

// listWithin16Generic is ListWithin16 in Go. It is the reference of the other backends, and is used for short lists.
func listWithin16Generic(dst []uint32, xs []uint16, q uint16, k int, base uint32) (n int) {
	for i, x := range xs {
		dst[n] = base + uint32(i)
		// Without a branch, which would be foreseen wrongly where many values are near.
		n += int(uint64(bits.OnesCount16(x^q)-k-1) >> 63)
	}
	return n
}

// listWithin16Vectors needs n >= 16 values at xs, k in [0, 16], and bytes >= 0 bytes at ahead.
//
//go:noescape
func listWithin16Vectors(dst *uint32, xs *uint16, n int, q, k uint16, base uint32, ahead *uint16, bytes int) int
