//go:build !purego

package kernels

import "golang.org/x/sys/cpu"

// The backends that this processor has. Only tests write to these variables.
var (
	useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
	useAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
)

// backends are the backends with assembly, the best first.
var backends = []backend{{"avx512", &useAVX512}, {"avx2", &useAVX2}}

// The lengths from which a call of the assembly pays.
const (
	minAVX512 = 2
	minAVX2   = 16
)

func nextWithin(xs []uint64, q uint64, k int) int {
	if useAVX512 && len(xs) >= minAVX512 {
		return nextWithinAVX512(&xs[0], len(xs), q, k)
	}
	if useAVX2 && len(xs) >= minAVX2 {
		// The vectors take four values at a time, and Go the others.
		n := len(xs) &^ 3
		if i := nextWithinAVX2(&xs[0], n, q, k); i < n {
			return i
		}
		return n + nextWithinGeneric(xs[n:], q, k)
	}
	return nextWithinGeneric(xs, q, k)
}

// nextWithinAVX512 needs n >= 0 values at xs, and k in [0, 64].
//
//go:noescape
func nextWithinAVX512(xs *uint64, n int, q uint64, k int) int

// nextWithinAVX2 needs n >= 0 values at xs, and k in [0, 64]. n is a multiple of 4.
//
//go:noescape
func nextWithinAVX2(xs *uint64, n int, q uint64, k int) int
