package ints

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		want := make([][]int, n)
		var of []uint32
		for x := range 3 * n {
			i := rng.Uint32N(uint32(n))
			of, want[i] = append(of, i), append(want[i], x)
		}
		starts, all := Lists[uint32](n, func(add func(uint32, int)) {
			for x, i := range of {
				add(i, x)
			}
		})
		for i := range want {
			if got := all[starts[i]:starts[i+1]]; !slices.Equal(got, want[i]) {
				t.Fatalf("list %d of %d is %v, want %v", i, n, got, want[i])
			}
		}
		if len(starts) != n+1 || len(all) != len(of) {
			t.Errorf("%d starts and %d elements of %d lists of %d", len(starts), len(all), n, len(of))
		}
	}
}
