package truth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomSets returns sets with elements of uneven frequency. Many sets are near copies of others.
func randomSets(seed uint64, n int) [][]uint64 {
	r := rand.New(rand.NewPCG(seed, 3))
	element := func() uint64 { return uint64(r.ExpFloat64()*300) * 0x9e3779b97f4a7c15 }
	var sets [][]uint64
	for i := range n {
		var s []uint64
		if i > 0 && r.IntN(2) == 0 {
			s = slices.Clone(sets[r.IntN(i)])
			for range r.IntN(1 + len(s)/3) {
				s[r.IntN(len(s))] = element()
			}
		} else {
			for range r.IntN(60) {
				s = append(s, element())
			}
		}
		slices.Sort(s)
		sets = append(sets, slices.Compact(s))
	}
	return sets
}

func TestSimilarPairsEqualComparingAll(t *testing.T) {
	for _, n := range []int{0, 1, 2, 700} {
		sets := randomSets(uint64(n), n)
		var sharing []Pair // pairs that share anything
		for a := range uint32(n) {
			in := map[uint64]bool{}
			for _, x := range sets[a] {
				in[x] = true
			}
			for b := a + 1; b < uint32(n); b++ {
				shared := 0
				for _, x := range sets[b] {
					if in[x] {
						shared++
					}
				}
				if shared > 0 {
					sharing = append(sharing, Pair{a, b, float64(shared) / float64(len(sets[a])+len(sets[b])-shared)})
				}
			}
		}
		for _, threshold := range []float64{0.05, 0.3, 0.5, 2.0 / 3, 0.8, 0.9, 1} {
			var want []Pair
			for _, p := range sharing {
				if p.Jaccard >= threshold {
					want = append(want, p)
				}
			}
			for _, threads := range []int{1, 3} {
				got, err := Joiner{Threads: threads}.Pairs(t.Context(), sets, threshold)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%d sets at %v with %d threads: %d pairs, %v, want %d", n, threshold, threads, len(got), err, len(want))
				}
			}
		}
	}
}

func BenchmarkSimilarPairs(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d/elements=250/threshold=0.5", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			sets := make([][]uint64, n)
			for i := range sets {
				for range 250 {
					// As shingles of reviews are: two of three occur nowhere else.
					x := r.Uint64()
					if r.IntN(3) == 0 {
						x = uint64(r.ExpFloat64()*float64(n)) * 0x9e3779b97f4a7c15
					}
					sets[i] = append(sets[i], x)
				}
				slices.Sort(sets[i])
				sets[i] = slices.Compact(sets[i])
			}
			for b.Loop() {
				if _, err := (Joiner{Threads: 2}).Pairs(b.Context(), sets, 0.5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
