package setjoin

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// formSets returns n sets of some forms: of a form of so many features, up to most are replaced by others of a
// universe. Some forms differ from another one in a third of their features.
func formSets(rng *rand.Rand, n, forms, size, most, universe int) testkit.Lists {
	template := func(form, i int) uint64 {
		if form%2 == 1 && i%3 > 0 {
			form--
		}
		return testkit.Spread * uint64(1_000_000+1000*form+i)
	}
	l := make(testkit.Lists, n)
	for i := range l {
		form := rng.IntN(forms)
		for f := range size + rng.IntN(3) {
			l[i] = append(l[i], template(form, f))
		}
		for _, at := range rng.Perm(size)[:rng.IntN(most+1)] {
			l[i][at] = testkit.Feature(rng, universe)
		}
		l[i] = testkit.Distinct(l[i])
	}
	return l
}

// Stars of crowds around the threshold are those of comparing all: of one form, of several, some of which are near
// each other, and of classes; where centers are given, and where few or all features that are not of the form are
// rare.
func TestStarsAroundTheThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, c := range []struct {
		forms, size, most, universe, classes, first int
		threshold                                   float64
	}{
		{forms: 1, size: 60, most: 13, universe: 1 << 40, threshold: 0.8},
		{forms: 1, size: 60, most: 13, universe: 1000, threshold: 0.7},
		{forms: 1, size: 60, most: 13, universe: 100, threshold: 0.8, first: 500},
		{forms: 5, size: 40, most: 16, universe: 3000, threshold: 0.75},
		{forms: 2, size: 80, most: 30, universe: 500, threshold: 0.8, classes: 3},
		{forms: 3, size: 60, most: 40, universe: 1000, threshold: 0.5},
		{forms: 1, size: 200, most: 40, universe: 5000, threshold: 0.9, first: 100},
	} {
		l := formSets(rng, testkit.Of(700, 1200), c.forms, c.size, c.most, c.universe)
		order := make([]uint32, len(l))
		for i, set := range rng.Perm(len(l)) {
			order[i] = uint32(set)
		}
		how := StarOptions{First: c.first}
		if c.classes > 0 {
			for range l {
				how.Class = append(how.Class, rng.Uint64N(uint64(c.classes)))
			}
		}
		want := allStars(l, order, how, c.threshold)
		s, err := prefix.Collect(t.Context(), l, prefix.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{Threads: 2}, {Threads: 2, few: 1, company: 1, candidates: 1}, {Threads: 3, few: 1, company: 8, candidates: 100}} {
			got, err := Stars(t.Context(), s, c.threshold, order, how, o)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%+v, %+v: %v, or other stars than comparing all", c, o, err)
			}
		}
	}
}

// The work for a crowd around the threshold is far from comparing each set with each center.
func TestWorkAroundTheThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, universe := range []int{1 << 40, 5000} {
		l := formSets(rng, 10_000, 1, 60, 13, universe)
		order := make([]uint32, len(l))
		for i := range order {
			order[i] = uint32(i)
		}
		s, err := prefix.Collect(t.Context(), l, prefix.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var stats Stats
		of, err := Stars(t.Context(), s, 0.8, order, StarOptions{}, Options{Threads: 2, Stats: &stats})
		centers := 0
		for set, star := range of {
			if star == uint32(set) {
				centers++
			}
		}
		if all := int64(centers) * int64(len(l)) / 2; err != nil || stats.Candidates > all/50 {
			t.Errorf("universe %d, %d centers: %+v, %v, where comparing all would be %d", universe, centers, stats, err, all)
		}
	}
}
