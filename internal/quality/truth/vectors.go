package truth

import (
	"math"
)

// CosineOf returns the cosine of the angle between two weighted sets, in [0, 1]. Set a is strictly ascending
// and has the weights wa; b and wb likewise. The cosine is 0 if a set is empty.
func CosineOf(a []uint64, wa []int64, b []uint64, wb []int64) float64 {
	var dot, aa, bb float64
	for _, w := range wa {
		aa += float64(w) * float64(w)
	}
	for _, w := range wb {
		bb += float64(w) * float64(w)
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case b[j] < a[i]:
			j++
		default:
			dot += float64(wa[i]) * float64(wb[j])
			i++
			j++
		}
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return min(1, dot/math.Sqrt(aa*bb))
}
