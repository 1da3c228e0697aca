package tables

import "math/bits"

// A header divides a set of values by the bits in which they differ. Bits on which nearly all values
// agree, as constant regions of images and boilerplate make them, divide nothing. Where a quarter of the
// bits is like that, a header of these bits leaves long runs. A join that makes tables over tables of
// such runs multiplies its work. A design for the other bits, the discriminating ones, finds as much
// with shorter headers: two values within distance k are within k on these bits, too. Joins and the
// tables of heavy runs use such designs.

const (
	// minShare is the least share of the values that have a discriminating bit set, and the least share
	// that have it clear.
	minShare = 0.25
	// sampledValues is the largest number of values that are looked at.
	sampledValues = 1 << 12
)

// discriminating returns a mask of the discriminating bits of n values, by a sample of them. value returns the i-th
// value.
func discriminating(n int, value func(i int) uint64) uint64 {
	step := n/sampledValues + 1
	var set [64]int
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
