//go:build purego || !amd64

package kernels

func listWithin32(dst, ends, xs []uint32, runs Runs, first int, ahead []uint32, next Runs) int {
	if len(ahead) > 0 {
		touch(ahead, next.Lo, next.Hi, aheadAtMost)
	}
	return listWithin32Each(dst, ends, xs, runs, first)
}
