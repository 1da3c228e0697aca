package tables

import (
	"math/bits"

	"simsearch/hamming"
)

// Headers divide a set by the bits in which its values differ. Bits on which nearly all
// agree, as constant regions of images and boilerplate make them, divide nothing: a
// design for the other bits alone, which tell, finds as much.
const (
	// minShare is the least share of the values that must have a bit, and lack it, for
	// the bit to be used in a header.
	minShare = 0.25
	// sampledValues bounds the values that are looked at to tell.
	sampledValues = 1 << 12
)

// discriminatingBits returns the bits that tell among n values.
func discriminatingBits(n int, value func(i int) uint64) uint64 {
	step := n/sampledValues + 1
	var set [hamming.MaxBits]int
	seen := 0
	for i := 0; i < n; i += step {
		for x := value(i); x != 0; x &= x - 1 {
			set[bits.TrailingZeros64(x)]++
		}
		seen++
	}
	var mask uint64
	for b, ones := range set {
		if float64(min(ones, seen-ones)) >= minShare*float64(seen) {
			mask |= 1 << b
		}
	}
	return mask
}
