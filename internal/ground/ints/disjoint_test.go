package ints

import (
	"math/rand/v2"
	"testing"
)

func TestAgainstColouring(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 200; n += 7 {
		s := NewDisjointSets(n)
		colour := make([]int, n)
		for i := range colour {
			colour[i] = i
		}
		for range n {
			x, y := r.IntN(n), r.IntN(n)
			s.Union(uint32(x), uint32(y))
			from, to := max(colour[x], colour[y]), min(colour[x], colour[y])
			for i := range colour {
				if colour[i] == from {
					colour[i] = to
				}
			}
		}
		for i, c := range colour {
			if got := s.Find(uint32(i)); int(got) != c {
				t.Fatalf("%d is in %d, want %d", i, got, c)
			}
		}
	}
}
