package eval

import (
	"math/bits"
	"slices"
)

// RotateAndSort returns the pairs of values within distance k that the baseline of the course report finds.
// The baseline sorts the values, compares neighbours and rotates every value left by one bit; it does this
// `rotations` times. It misses pairs, and is here for comparison only. Values have width bits. A pair is
// two indices i < j; pairs are ascending and distinct.
//
// Source: S. Biswas, "Near Duplicate Detection using SimHash", course report, 2017.
func RotateAndSort(values []uint64, width, k, rotations int) [][2]uint32 {
	order := make([]uint32, len(values))
	rotated := slices.Clone(values)
	for i := range order {
		order[i] = uint32(i)
	}
	seen := map[[2]uint32]bool{}
	for range rotations {
		slices.SortFunc(order, func(a, b uint32) int {
			switch {
			case rotated[a] < rotated[b]:
				return -1
			case rotated[a] > rotated[b]:
				return 1
			}
			return int(int64(a) - int64(b))
		})
		for i := 1; i < len(order); i++ {
			a, b := order[i-1], order[i]
			if bits.OnesCount64(rotated[a]^rotated[b]) <= k {
				seen[[2]uint32{min(a, b), max(a, b)}] = true
			}
		}
		for i, x := range rotated {
			rotated[i] = (x<<1 | x>>(width-1)) & (^uint64(0) >> (64 - width))
		}
	}
	out := make([][2]uint32, 0, len(seen))
	for p := range seen {
		out = append(out, p)
	}
	slices.SortFunc(out, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
	return out
}
