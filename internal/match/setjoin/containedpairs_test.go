package setjoin

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// allContainedPairs compares each set with each other.
func allContainedPairs(l testkit.Lists, c float64) (pairs []Pair) {
	for b := range l {
		for a := range b {
			if n := ints.Shared(l[a], l[b]); float64(n)/float64(min(len(l[a]), len(l[b]))) >= c {
				pairs = append(pairs, Pair{uint32(a), uint32(b), n})
			}
		}
	}
	sortPairs(pairs)
	return pairs
}

// templated returns sets that have a form in common, beside a few features of their own, parts of the form, and
// pieces of some sets.
func templated(rng *rand.Rand, n int) testkit.Lists {
	var l testkit.Lists
	for i := range n {
		var s []uint64
		for f := range 40 {
			if i%3 > 0 || rng.IntN(4) == 0 {
				s = append(s, testkit.Spread*uint64(f+1))
			}
		}
		for range rng.IntN(6) {
			s = append(s, testkit.Feature(rng, 500))
		}
		if i%5 == 4 {
			s = slices.Clone(l[rng.IntN(i)])
			s = s[:1+rng.IntN(len(s))]
		}
		if s = testkit.Distinct(s); len(s) == 0 {
			s = []uint64{1}
		}
		l = append(l, s)
	}
	return l
}

// Contained finds what comparing each with each finds, in one pass and in many, and components are those of these
// pairs.
func TestContainedPairsEqualReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	found := 0
	for _, n := range []int{0, 1, 30, testkit.Of(60, 400)} {
		collections := []testkit.Lists{templated(rng, n), testkit.CrowdedSets(rng, n)}
		for _, universe := range []int{5, 40, 3000, 1 << 30} { // in all, some features are far more frequent than others
			collections = append(collections, parted(rng, n, universe, []int{3, 12, 60}[rng.IntN(3)]))
		}
		for i, l := range collections {
			for _, c := range []float64{0.05, 0.5, 2. / 3, 0.9, 1} {
				want := allContainedPairs(l, c)
				found += len(want)
				connected := ints.NewDisjointSets(len(l))
				for _, p := range want {
					connected.Union(p.A, p.B)
				}
				for name, s := range all(t, l, 0.8) {
					for _, o := range []Options{{Threads: 1}, {Threads: 3, Memory: 100}} {
						var got []Pair
						stats := Stats{}
						o.Stats = &stats
						err := Contained(t.Context(), s, c, o, func(pairs []Pair) error { got = append(got, pairs...); return nil })
						sortPairs(got)
						if err != nil || !slices.Equal(got, want) || stats.Pairs != int64(len(want)) {
							t.Fatalf("collection %d of %d sets %s, share %v: %v, %d pairs (%+v), want %d", i, n, name, c, err, len(got), stats, len(want))
						}
						is := ints.NewDisjointSets(len(l))
						err = ContainedComponents(t.Context(), s, c, o, is)
						for x := range uint32(len(l)) {
							if err != nil || is.Find(x) != connected.Find(x) {
								t.Fatalf("collection %d of %d sets %s, share %v: %v, set %d is connected with %d, want %d", i, n, name, c, err, x, is.Find(x), connected.Find(x))
							}
						}
					}
				}
			}
		}
	}
	if found < 10_000 {
		t.Errorf("only %d pairs", found)
	}
}

// Small parts of large sets are not compared with all large ones, and errors end the search.
func TestContainedPairsCompareFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	var l testkit.Lists
	const n = 2000
	for i := range n {
		s := make([]uint64, 0, 300)
		for range 300 {
			s = append(s, testkit.Feature(rng, 1<<20))
		}
		if i%2 == 1 {
			s = slices.Clone(l[i-1])
			rng.Shuffle(len(s), func(a, b int) { s[a], s[b] = s[b], s[a] })
			s = s[:30]
		}
		l = append(l, testkit.Distinct(s))
	}
	s, err := prefix.Collect(t.Context(), l, prefix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stats Stats
	if err := Contained(t.Context(), s, 0.9, Options{Threads: 2, Stats: &stats}, func([]Pair) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if stats.Pairs < n/2 || stats.Candidates > 2*stats.Pairs {
		t.Errorf("%+v", stats)
	}
	if err := Contained(t.Context(), s, 0.9, Options{Threads: 2}, func([]Pair) error { return errStopped }); !errors.Is(err, errStopped) {
		t.Error(err)
	}
	for _, c := range []float64{0, -0.1, 1.1} {
		if err := Contained(t.Context(), s, c, Options{}, func([]Pair) error { return nil }); err == nil {
			t.Errorf("a share of %v is taken", c)
		}
	}
}
