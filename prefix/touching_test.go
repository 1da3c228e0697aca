package prefix

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/sorted"
)

func TestTouching(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for range 8 {
		l := edited(rng, 50+rng.IntN(400), 20+rng.IntN(3000), 1+rng.IntN(60))
		for _, threshold := range []float64{0.2, 0.5, 0.8, 1} {
			s, err := Collect(t.Context(), l, threshold, Options{PairsOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var among, others []uint32
			for _, i := range rng.Perm(len(l)) {
				switch rng.IntN(3) {
				case 0:
					among = append(among, uint32(i))
				case 1:
					others = append(others, uint32(i))
				}
			}
			want := make([]bool, len(others))
			for i, set := range others {
				want[i] = slices.ContainsFunc(among, func(other uint32) bool { return sorted.Jaccard(l[set], l[other]) >= threshold })
			}
			for _, threads := range []int{1, 3} {
				got, err := s.Touching(t.Context(), threshold, among, others, threads)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%d sets at %v: other answers than those of comparing all; %v", len(l), threshold, err)
				}
			}
		}
	}
}
