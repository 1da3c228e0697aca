package explain

import "math"

// Cosine returns the cosine of the angle between two weighted vectors, in [0, 1]. It is 0 if one has no
// features.
func Cosine(x, y Features) float64 {
	var dot, xx, yy float64
	for f, w := range x {
		xx += float64(w) * float64(w)
		dot += float64(w) * float64(y[f])
	}
	for _, w := range y {
		yy += float64(w) * float64(w)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	// Sums of integers are exact up to 2^53 in any order; only the root rounds.
	return min(1, dot/math.Sqrt(xx*yy))
}
