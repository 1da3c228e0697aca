package selfjoin

import (
	"cmp"
	"math/bits"
	"slices"
)

// A key brings the bits of up to maxPieces pieces of a value together, in their order, as a number of so many bits.
type key struct {
	rot  [maxPieces]uint8
	mask [maxPieces]uint64
	bits int
}

const (
	maxPieces = 3
	// mostKeyBits bounds the counters of a counting sort, 64 KiB, which share the second cache with a bucket.
	mostKeyBits = 14
)

func (k *key) of(x uint64) uint64 {
	return bits.RotateLeft64(x, int(k.rot[0]))&k.mask[0] | bits.RotateLeft64(x, int(k.rot[1]))&k.mask[1] | bits.RotateLeft64(x, int(k.rot[2]))&k.mask[2]
}

// packed returns the key of the bits of mask, which has at most maxPieces pieces.
func packed(mask uint64) (k key) {
	for i := 0; mask != 0; i++ {
		low := bits.TrailingZeros64(mask)
		n := bits.TrailingZeros64(^(mask >> low))
		k.rot[i], k.mask[i] = uint8((k.bits-low)&63), lowBits(n)<<k.bits
		k.bits += n
		mask &^= lowBits(n) << low
	}
	return k
}

// pieces returns how many pieces of adjacent bits mask has.
func pieces(mask uint64) int { return bits.OnesCount64(mask &^ (mask << 1)) }

// widest returns up to most bits of mask, in its widest pieces, of which there are up to maxPieces.
func widest(mask uint64, most int) (some uint64) {
	for range maxPieces {
		var widest uint64
		for rest := mask; rest != 0; {
			low := bits.TrailingZeros64(rest)
			n := bits.TrailingZeros64(^(rest >> low))
			if piece := lowBits(n) << low; n > bits.OnesCount64(widest) {
				widest = piece
			}
			rest &^= lowBits(n) << low
		}
		mask &^= widest
		some |= topOf(widest, most-bits.OnesCount64(some))
	}
	return some
}

// topOf returns up to n of the highest bits of mask.
func topOf(mask uint64, n int) uint64 {
	for bits.OnesCount64(mask) > n {
		mask &= mask - 1
	}
	return mask
}

// lowBits returns a value with the lowest n bits set; n is in [0, 64].
func lowBits(n int) uint64 { return 1<<uint(n) - 1 }

// classesOf returns the classes of bits that are in the same headers, those with the highest bits first, but bits
// that are in no header last.
func classesOf(h Headers) []uint64 {
	classes, used := []uint64{lowBits(h.Width)}, uint64(0)
	for _, mask := range h.Masks {
		used |= mask
		for i, class := range classes {
			if in := class & mask; in != 0 && in != class {
				classes[i] = in
				classes = append(classes, class&^in)
			}
		}
	}
	slices.SortFunc(classes, func(a, b uint64) int {
		if a&used == 0 || b&used == 0 {
			return cmp.Compare(b&used, a&used)
		}
		return cmp.Compare(b, a)
	})
	return classes
}

// firstOf returns the bits of a header by which values are divided: wanted bits or a few less, of its first classes.
func firstOf(header uint64, classes []uint64, wanted int) (first uint64) {
	for _, class := range classes {
		if first != 0 && bits.OnesCount64(first) >= wanted-spareBits {
			break
		}
		if header&class != 0 && pieces(first|class) <= maxPieces {
			first |= class
		}
	}
	return topOf(first, wanted)
}
