package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// makeVisits returns random orders of k positions.
func makeVisits(rng *rand.Rand, k int) *Visits {
	v := &Visits{Key: rng.Uint64(), Order: make([]uint16, Orders*k)}
	for j := range Orders {
		row := make([]uint16, k)
		for i, p := range append([]int{-1}, rng.Perm(k-1)...) {
			row[p+1] = uint16(i)
			v.Order[Orders*i+j] = uint16(p + 1)
		}
		v.Rounds = append(append(v.Rounds, row...), row...)
	}
	for range k {
		v.Factors = append(v.Factors, rng.Uint32()|1)
	}
	return v
}

// Sets of few elements, which are filled position by position, and of many, which are filled round by round, have in
// each position the least value of the visits of all elements in all rounds.
func TestVisits(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	for _, k := range []int{1, 2, 8, 64, 100, 128, 192, 256, 512, 1024} {
		v := makeVisits(rng, k)
		for _, n := range []int{1, 2, fewGeneric, fewGeneric + 1, 33, fewNEON, fewNEON + 1, fewVisitors, fewVisitors + 1, 130, mostKept, mostKept + 1, 3000} {
			elements := make([]uint64, n+1)[1:]
			for i := range elements {
				elements[i] = rng.Uint64()
			}
			elements[rng.IntN(n)] = elements[0]
			want := slices.Repeat([]uint64{Unfilled}, k)
			hashes := make([]uint64, n)
			for i, x := range elements {
				hashes[i] = mix(x ^ v.Key)
			}
			first(want, hashes)
			for i := 1; i < k; i++ {
				v.round(want, hashes, i)
			}
			EachBackend(func(backend string) {
				got := slices.Repeat([]uint64{Unfilled}, k)
				if v.Fill(got, elements); !slices.Equal(got, want) {
					t.Errorf("%s: %d positions, %d elements: %s", backend, k, n, difference(got, want))
				}
			})
		}
	}
}

func BenchmarkVisits(b *testing.B) {
	rng := rand.New(rand.NewPCG(11, 5))
	v, blank := makeVisits(rng, 128), slices.Repeat([]uint64{Unfilled}, 128)
	for _, n := range []int{5, 20, 50, 90, 200, 1000, 5000} {
		sets := make([][]uint64, 100_000/n)
		for i := range sets {
			for range n {
				sets[i] = append(sets[i], rng.Uint64())
			}
		}
		least := make([]uint64, len(blank))
		EachBackend(func(backend string) {
			b.Run(fmt.Sprintf("backend=%s/elements=%d", backend, n), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					copy(least, blank)
					v.Fill(least, sets[i%len(sets)])
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e3, "µs/set")
			})
		})
	}
}
