package imagehash

import (
	"math"
	"slices"
)

const (
	dctSide = 32 // cells of the picture in each direction
	dctKept = 8  // coefficients in each direction
)

// cosines has cos(π·u·(2x+1)/(2·32)) at [u][x], in units of 2^-20. Integers give the same hash on every
// machine, and coefficients of symmetric pictures that are exactly 0.
var cosines = func() (c [dctKept][dctSide]int64) {
	for u := range c {
		for x := range c[u] {
			c[u][x] = int64(math.Round(math.Cos(math.Pi*float64(u*(2*x+1))/(2*dctSide)) * (1 << 20)))
		}
	}
	return c
}()

// dct returns the hash of 32 by 32 cells. The transform (DCT-II, without factors) is of columns, then of rows. A
// coefficient is less than 32·32·255·2^40 < 2^58.
func dct(cells []uint8) (hash uint64) {
	var columns [dctKept][dctSide]int64
	for u := range columns {
		for y := range dctSide {
			for x := range dctSide {
				columns[u][x] += cosines[u][y] * int64(cells[y*dctSide+x])
			}
		}
	}
	low := make([]int64, 0, dctKept*dctKept)
	for u := range columns {
		for v := range dctKept {
			sum := int64(0)
			for x, c := range columns[u] {
				sum += c * cosines[v][x]
			}
			low = append(low, sum)
		}
	}
	sorted := slices.Sorted(slices.Values(low))
	middle := sorted[len(sorted)/2-1] + sorted[len(sorted)/2] // twice the median
	for _, c := range low {
		hash <<= 1
		if 2*c > middle {
			hash |= 1
		}
	}
	return hash
}
