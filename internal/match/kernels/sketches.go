package kernels

import "math/bits"

// SketchesWithin compares sketches of len(q) 64-bit words with q, eight at a time. Block b of eight sketches begins at
// blocks[8*(len(q)+1)*b], with a number of each of the eight in two's complement, then their first words, their second
// words, and so on. Bit i of masks[b] is set if sketch i of block b differs from q in so many bits that these and its
// number are at most limit together, and cleared otherwise. There are len(masks) blocks. Numbers and limit are between
// -2^62 and 2^62; q is not empty.
func SketchesWithin(masks []uint8, blocks, q []uint64, limit int) {
	if len(masks) == 0 {
		return
	}
	blocks = blocks[:8*(len(q)+1)*len(masks)]
	switch {
	case useAVX512:
		sketchesWithinAVX512(&masks[0], len(masks), &blocks[0], &q[0], len(q), limit)
	case useAVX2 || useNEON:
		sketchesWithinVectors(&masks[0], len(masks), &blocks[0], &q[0], len(q), limit)
	default:
		sketchesWithinGeneric(masks, blocks, q, limit)
	}
}

// sketchesWithinGeneric is SketchesWithin in Go, the reference of the other backends.
func sketchesWithinGeneric(masks []uint8, blocks, q []uint64, limit int) {
	for b := range masks {
		at := 8 * (len(q) + 1) * b
		var differ [8]int
		for i, x := range (*[8]uint64)(blocks[at:]) {
			differ[i] = int(x)
		}
		for w, word := range q {
			for i, x := range (*[8]uint64)(blocks[at+8*(w+1):]) {
				differ[i] += bits.OnesCount64(x ^ word)
			}
		}
		mask := uint8(0)
		for i, n := range differ {
			if n <= limit {
				mask |= 1 << i
			}
		}
		masks[b] = mask
	}
}

// sketchesWithinAVX512 needs n >= 1 blocks of sketches of words >= 1 words, and as many words at q.
//
//go:noescape
func sketchesWithinAVX512(masks *uint8, n int, blocks, q *uint64, words, limit int)

// sketchesWithinVectors is the same.
//
//go:noescape
func sketchesWithinVectors(masks *uint8, n int, blocks, q *uint64, words, limit int)
