//go:build purego || !amd64

package kernels

func listWithin16(dst []uint32, xs []uint16, q uint16, k int, base uint32, _ []uint16) int {
	return listWithin16Generic(dst, xs, q, k, base)
}
