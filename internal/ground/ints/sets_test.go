package ints

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		in := map[uint64]int{}
		var sets [2][]uint64
		for side := range sets {
			for range r.IntN(40) {
				x := r.Uint64N(60)
				if !slices.Contains(sets[side], x) {
					sets[side] = append(sets[side], x)
					in[x]++
				}
			}
			slices.Sort(sets[side])
		}
		want := 0
		for _, n := range in {
			want += n - 1
		}
		if got := Shared(sets[0], sets[1]); got != want {
			t.Fatalf("%v and %v share %d, want %d", sets[0], sets[1], got, want)
		}
		j := Jaccard(sets[0], sets[1])
		if len(in) > 0 && j != float64(want)/float64(len(in)) || len(in) == 0 && j != 0 {
			t.Fatalf("%v and %v: %v", sets[0], sets[1], j)
		}
	}
}

// Equal integers count as often as both lists have them.
func TestSharedCountsEqualOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 30))
	for range 1000 {
		lists, counts := [2][]uint64{}, [2][9]int{}
		for i := range lists {
			for range rng.IntN(40) {
				x := rng.IntN(9)
				lists[i], counts[i][x] = append(lists[i], uint64(x)), counts[i][x]+1
			}
			slices.Sort(lists[i])
		}
		want := 0
		for x, n := range counts[0] {
			want += min(n, counts[1][x])
		}
		if got := Shared(lists[0], lists[1]); got != want {
			t.Fatalf("%v and %v share %d, want %d", lists[0], lists[1], got, want)
		}
	}
}

func BenchmarkShared(b *testing.B) {
	for _, share := range []int{0, 50, 90} {
		b.Run(fmt.Sprintf("n=200/shared=%d%%", share), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			var x, y []uint64
			for range 200 {
				v := r.Uint64()
				x = append(x, v)
				if r.IntN(100) >= share {
					v = r.Uint64()
				}
				y = append(y, v)
			}
			slices.Sort(x)
			slices.Sort(y)
			for b.Loop() {
				Shared(x, y)
			}
		})
	}
}
