package setjoin

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ints"
	"simsearch/internal/testkit"
	"simsearch/prefix"
)

// With OnlyFirst, other sets have the most similar of the first ones as their center, or themselves.
func TestStarsOfOnlyFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for range 8 {
		l := testkit.EditedSets(rng, 50+rng.IntN(400), 20+rng.IntN(3000), 1+rng.IntN(60))
		for _, threshold := range []float64{0.2, 0.5, 0.8, 1} {
			s, err := prefix.Collect(t.Context(), l, threshold, prefix.Options{PairsOnly: true})
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
			want := make([]Star, len(l))
			for i := range want {
				want[i].Center = NoStar
			}
			for _, set := range among {
				want[set] = Star{set, len(l[set])}
			}
			for _, set := range others {
				want[set] = Star{set, len(l[set])}
				best := 0.0
				for _, other := range among {
					if j := ints.Jaccard(l[set], l[other]); j >= threshold && j > best {
						best, want[set] = j, Star{other, ints.Shared(l[set], l[other])}
					}
				}
			}
			for _, threads := range []int{1, 3} {
				how := StarOptions{First: len(among), OnlyFirst: true}
				got, err := Stars(t.Context(), s, threshold, slices.Concat(among, others), how, Options{Threads: threads})
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%d sets at %v: other answers than those of comparing all; %v", len(l), threshold, err)
				}
			}
		}
	}
}
