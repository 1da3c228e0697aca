//go:build !purego

package kernels

import "golang.org/x/sys/cpu"

var useCRC = cpu.X86.HasSSE42

func linesWithin(lines []*Line, qs, ks []uint32) uint64 {
	if useAVX512 {
		return linesWithinAVX512(&lines[0], &qs[0], &ks[0], len(lines))
	}
	return linesWithinEach(lines, qs, ks)
}

func prefetch(places []Place) { prefetchSSE(&places[0], len(places)) }

func lineSum(l *Line, number uint64) uint32 {
	if useCRC {
		return lineSumSSE42(l, number)
	}
	return lineSumGeneric(l, number)
}

// linesWithinAVX512 needs n in [1, 64] values at lines, qs and ks.
//
//go:noescape
func linesWithinAVX512(lines **Line, qs, ks *uint32, n int) uint64

// prefetchSSE needs n >= 1 values at places.
//
//go:noescape
func prefetchSSE(places *Place, n int)

//go:noescape
func lineSumSSE42(l *Line, number uint64) uint32
