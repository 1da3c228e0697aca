package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Lists of all lengths and alignments around those of a vector, with values at the distance and just beyond, and near
// ones behind the end.
func TestListWithin16(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	EachBackend(func(backend string) {
		for n := range 100 {
			for k := -1; k <= 17; k++ {
				all := make([]uint16, n+40)
				q := uint16(rng.Uint32())
				for i := range all {
					all[i] = q
				}
				from := rng.IntN(20)
				xs := all[from : from+n]
				for i := range xs {
					switch rng.IntN(3) {
					case 0:
						xs[i] = uint16(rng.Uint32())
					case 1: // at distance k or k+1
						xs[i] = q ^ uint16(1<<min(16, max(0, k+rng.IntN(2)))-1)
					}
				}
				want := make([]uint32, n)
				if k < 0 {
					want = nil
				} else {
					want = want[:listWithin16Generic(want, xs, q, k, 77)]
				}
				got := make([]uint32, n)
				got = got[:ListWithin16(got, xs, q, k, 77, all)]
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %d values within %d: got %d, want %d", backend, n, k, got, want)
				}
			}
		}
	})
}

func BenchmarkListWithin16(b *testing.B) {
	rng := rand.New(rand.NewPCG(16, 2))
	for _, n := range []int{8, 30, 153, 1500} {
		xs, dst := make([]uint16, n), make([]uint32, n)
		for i := range xs {
			xs[i] = uint16(rng.Uint32())
		}
		EachBackend(func(backend string) {
			b.Run(fmt.Sprintf("%d/%s", n, backend), func(b *testing.B) {
				for b.Loop() {
					ListWithin16(dst, xs, 12345, 2, 0, nil)
				}
			})
		})
	}
}
