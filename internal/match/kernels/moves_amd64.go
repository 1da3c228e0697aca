//go:build !purego

package kernels

// applyVectors does ApplyAll for the first values, as many as fill vectors, and returns their number.
func (ms Moves) applyVectors(dst, xs []uint64) int {
	n := len(xs) &^ 15
	if !useAVX512 || n == 0 {
		return 0
	}
	applyAVX512(&dst[0], &xs[0], n, &ms[0], len(ms))
	return n
}

// applyAVX512 needs n values at dst and xs, and m > 0 moves. n is a positive multiple of 16.
//
//go:noescape
func applyAVX512(dst, xs *uint64, n int, moves *Move, m int)

// matchVectors does ApplyMatching for the first values, as many as fill vectors. It returns their number and
// the number of values written.
func (ms Moves) matchVectors(dst, xs []uint64, shift uint, top uint64) (done, written int) {
	done = len(xs) &^ 7
	if !useAVX512 || done == 0 {
		return 0, 0
	}
	return done, matchAVX512(&dst[0], &xs[0], done, &ms[0], len(ms), uint64(shift), top)
}

// matchAVX512 needs n values at xs, n+8 at dst, and m > 0 moves. n is a positive multiple of 8.
//
//go:noescape
func matchAVX512(dst, xs *uint64, n int, moves *Move, m int, shift, top uint64) int
