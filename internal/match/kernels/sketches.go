package kernels

import "math/bits"

// SketchesWithin compares sketches of len(q) 64-bit words with q, eight at a time. Block b of eight sketches begins at
// blocks[8*len(q)*b], with the first words of all eight, then their second words, and so on. Bit i of masks[b] is set if
// sketch i of block b differs from q in at most limit bits, and cleared otherwise. There are len(masks) blocks. limit may be
// any number; q is not empty.
func SketchesWithin(masks []uint8, blocks, q []uint64, limit int) {
	if len(masks) == 0 {
		return
	}
	if limit < 0 {
		clear(masks)
		return
	}
	sketchesWithin(masks, blocks[:8*len(q)*len(masks)], q, min(limit, 64*len(q)))
}

// sketchesWithinGeneric is SketchesWithin in Go, the reference of the other backends.
func sketchesWithinGeneric(masks []uint8, blocks, q []uint64, limit int) {
	for b := range masks {
		var differ [8]int
		for w, word := range q {
			at := 8 * (b*len(q) + w)
			for i, x := range (*[8]uint64)(blocks[at:]) {
				differ[i] += bits.OnesCount64(x ^ word)
			}
			if w%2 == 1 && w+1 < len(q) && allAbove(&differ, limit) {
				break
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

// allAbove reports whether all counts are above limit.
func allAbove(counts *[8]int, limit int) bool {
	least := counts[0]
	for _, n := range counts[1:] {
		least = min(least, n)
	}
	return least > limit
}
