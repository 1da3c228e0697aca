//go:build purego || !amd64

package kernels

func maskWithin32(xs []uint32, q uint32, k int) uint64 { return maskWithin32Generic(xs, q, k) }

func maskWithin48(low []uint32, mid []uint16, q uint64, k int) uint64 {
	return maskWithinSumGeneric(low, mid, q, k)
}

func maskWithin64(low, high []uint32, q uint64, k int) uint64 {
	return maskWithinSumGeneric(low, high, q, k)
}

func pairMask(xs []uint64, k int) uint64 { return pairMaskGeneric(xs, k) }

func prefetch(xs, lo, hi []uint32, most int) { touch(xs, lo, hi, most) }
