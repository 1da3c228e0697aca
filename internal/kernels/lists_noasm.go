//go:build purego || !amd64

package kernels

func listWithin32(dst, ends, xs []uint32, runs Runs, first int) int {
	return listWithin32Each(dst, ends, xs, runs, first)
}
