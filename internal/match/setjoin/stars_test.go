package setjoin

import (
	"math/rand/v2"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

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
		s, err := prefix.Collect(t.Context(), l, prefix.Options{})
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
