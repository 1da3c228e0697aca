package setjoin

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

var thresholds = []float64{0.05, 0.3, 0.5, 2. / 3, 0.75, 0.8, 0.9, 1}

// loaded returns sets that have been written to a file and read from it.
func loaded(t testing.TB, l testkit.Lists, threshold float64) *prefix.Sets {
	t.Helper()
	return loadedBy(t, l, threshold, prefix.Options{Threads: 2})
}

func loadedBy(t testing.TB, l testkit.Lists, threshold float64, o prefix.Options) *prefix.Sets {
	t.Helper()
	var b bytes.Buffer
	w := section.NewWriter(&b)
	if err := prefix.Write(t.Context(), w, l, threshold, o); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	s := prefix.Load(f, uint64(len(l)))
	return s
}

// all returns the sets of a file and those for pairs only.
func all(t testing.TB, l testkit.Lists, threshold float64) map[string]*prefix.Sets {
	t.Helper()
	pairsOnly, err := prefix.Collect(t.Context(), l, prefix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*prefix.Sets{"of a file": loaded(t, l, threshold), "for pairs only": pairsOnly}
}

// allPairs compares each set with each other.
func allPairs(l testkit.Lists, threshold float64) (pairs []Pair) {
	for b := range l {
		for a := range b {
			if ints.Jaccard(l[a], l[b]) >= threshold {
				pairs = append(pairs, Pair{uint32(a), uint32(b), ints.Shared(l[a], l[b])})
			}
		}
	}
	sortPairs(pairs)
	return pairs
}

func sortPairs(pairs []Pair) {
	slices.SortFunc(pairs, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
}

// allStars compares each set with the centers before it.
func allStars(l testkit.Lists, order []uint32, how StarOptions, threshold float64) []uint32 {
	of := make([]uint32, len(l))
	for i := range of {
		of[i] = noStar
	}
	var centers []uint32
	for place, set := range order {
		best := 0.0
		for _, c := range centers {
			if place < how.First || !how.same(set, c) {
				continue
			}
			if j := ints.Jaccard(l[set], l[c]); j >= threshold && j > best {
				best, of[set] = j, c
			}
		}
		if best == 0 {
			centers, of[set] = append(centers, set), set
		}
	}
	return of
}

// Pairs finds what comparing each with each finds, at thresholds that many pairs meet exactly.
func TestPairsEqualReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 30, testkit.Of(120, 300)} {
		for _, universe := range []int{5, 40, 3000, 1 << 30} {
			for _, longest := range []int{3, 12, 60} {
				l := testkit.EditedSets(rng, n, universe, longest)
				for name, s := range all(t, l, thresholds[rng.IntN(len(thresholds))]) {
					for _, threshold := range thresholds {
						comparePairs(t, fmt.Sprintf("%d sets %s, universe %d, to %d features, threshold %v", n, name, universe, longest, threshold), l, s, threshold)
					}
				}
			}
		}
	}
}

func comparePairs(t *testing.T, what string, l testkit.Lists, s *prefix.Sets, threshold float64) {
	t.Helper()
	var got []Pair
	err := Pairs(t.Context(), s, threshold, Options{Threads: 2}, func(p []Pair) error { got = append(got, p...); return nil })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	sortPairs(got)
	if want := allPairs(l, threshold); !slices.Equal(got, want) {
		t.Fatalf("%s: %d pairs, want %d", what, len(got), len(want))
	}
}

// Features that are not hashed share their first bits, so that one slot of the vocabulary has all of them. Pairs finds
// what comparing each with each finds, 0 and the largest number included.
func TestFeaturesOfOneSlot(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for name, first := range map[string]uint64{"small": 0, "large": ^uint64(0) - 299, "of equal first bits": 0xdeadbeef << 32} {
		l := testkit.OneSlotSets(rng, first)
		for where, s := range all(t, l, 0.8) {
			for _, threshold := range thresholds {
				comparePairs(t, fmt.Sprintf("features %s, sets %s, threshold %v", name, where, threshold), l, s, threshold)
			}
		}
	}
}

// Stars are those that comparing each set with each center finds, in any order of the sets.
func TestStarsEqualReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, n := range []int{1, 2, 30, testkit.Of(60, 300), testkit.Of(500, 6000)} {
		for _, universe := range []int{5, 40, 3000, 1 << 30} {
			l := testkit.EditedSets(rng, n, universe, []int{3, 12, 60}[rng.IntN(3)])
			var order []uint32
			for _, set := range rng.Perm(n) {
				if rng.IntN(10) > 0 {
					order = append(order, uint32(set))
				}
			}
			some := thresholds
			if n > 300 { // several blocks
				if universe != 3000 {
					continue
				}
				some = []float64{0.8}
			}
			sets := all(t, l, 0.5)
			for _, threshold := range some {
				first := rng.IntN(2) * rng.IntN(1+len(order)/2)
				want := allStars(l, order, StarOptions{First: first}, threshold)
				for name, s := range sets {
					got, err := Stars(t.Context(), s, threshold, order, StarOptions{First: first}, Options{Threads: 2, few: rng.IntN(2), company: 1, candidates: 1, chunk: 1})
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("%d sets %s, universe %d, threshold %v: %v, or other stars than comparing all", n, name, universe, threshold, err)
					}
				}
			}
		}
	}
}

// Degrees are the weights of all near sets, if no set has very many.
func TestDegrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	l := testkit.EditedSets(rng, 300, 3000, 40)
	want, weights := make([]uint32, len(l)), make([]uint32, len(l))
	for i := range l {
		weights[i] = 1 + rng.Uint32N(5)
		want[i] = weights[i] - 1
	}
	for _, p := range allPairs(l, 0.6) {
		want[p.A] += weights[p.B]
		want[p.B] += weights[p.A]
	}
	for name, s := range all(t, l, 0.8) {
		got, err := Degrees(t.Context(), s, 0.6, weights, Options{Threads: 2, chunk: 1})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: other degrees than those of comparing all; %v", name, err)
		}
		near, err := NearPairs(t.Context(), s, 0.6, Options{Threads: 2})
		if sortPairs(near.Pairs); err != nil || !near.Few() || !slices.Equal(near.Pairs, allPairs(l, 0.6)) {
			t.Errorf("%s: other pairs than those of comparing all; %v, %v", name, near.Few(), err)
		}
	}
}

// Crowds that share a template are not compared pair by pair, whether all are near or none.
func TestStarsOfCrowds(t *testing.T) {
	const n, size = 3000, 250
	for _, c := range []struct{ template, centers int }{{214, n}, {230, 1}} {
		rng := rand.New(rand.NewPCG(7, uint64(c.template)))
		l := make(testkit.Lists, n)
		for i := range l {
			for f := range c.template {
				l[i] = append(l[i], testkit.Spread*uint64(f+1))
			}
			for range size - c.template {
				l[i] = append(l[i], rng.Uint64())
			}
			slices.Sort(l[i])
		}
		order := make([]uint32, n)
		for i := range order {
			order[i] = uint32(i)
		}
		s, err := prefix.Collect(t.Context(), l, prefix.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var stats Stats
		of, err := Stars(t.Context(), s, 0.8, order, StarOptions{}, Options{Threads: 2, Stats: &stats})
		if err != nil {
			t.Fatal(err)
		}
		centers := 0
		for i, s := range of {
			if s == uint32(i) {
				centers++
			}
		}
		weights := make([]uint32, n)
		for i := range weights {
			weights[i] = 1
		}
		var read Stats
		degrees, err := Degrees(t.Context(), s, 0.8, weights, Options{Threads: 2, Stats: &read})
		if err != nil || c.centers == 1 && (read.Pairs > 100*n || read.Entries > 1000*n || slices.Min(degrees) < mostInCrowd) {
			t.Errorf("degrees from %d on, %v; %+v", slices.Min(degrees), err, read)
		}
		near, err := NearPairs(t.Context(), s, 0.8, Options{Threads: 2, Stats: &read})
		if err != nil || near.Few() != (c.centers == n) || !near.Few() && (len(near.Pairs) > 2*n+fewPairs || read.Candidates > 1000*n) {
			t.Errorf("%d of the pairs of a crowd are listed, few %v, %v; %+v", len(near.Pairs), near.Few(), err, read)
		}
		if centers != c.centers || stats.Candidates > n+2*starBlock {
			t.Errorf("%d features of %d are shared: %d centers, want %d; %+v", c.template, size, centers, c.centers, stats)
		}
	}
}

// Sets that share more first features than a byte can count are found once.
func TestLongSets(t *testing.T) {
	for _, n := range []int{1300, 3000, 5000} {
		l := make(testkit.Lists, 3)
		for i := range l {
			for f := range n {
				l[i] = append(l[i], testkit.Spread*uint64(f+1))
			}
			l[i][i] = testkit.Spread * uint64(n+i+1)
			slices.Sort(l[i])
		}
		for name, s := range all(t, l, 0.8) {
			comparePairs(t, fmt.Sprintf("%d features %s", n, name), l, s, 0.8)
			of, err := Stars(t.Context(), s, 0.8, []uint32{0, 1, 2}, StarOptions{}, Options{})
			if want := allStars(l, []uint32{0, 1, 2}, StarOptions{}, 0.8); err != nil || !slices.Equal(of, want) {
				t.Errorf("%d features %s: %v, %v, want %v", n, name, of, err, want)
			}
		}
	}
}

// damaged returns a section file like good, with right checksums, of which some bytes of the contents are
// changed.
func damaged(t *testing.T, good []byte, changes map[int]byte) []byte {
	t.Helper()
	f, err := section.Parse("", good)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := section.NewWriter(&b)
	at := 0
	f.Sections(func(name string, _, _ uint64) bool {
		contents := f.Bytes(name)
		contents = slices.Clone(contents)
		for i := range contents {
			contents[i] ^= changes[at]
			at++
		}
		w.Begin(name)
		_, _ = w.Write(contents)
		return true
	})
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Damaged bytes give errors, and no panic.
func FuzzDamage(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 1))
	l := testkit.EditedSets(rng, 40, 60, 30)
	var b bytes.Buffer
	w := section.NewWriter(&b)
	if err := prefix.Write(f.Context(), w, l, 0.7, prefix.Options{}); err != nil {
		f.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		f.Fatal(err)
	}
	good := b.Bytes()
	f.Add(uint16(100), byte(1), uint16(2000), byte(0x80))
	f.Fuzz(func(t *testing.T, at uint16, with byte, at2 uint16, with2 byte) {
		file, err := section.Parse("", damaged(t, good, map[int]byte{int(at): with, int(at2): with2}))
		if err != nil {
			t.Fatal(err)
		}
		s := prefix.Load(file, uint64(len(l)))
		for _, threshold := range []float64{0.3, 0.7, 0.9} {
			if _, err := s.Near(t.Context(), nil, l[int(at)%len(l)], threshold, nil); err != nil && !errors.Is(err, section.ErrCorrupt) {
				t.Fatal(err)
			}
			if err := Pairs(t.Context(), s, threshold, Options{}, func([]Pair) error { return nil }); err != nil && !errors.Is(err, section.ErrCorrupt) {
				t.Fatal(err)
			}
		}
	})
}
