package minhash

import (
	"math/bits"
	"slices"
	"testing"

	"simsearch/internal/match/kernels"
)

// A position of a sketch by superMinHash has the least value of the visits of all elements in all rounds, as the
// comment of the type says.
func TestSuperHasTheLeastVisits(t *testing.T) {
	t.Parallel()
	for _, k := range []int{1, 2, 16, 100, 128, 512} {
		s := newSuper(k, uint64(k))
		for _, n := range []int{0, 1, 2, 13, 32, 96, 97, 100, 700} {
			elements := keys(n, uint64(n))
			want := slices.Repeat([]uint64{unfilled}, k)
			for _, x := range elements {
				h := mix(x ^ s.visits.Key)
				first, low := bits.Mul64(h, uint64(k))
				want[first] = min(want[first], low>>16)
				for i := 1; i < k; i++ {
					p := (int(first) + int(s.visits.Order[kernels.Orders*i+int(low>>16%kernels.Orders)])) % k
					want[p] = min(want[p], uint64(i)<<48|uint64(uint32(h)*s.visits.Factors[p])>>8<<24)
				}
			}
			if got := s.Sketch(nil, elements); !slices.Equal(got, want) {
				t.Errorf("%d positions, %d elements: %x, want %x", k, n, got, want)
			}
		}
	}
}
