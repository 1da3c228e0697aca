package setjoin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// crowds returns sets of which some are copies of forms with other features, and others are edits of each other.
func crowdedSets(rng *rand.Rand, n, universe, longest int) testkit.Lists {
	l := testkit.EditedSets(rng, n, universe, longest)
	for _, size := range []int{n / 3, n / 8, 5} {
		form := 3 + rng.IntN(longest)
		for i := range size {
			var s []uint64
			for f := range form {
				if rng.IntN(2+form) > i%4 {
					s = append(s, testkit.Spread*uint64(f*(1+size)))
				}
			}
			l = append(l, testkit.Distinct(append(s, testkit.Spread*rng.Uint64N(uint64(universe)))))
		}
	}
	rng.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	return l
}

// A list that is thin lacks nothing but pairs of dense sets, and stars by it are those that comparing each set with
// each center finds. Both are the same on any number of threads.
func TestThinLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	thin := 0
	for _, n := range []int{20, 200, 500}[:testkit.Of(1, 3)] {
		for _, universe := range []int{30, 3000, 1 << 30} {
			l := crowdedSets(rng, n, universe, []int{6, 12, 60}[rng.IntN(3)])
			s, err := prefix.Collect(t.Context(), l, prefix.Options{})
			if err != nil {
				t.Fatal(err)
			}
			class := make([]uint64, len(l))
			for i := range class {
				class[i] = rng.Uint64N(2)
			}
			for _, threshold := range []float64{0.5, 0.75, 0.8, 0.9, 1} {
				for _, o := range []Options{
					{few: 1, company: 1, candidates: 1}, {few: n, company: 8, candidates: 100}, {few: 4 * n, company: 3, candidates: 7, long: 9},
					{few: n, company: 3, candidates: 7, long: 9, chunk: 1}, {few: 1, company: 1, candidates: 1, Memory: 1 << 14, chunk: 1},
				} {
					what := fmt.Sprintf("%d sets, universe %d, threshold %v, %+v", len(l), universe, threshold, o)
					o.Threads = 1
					var stats, again Stats
					o.Stats = &stats
					near, err := NearPairs(t.Context(), s, threshold, o)
					if err != nil {
						t.Fatal(err)
					}
					o.Threads, o.Stats = 3, &again
					same, err := NearPairs(t.Context(), s, threshold, o)
					if err != nil || !slices.Equal(near.Pairs, same.Pairs) || !slices.Equal(near.Dense, same.Dense) || stats != again {
						t.Fatalf("%s: %v, or another list on three threads: %+v, %+v", what, err, stats, again)
					}
					all := allPairs(l, threshold)
					if near.Few() != (len(all) <= o.few) {
						t.Fatalf("%s: of %d pairs few are %v", what, len(all), near.Few())
					}
					inCrowd := func(p Pair) bool { return !near.Few() && near.Dense.Has(p.A) && near.Dense.Has(p.B) }
					listed := slices.DeleteFunc(slices.Clone(near.Pairs), inCrowd)
					if sortPairs(listed); !slices.Equal(listed, slices.DeleteFunc(all, inCrowd)) {
						t.Fatalf("%s: %d pairs of sets that are not both dense, or some of them are others", what, len(listed))
					}
					if !near.Few() {
						thin++
					}
					compareStars(t, what, l, s, near, max(threshold, []float64{0.5, 0.8, 0.95}[rng.IntN(3)]), class, rng)
				}
			}
		}
	}
	if thin < testkit.Of(20, 80) {
		t.Errorf("%d lists are thin: too few for the test", thin)
	}
}

// compareStars compares stars of some sets by a list with those that comparing all finds.
func compareStars(t *testing.T, what string, l testkit.Lists, s *prefix.Sets, near *List, threshold float64, class []uint64, rng *rand.Rand) {
	t.Helper()
	var order []uint32
	for _, set := range rng.Perm(len(l)) {
		if rng.IntN(10) > 0 {
			order = append(order, uint32(set))
		}
	}
	first := rng.IntN(2) * rng.IntN(1+len(order)/2)
	if rng.IntN(2) == 0 {
		class = nil
	}
	got, err := Stars(t.Context(), s, threshold, order, StarOptions{First: first, Class: class, Near: near}, Options{Threads: 2})
	if want := allStars(l, order, StarOptions{First: first, Class: class}, threshold); err != nil || !slices.Equal(got, want) {
		t.Fatalf("%s, at %v: %v, or other stars than comparing all", what, threshold, err)
	}
}
