//go:build !purego

package kernels

func sketchesWithin(masks []uint8, blocks, q []uint64, limit int) {
	switch {
	case useAVX512:
		sketchesWithinAVX512(&masks[0], len(masks), &blocks[0], &q[0], len(q), limit)
	case useAVX2:
		sketchesWithinAVX2(&masks[0], len(masks), &blocks[0], &q[0], len(q), limit)
	default:
		sketchesWithinGeneric(masks, blocks, q, limit)
	}
}

// sketchesWithinAVX512 needs n >= 1 blocks of sketches of words >= 1 words, and as many words at q.
//
//go:noescape
func sketchesWithinAVX512(masks *uint8, n int, blocks, q *uint64, words, limit int)

// sketchesWithinAVX2 is the same.
//
//go:noescape
func sketchesWithinAVX2(masks *uint8, n int, blocks, q *uint64, words, limit int)
