// Package sorted works on strictly ascending lists of integers, as sets.
package sorted

// Shared returns how many integers two strictly ascending lists share.
func Shared[T uint32 | uint64](a, b []T) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		// Which is less is a toss; steps without a branch are three times as fast.
		x, y := a[i], b[j]
		var di, dj int
		if x <= y {
			di = 1
		}
		if y <= x {
			dj = 1
		}
		i, j = i+di, j+dj
		n += di & dj
	}
	return n
}

// Jaccard returns the share of the integers in either list that are in both, in [0, 1]; 0 if both
// are empty.
func Jaccard[T uint32 | uint64](a, b []T) float64 {
	n := Shared(a, b)
	if union := len(a) + len(b) - n; union > 0 {
		return float64(n) / float64(union)
	}
	return 0
}
