//go:build !purego

package hamming

// applyVectors sets dst[i] to Apply(xs[i]) for as many i as the vectors take, and returns
// how many these are.
func (p *Permutation) applyVectors(dst, xs []uint64) int {
	n := len(xs) &^ 15
	if !useAVX512 || n == 0 {
		return 0
	}
	applyAVX512(&dst[0], &xs[0], n, &p.moves[0], len(p.moves))
	return n
}

// applyAVX512 wants n values at dst and xs, n a positive multiple of 16, and m > 0 moves.
//
//go:noescape
func applyAVX512(dst, xs *uint64, n int, moves *move, m int)
