package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sets of all small sizes, and of some large ones, are thrown as by the reference, with all numbers of rounds and equal
// elements among them.
func TestThrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	sizes := []int{64, 65, 127, 500, 513, 1030, 2600, 4000, 20_000}
	for n := 1; n < 60; n++ {
		sizes = append(sizes, n)
	}
	EachBackend(func(backend string) {
		for _, k := range []int{1, 4, 8, 16, 100, 128, 512, 1024} {
			for _, n := range sizes {
				for _, rounds := range []int{0, 1, 3, 8, 16, k} {
					elements, keys := make([]uint64, n+1)[1:], make([]uint64, rounds)
					for i := range elements {
						elements[i] = rng.Uint64()
					}
					elements[rng.IntN(n)] = elements[0]
					for i := range keys {
						keys[i] = rng.Uint64()
					}
					got, want := slices.Repeat([]uint64{Unfilled}, k), slices.Repeat([]uint64{Unfilled}, k)
					gotFull, wantFull := Throw(got, elements, keys), throwGeneric(want, elements, keys)
					if gotFull != wantFull || !slices.Equal(got, want) {
						t.Fatalf("%s: %d positions, %d elements, %d rounds: %v, want %v: %s", backend, k, n, rounds, gotFull, wantFull, difference(got, want))
					}
				}
			}
		}
	})
}

// difference names the first position at which two sketches differ.
func difference(got, want []uint64) string {
	for i, v := range want {
		if got[i] != v {
			return fmt.Sprintf("position %d is %x, want %x", i, got[i], v)
		}
	}
	return "equal positions"
}

// The elements that are thrown first may leave positions unfilled, which the others then fill.
func TestThrowUnlikelyElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	keys := []uint64{1, 2, 3, 4}
	EachBackend(func(backend string) {
		for _, k := range []int{128, 1024} {
			var elements []uint64
			for len(elements) < 60*k { // all fractions are large
				if x := rng.Uint64(); mix(x^keys[0])*uint64(k) > 1<<63 {
					elements = append(elements, x)
				}
			}
			got, want := slices.Repeat([]uint64{Unfilled}, k), slices.Repeat([]uint64{Unfilled}, k)
			if Throw(got, elements, keys) != throwGeneric(want, elements, keys) || !slices.Equal(got, want) {
				t.Errorf("%s: %d positions: %s", backend, k, difference(got, want))
			}
		}
	})
}

func BenchmarkThrow(b *testing.B) {
	rng := rand.New(rand.NewPCG(10, 5))
	keys, blank := make([]uint64, 128), slices.Repeat([]uint64{Unfilled}, 128)
	for i := range keys {
		keys[i] = rng.Uint64()
	}
	for _, n := range []int{5, 20, 50, 200, 1000, 5000, 50_000} {
		sets := make([][]uint64, max(10, 100_000/n))
		for i := range sets {
			for range n {
				sets[i] = append(sets[i], rng.Uint64())
			}
		}
		least := make([]uint64, len(blank))
		EachBackend(func(backend string) {
			if backend == "avx2" {
				return // has the code of the reference
			}
			b.Run(fmt.Sprintf("backend=%s/elements=%d", backend, n), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					copy(least, blank)
					Throw(least, sets[i%len(sets)], keys)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e3, "µs/set")
			})
		})
	}
}
