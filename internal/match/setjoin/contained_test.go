package setjoin

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// allContained is Stars by comparing each set with each center.
func allContained(l testkit.Lists, order []uint32, how StarOptions, t float64) []uint32 {
	of := make([]uint32, len(l))
	for i := range of {
		of[i] = noStar
	}
	var centers []uint32
	for place, set := range order {
		of[set] = set
		best, near := 0.0, false
		for _, center := range centers {
			n, m := len(l[set]), len(l[center])
			shared, j := ints.Shared(l[set], l[center]), ints.Jaccard(l[set], l[center])
			switch {
			case place < how.First || !how.same(set, center):
			case j >= t && (!near || j > best):
				of[set], best, near = center, j, true
			case !near && n <= m && float64(shared)/float64(n) >= how.Contained:
				of[set] = center
			}
		}
		if of[set] == set {
			centers = append(centers, set)
		}
	}
	return of
}

// parted returns sets, many of which are parts of others, with a few features more.
func parted(rng *rand.Rand, n, universe, longest int) testkit.Lists {
	l := testkit.EditedSets(rng, n, universe, longest)
	for i := range l {
		if rng.IntN(3) > 0 || i == 0 {
			continue
		}
		s := slices.Clone(l[rng.IntN(i)])
		rng.Shuffle(len(s), func(a, b int) { s[a], s[b] = s[b], s[a] })
		s = s[:1+rng.IntN(len(s))]
		for range rng.IntN(1 + len(s)/8) {
			s = append(s, testkit.Feature(rng, universe))
		}
		l[i] = testkit.Distinct(s)
	}
	return l
}

func TestContainedEqualsReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	removed := 0
	for _, n := range []int{1, 2, 30, testkit.Of(80, 300), testkit.Of(400, 6000)} {
		for _, universe := range []int{5, 40, 3000, 1 << 30} {
			if n > 300 && universe != 3000 {
				continue
			}
			l := parted(rng, n, universe, []int{3, 12, 60}[rng.IntN(3)])
			var order []uint32
			for _, set := range rng.Perm(n) {
				if rng.IntN(10) > 0 {
					order = append(order, uint32(set))
				}
			}
			first := rng.IntN(2) * rng.IntN(1+len(order)/2)
			slices.SortStableFunc(order[first:], func(a, b uint32) int { return cmp.Compare(len(l[b]), len(l[a])) })
			for _, threshold := range []float64{0.5, 0.8, 1} {
				for _, c := range []float64{0.6, 0.9, 1} {
					if n > 300 && (threshold != 0.8 || c != 0.9) {
						continue
					}
					how := StarOptions{First: first, Contained: c}
					for range rng.IntN(2) * n {
						how.Class = append(how.Class, rng.Uint64N(3))
					}
					want := allContained(l, order, how, threshold)
					for name, s := range all(t, l, threshold) {
						for _, threads := range []int{1, 3} {
							got, err := Stars(t.Context(), s, threshold, order, how, Options{Threads: threads})
							if err != nil || !slices.Equal(got, want) {
								t.Fatalf("%d sets %s, universe %d, threshold %v, share %v: %v, or other stars than comparing all", n, name, universe, threshold, c, err)
							}
						}
					}
					for set, star := range want {
						if star != uint32(set) && star != noStar && ints.Jaccard(l[set], l[star]) < threshold {
							removed++
						}
					}
				}
			}
		}
	}
	if removed < 1000 {
		t.Errorf("only %d sets are contained in others", removed)
	}
}

// Sets in another order are told of, and so are shares that are none.
func TestContainedOfBadOrder(t *testing.T) {
	l := testkit.Lists{{1}, {1, 2}, {1, 2, 3}}
	s, err := prefix.Collect(t.Context(), l, prefix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Stars(t.Context(), s, 0.8, []uint32{0, 2, 1}, StarOptions{First: 0, Contained: 0.9}, Options{}); err == nil {
		t.Error("a larger set behind a smaller one is taken")
	}
	if of, err := Stars(t.Context(), s, 0.8, []uint32{0, 2, 1}, StarOptions{First: 1, Contained: 0.9}, Options{}); err != nil || !slices.Equal(of, []uint32{0, 2, 2}) {
		t.Errorf("%v, %v", of, err)
	}
	for _, c := range []float64{-0.1, 1.1} {
		if _, err := Stars(t.Context(), s, 0.8, nil, StarOptions{Contained: c}, Options{}); err == nil {
			t.Errorf("a share of %v is taken", c)
		}
	}
}

// Pieces of what a crowd shares are not compared with all of it.
func TestContainedInCrowds(t *testing.T) {
	const n, size, template = 4000, 250, 150
	rng := rand.New(rand.NewPCG(17, 1))
	var l testkit.Lists
	for range n {
		var s []uint64
		for f := range template {
			s = append(s, testkit.Spread*uint64(f+1))
		}
		for range size - template {
			s = append(s, rng.Uint64())
		}
		l = append(l, testkit.Distinct(s))
	}
	for range n {
		var s []uint64
		from := rng.IntN(template - 20)
		for f := range 5 + rng.IntN(15) {
			s = append(s, testkit.Spread*uint64(from+f+1))
		}
		l = append(l, testkit.Distinct(s))
	}
	s, err := prefix.Collect(t.Context(), l, prefix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	order := make([]uint32, 2*n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(len(l[b]), len(l[a])) })
	var stats Stats
	of, err := Stars(t.Context(), s, 0.8, order, StarOptions{Contained: 0.9}, Options{Threads: 2, Stats: &stats})
	if err != nil {
		t.Fatal(err)
	}
	for set, star := range of {
		if (int(star) == set) != (set < n) {
			t.Fatalf("set %d belongs to %d", set, star)
		}
	}
	if stats.Candidates > 4*starBlock*n || stats.Pairs != n {
		t.Errorf("%+v", stats)
	}
}
