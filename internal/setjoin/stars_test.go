package setjoin

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ints"
	"simsearch/internal/prefix"
	"simsearch/internal/testkit"
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

// Components are those of all near pairs, in few lists and in crowds with some sets that are not near.
func TestComponents(t *testing.T) {
	const crowdOf = 1200
	rng := rand.New(rand.NewPCG(33, 1))
	sources := []testkit.Lists{testkit.EditedSets(rng, 300, 40, 20), testkit.EditedSets(rng, 400, 3000, 60)}
	for _, different := range []int{1, 16} {
		crowd := make(testkit.Lists, crowdOf)
		for i := range crowd {
			for f := range uint64(100) {
				crowd[i] = append(crowd[i], testkit.Spread*(f+1))
			}
			for range different * (i % 5) {
				crowd[i][rng.IntN(100)] = rng.Uint64()
			}
			crowd[i] = testkit.Distinct(crowd[i])
		}
		sources = append(sources, crowd)
	}
	for _, l := range sources {
		s, err := prefix.Collect(t.Context(), l, 0.5, prefix.Options{PairsOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, threshold := range []float64{0.5, 0.8, 0.95} {
			want := ints.NewDisjointSets(len(l))
			for b := range l {
				for a := range b {
					if ints.Jaccard(l[a], l[b]) >= threshold {
						want.Union(uint32(a), uint32(b))
					}
				}
			}
			for _, threads := range []int{1, 3} {
				got, stats := ints.NewDisjointSets(len(l)), Stats{}
				if err := Components(t.Context(), s, threshold, Options{Threads: threads, Stats: &stats}, got); err != nil {
					t.Fatal(err)
				}
				for i := range l {
					if got.Find(uint32(i)) != want.Find(uint32(i)) {
						t.Fatalf("%d sets at %v: set %d is in another component than comparing all tells", len(l), threshold, i)
					}
				}
				if len(l) == crowdOf && stats.Candidates > 100*crowdOf {
					t.Errorf("%d sets at %v: %d comparisons", len(l), threshold, stats.Candidates)
				}
			}
		}
	}
}
