package main

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/eval"
)

// Sets of bits come in the order of their chances, each once, until they have the share that was asked for.
func TestLikelyFlips(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	for range 50 {
		const width, most = 12, 3
		chances := make([]float64, width)
		for i := range chances {
			if chances[i] = r.Float64() / 2; r.IntN(4) == 0 {
				chances[i] = 0
			}
		}
		of := func(flips uint64) float64 {
			p := 1.0
			for bit, chance := range chances {
				if flips>>bit&1 == 1 {
					p *= chance
				} else {
					p *= 1 - chance
				}
			}
			return p
		}
		all, want := 0.0, []float64(nil)
		for flips := range uint64(1 << width) {
			if p := of(flips); bits.OnesCount64(flips) <= most {
				all, want = all+p, append(want, p)
			}
		}
		slices.SortFunc(want, func(a, b float64) int {
			if a > b {
				return -1
			}
			return 1
		})
		share, seen, got, sum := r.Float64(), map[uint64]bool{}, 0, 0.0
		for flips := range likelyFlips(chances, most, share) {
			p := of(flips)
			if seen[flips] || bits.OnesCount64(flips) > most || math.Abs(p-want[got]) > 1e-12 {
				t.Fatalf("set %d is %b, of chance %v: want one of %v; again: %v", got, flips, p, want[got], seen[flips])
			}
			if sum > share*all+1e-12 {
				t.Fatalf("after %v of %v there is another one, for a share of %v", sum, all, share)
			}
			seen[flips], got, sum = true, got+1, sum+p
		}
		if sum < share*all-1e-12 {
			t.Fatalf("sets have %v of %v, for a share of %v", sum, all, share)
		}
	}
}

// What is looked up is found, and nothing else.
func TestSortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 2))
	for _, n := range []int{1, 2, 7, 8, 9, 1000} {
		var values []uint64
		for range n {
			values = append(values, r.Uint64()>>r.IntN(30))
		}
		slices.Sort(values)
		values = slices.Compact(values)
		l := newSortedList(values, 64)
		for _, x := range values {
			if y := x ^ 1<<r.IntN(64); !l.has(x) || l.has(y) != slices.Contains(values, y) {
				t.Fatalf("of %d values, %x or %x is not looked up right", n, x, y)
			}
		}
	}
}

// Bits whose sums are small are the likelier to differ.
func TestFlipChances(t *testing.T) {
	c := &eval.Collection{Features: [][]uint64{{0b0011, 0b0101, 0b1001}}, Weights: [][]int64{{1, 1, 1}}}
	c.Settings.Bits = 64
	p := flipChances(c, 0)
	if p[0] != p[4] || p[1] != p[2] || p[1] != p[3] || p[0] >= p[1] || p[1] >= 0.5 { // |V| is 3, 1, 1, 1, 3
		t.Errorf("chances %v", p[:5])
	}
}
