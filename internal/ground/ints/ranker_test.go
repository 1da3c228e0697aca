package ints

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRanker(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{16, 64} {
		for _, n := range []int{1, 2, 1000} {
			values := make([]uint64, n)
			for i := range values {
				values[i] = rng.Uint64() >> (64 - width)
			}
			slices.Sort(values)
			values = slices.Compact(values)
			r := NewRanker(values, width)
			for i, x := range values {
				if got := r.Of(x); got != uint64(i) {
					t.Errorf("width %d: Of(%#x) = %d, want %d", width, x, got, i)
				}
			}
		}
	}
}
