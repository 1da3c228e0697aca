package ints

import "math/bits"

// SortSpreadPairs is SortPairs, and faster if keys are spread evenly over a range of 64-bit integers, as hashes are. It sorts by
// as many of their upper bits as tell most of them apart, and moves the few others one by one.
func SortSpreadPairs(keys []uint64, values []uint32) {
	if len(keys) < small {
		SortPairs(keys, values)
		return
	}
	differ := uint64(0)
	for _, x := range keys {
		differ |= x ^ keys[0]
	}
	const spare = 6 // bits beyond the number of keys: one pair of neighbours in 64 agrees in the upper ones
	low := bits.Len64(differ) - bits.Len(uint(len(keys))) - spare
	if low <= 0 {
		SortPairs(keys, values)
		return
	}
	SortPairsFrom(low, keys, values)
	moves := 0
	for i := 1; i < len(keys); i++ {
		x, v := keys[i], values[i]
		at := i
		for ; at > 0 && keys[at-1] > x; at-- {
			keys[at], values[at] = keys[at-1], values[at-1]
		}
		keys[at], values[at] = x, v
		if moves += i - at; moves > len(keys) { // they are not spread
			SortPairs(keys, values)
			return
		}
	}
}
