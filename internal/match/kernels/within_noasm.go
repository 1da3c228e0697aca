//go:build purego || !amd64

package kernels

func nextWithin(xs []uint64, q uint64, k int) int { return nextWithinGeneric(xs, q, k) }

// backends are the backends with assembly, of which there are none here.
var backends []backend
