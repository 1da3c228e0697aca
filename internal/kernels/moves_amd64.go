//go:build !purego

package kernels

// applyVectors sets dst[i] to Apply(xs[i]) for as many i as the vectors take, and returns
// how many these are.
func (ms Moves) applyVectors(dst, xs []uint64) int {
	n := len(xs) &^ 15
	if !useAVX512 || n == 0 {
		return 0
	}
	applyAVX512(&dst[0], &xs[0], n, &ms[0], len(ms))
	return n
}

// applyAVX512 wants n values at dst and xs, n a positive multiple of 16, and m > 0 moves.
//
//go:noescape
func applyAVX512(dst, xs *uint64, n int, moves *Move, m int)

// matchVectors does ApplyMatching for as many values as the vectors take, and returns
// how many these are and how many it has written.
func (ms Moves) matchVectors(dst, xs []uint64, shift uint, top uint64) (done, written int) {
	done = len(xs) &^ 7
	if !useAVX512 || done == 0 {
		return 0, 0
	}
	return done, matchAVX512(&dst[0], &xs[0], done, &ms[0], len(ms), uint64(shift), top)
}

// matchAVX512 wants n values at xs, n a positive multiple of 8, n+8 at dst, and m > 0 moves.
//
//go:noescape
func matchAVX512(dst, xs *uint64, n int, moves *Move, m int, shift, top uint64) int
