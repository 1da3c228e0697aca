//go:build purego || !amd64

package kernels

func maskWithin32(xs []uint32, q uint32, k int) uint64 { return maskWithin32Generic(xs, q, k) }
func pairMask(xs []uint64, k int) uint64               { return pairMaskGeneric(xs, k) }
