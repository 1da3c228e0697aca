package prefix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ints"
	"simsearch/section"
)

// lists is a Source in memory.
type lists [][]uint64

func (l lists) Len() int { return len(l) }

func (l lists) Features() (n uint64) {
	for _, s := range l {
		n += uint64(len(s))
	}
	return n
}

func (l lists) Scan(do func([]uint64) error) error {
	for _, s := range l {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns xs as a set.
func distinct(xs []uint64) []uint64 {
	slices.Sort(xs)
	return slices.Compact(xs)
}

// edited returns sets of features in [0, universe), times a large odd number. Half of them are edits of
// earlier ones.
func edited(rng *rand.Rand, n, universe, longest int) lists {
	var l lists
	for len(l) < n {
		var s []uint64
		if len(l) > 0 && rng.IntN(2) == 0 {
			s = slices.Clone(l[rng.IntN(len(l))])
			for range rng.IntN(1 + len(s)/3) {
				s[rng.IntN(len(s))] = feature(rng, universe)
			}
		} else {
			for range 1 + rng.IntN(longest) {
				s = append(s, feature(rng, universe))
			}
		}
		l = append(l, distinct(s))
	}
	return l
}

// feature returns a feature. Low numbers are frequent.
func feature(rng *rand.Rand, universe int) uint64 {
	return golden * uint64(1+rng.IntN(1+rng.IntN(universe)))
}

// loaded returns sets that have been written to a file and read from it.
func loaded(t testing.TB, l lists, threshold float64) *Sets {
	t.Helper()
	return loadedBy(t, l, threshold, Options{Threads: 2})
}

func loadedBy(t testing.TB, l lists, threshold float64, o Options) *Sets {
	t.Helper()
	var b bytes.Buffer
	w := section.NewWriter(&b)
	if err := Write(t.Context(), w, l, threshold, o); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(f, uint64(len(l)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// all returns the sets in memory, those of a file and those for pairs only.
func all(t testing.TB, l lists, threshold float64) map[string]*Sets {
	t.Helper()
	s, err := Collect(t.Context(), l, threshold, Options{Threads: 3, Memory: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	pairsOnly, err := Collect(t.Context(), l, threshold, Options{PairsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Sets{"in memory": s, "of a file": loaded(t, l, threshold), "for pairs only": pairsOnly}
}

// allPairs compares each set with each other.
func allPairs(l lists, threshold float64) (pairs []Pair) {
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

// allNear compares a query with each set.
func allNear(l lists, query []uint64, threshold float64) (found []Match) {
	for i, s := range l {
		if ints.Jaccard(s, query) >= threshold {
			found = append(found, Match{uint32(i), ints.Shared(s, query), len(s)})
		}
	}
	return found
}

var thresholds = []float64{0.05, 0.3, 0.5, 2. / 3, 0.75, 0.8, 0.9, 1}

// Pairs and Near find what comparing each with each finds, at thresholds that many pairs meet exactly.
func TestEqualsReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 30, 300} {
		for _, universe := range []int{5, 40, 3000, 1 << 30} {
			for _, longest := range []int{3, 12, 60} {
				l := edited(rng, n, universe, longest)
				for name, s := range all(t, l, thresholds[rng.IntN(len(thresholds))]) {
					for _, threshold := range thresholds {
						compareWithReference(t, fmt.Sprintf("%d sets %s, universe %d, to %d features, threshold %v", n, name, universe, longest, threshold), rng, l, s, threshold)
					}
				}
			}
		}
	}
}

func compareWithReference(t *testing.T, what string, rng *rand.Rand, l lists, s *Sets, threshold float64) {
	t.Helper()
	var got []Pair
	err := s.Pairs(t.Context(), threshold, PairOptions{Threads: 2}, func(p []Pair) error { got = append(got, p...); return nil })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	sortPairs(got)
	if want := allPairs(l, threshold); !slices.Equal(got, want) {
		t.Fatalf("%s: %d pairs, want %d", what, len(got), len(want))
	}
	if s.pairsOnly {
		_, err1 := s.Near(t.Context(), nil, l[0], threshold, nil)
		err2 := s.Each(t.Context(), l[0], func() float64 { return 0 }, func(Match) {})
		if _, err3 := s.AppendSet(nil, 0); err1 == nil || err2 == nil || err3 == nil {
			t.Fatalf("%s: they answer what they cannot: %v, %v, %v", what, err1, err2, err3)
		}
		return
	}
	for range 10 {
		query := slices.Clone(l[rng.IntN(len(l))])
		for range rng.IntN(3) {
			query[rng.IntN(len(query))] = feature(rng, 1<<20)
		}
		query = distinct(query)
		got, err := s.Near(t.Context(), nil, query, threshold, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		slices.SortFunc(got, func(a, b Match) int { return cmp.Compare(a.Set, b.Set) })
		if want := allNear(l, query, threshold); !slices.Equal(got, want) {
			t.Fatalf("%s: a query of %d features: %v, want %v", what, len(query), got, want)
		}
	}
}

// Sets whose prefixes have too many features for postings are compared one by one, in memory and in files.
func TestWithoutPostings(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	l := edited(rng, 100, 40, 30)
	o := Options{mostEntries: 50}
	s, err := Collect(t.Context(), l, 0.8, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Sets{"in memory": s, "of a file": loadedBy(t, l, 0.8, o)} {
		if s.Looks(0.8) {
			t.Errorf("%s: there are postings", name)
		}
		compareWithReference(t, name, rng, l, s, 0.8)
	}
}

// Sets that share more first features than a byte can count are found once.
func TestLongSets(t *testing.T) {
	for _, n := range []int{1300, 3000, 5000} {
		l := make(lists, 3)
		for i := range l {
			for f := range n {
				l[i] = append(l[i], golden*uint64(f+1))
			}
			l[i][i] = golden * uint64(n+i+1)
			slices.Sort(l[i])
		}
		for name, s := range all(t, l, 0.8) {
			compareWithReference(t, fmt.Sprintf("%d features %s", n, name), rand.New(rand.NewPCG(8, 1)), l, s, 0.8)
			of, err := s.Stars(t.Context(), 0.8, []uint32{0, 1, 2}, StarOptions{}, PairOptions{})
			if want := allStars(l, []uint32{0, 1, 2}, 0, 0.8); err != nil || !slices.Equal(of, want) {
				t.Errorf("%d features %s: %v, %v, want %v", n, name, of, err, want)
			}
		}
	}
}

// allStars compares each set with the centers before it.
func allStars(l lists, order []uint32, first int, threshold float64) []Star {
	of := make([]Star, len(l))
	for i := range of {
		of[i].Center = NoStar
	}
	var centers []uint32
	for place, set := range order {
		best := 0.0
		for _, c := range centers {
			if place < first {
				break
			}
			if j := ints.Jaccard(l[set], l[c]); j >= threshold && j > best {
				best, of[set] = j, Star{c, ints.Shared(l[set], l[c])}
			}
		}
		if best == 0 {
			centers, of[set] = append(centers, set), Star{set, len(l[set])}
		}
	}
	return of
}

// Stars are those that comparing each set with each center finds, in any order of the sets.
func TestStarsEqualReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, n := range []int{1, 2, 30, 300, 3 * starBlock / 2} {
		for _, universe := range []int{5, 40, 3000, 1 << 30} {
			l := edited(rng, n, universe, []int{3, 12, 60}[rng.IntN(3)])
			var order []uint32
			for _, set := range rng.Perm(n) {
				if rng.IntN(10) > 0 {
					order = append(order, uint32(set))
				}
			}
			some := thresholds
			if n > starBlock { // several blocks
				if universe != 3000 {
					continue
				}
				some = []float64{0.8}
			}
			sets := all(t, l, 0.5)
			for _, threshold := range some {
				first := rng.IntN(2) * rng.IntN(1+len(order)/2)
				want := allStars(l, order, first, threshold)
				for name, s := range sets {
					got, err := s.Stars(t.Context(), threshold, order, StarOptions{First: first}, PairOptions{Threads: 2})
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
	l := edited(rng, 300, 3000, 40)
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
		got, err := s.Degrees(t.Context(), 0.6, weights, PairOptions{Threads: 2})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: other degrees than those of comparing all; %v", name, err)
		}
		pairs, ok, err := s.Few(t.Context(), 0.6, PairOptions{Threads: 2})
		if sortPairs(pairs); err != nil || !ok || !slices.Equal(pairs, allPairs(l, 0.6)) {
			t.Errorf("%s: other pairs than those of comparing all; %v, %v", name, ok, err)
		}
	}
}

// Crowds that share a template are not compared pair by pair, whether all are near or none.
func TestStarsOfCrowds(t *testing.T) {
	const n, size = 3000, 250
	for _, c := range []struct{ template, centers int }{{214, n}, {230, 1}} {
		rng := rand.New(rand.NewPCG(7, uint64(c.template)))
		l := make(lists, n)
		for i := range l {
			for f := range c.template {
				l[i] = append(l[i], golden*uint64(f+1))
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
		s, err := Collect(t.Context(), l, 0.8, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var stats PairStats
		of, err := s.Stars(t.Context(), 0.8, order, StarOptions{}, PairOptions{Threads: 2, Stats: &stats})
		if err != nil {
			t.Fatal(err)
		}
		centers := 0
		for i, s := range of {
			if s.Center == uint32(i) {
				centers++
			}
		}
		weights := make([]uint32, n)
		for i := range weights {
			weights[i] = 1
		}
		var read PairStats
		degrees, err := s.Degrees(t.Context(), 0.8, weights, PairOptions{Threads: 2, Stats: &read})
		if err != nil || c.centers == 1 && (read.Pairs > 100*n || read.Entries > 1000*n || slices.Min(degrees) < mostInCrowd) {
			t.Errorf("degrees from %d on, %v; %+v", slices.Min(degrees), err, read)
		}
		if pairs, ok, err := s.Few(t.Context(), 0.8, PairOptions{Threads: 2}); err != nil || ok != (c.centers == n) || len(pairs) > 0 {
			t.Errorf("%d of the pairs of a crowd are few: %v, %v", len(pairs), ok, err)
		}
		if centers != c.centers || stats.Candidates > n || stats.Entries > 50*n {
			t.Errorf("%d features of %d are shared: %d centers, want %d; %+v", c.template, size, centers, c.centers, stats)
		}
	}
}

// What is stored is what was given.
func TestSetsAreKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	l := edited(rng, 400, 1000, 200)
	for name, s := range all(t, l, 0.8) {
		for i, want := range l {
			got, err := s.AppendSet(nil, uint32(i))
			if !s.pairsOnly && (err != nil || !slices.Equal(got, want)) {
				t.Fatalf("%s: set %d: %v, %v, want %v", name, i, got, err, want)
			}
			other := rng.IntN(len(l))
			shared, a, b, err := s.Shared(uint32(i), uint32(other))
			if err != nil || shared != ints.Shared(want, l[other]) || a != len(want) || b != len(l[other]) {
				t.Fatalf("%s: sets %d and %d: %d of %d and %d, %v", name, i, other, shared, a, b, err)
			}
		}
	}
}

// Sizes and numbers of shared features are the least that meet the threshold.
func TestBounds(t *testing.T) {
	for _, threshold := range thresholds {
		for a := 1; a < 60; a++ {
			least := 1
			for !Similar(least, a, least, threshold) && least < a {
				least++
			}
			if got := LeastSize(a, threshold); got != least {
				t.Errorf("threshold %v: a set of %d features: at least %d, want %d", threshold, a, got, least)
			}
			most := a
			for most < 1000 && Similar(a, a, most+1, threshold) {
				most++
			}
			if got := MostSize(a, threshold, 1000); got != most {
				t.Errorf("threshold %v: a set of %d features: at most %d, want %d", threshold, a, got, most)
			}
			for b := 1; b < 60; b++ {
				shared := 0
				for shared < a+b && !Similar(shared, a, b, threshold) {
					shared++
				}
				if got := LeastShared(a, b, threshold); got != shared {
					t.Errorf("threshold %v: sets of %d and %d features share at least %d, want %d", threshold, a, b, got, shared)
				}
			}
		}
	}
}

// damaged returns a section file like good, with right checksums, of which some bytes of the contents are
// changed.
func damaged(t *testing.T, good []byte, changes map[int]byte) []byte {
	t.Helper()
	f, err := section.Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := section.NewWriter(&b)
	at := 0
	f.Sections(func(name string, _, _ uint64) bool {
		contents, err := f.Bytes(name)
		if err != nil {
			t.Fatal(err)
		}
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
	l := edited(rng, 40, 60, 30)
	var b bytes.Buffer
	w := section.NewWriter(&b)
	if err := Write(f.Context(), w, l, 0.7, Options{}); err != nil {
		f.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		f.Fatal(err)
	}
	good := b.Bytes()
	f.Add(uint16(100), byte(1), uint16(2000), byte(0x80))
	f.Fuzz(func(t *testing.T, at uint16, with byte, at2 uint16, with2 byte) {
		file, err := section.Parse(damaged(t, good, map[int]byte{int(at): with, int(at2): with2}))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Load(file, uint64(len(l)))
		if err != nil {
			if !errors.Is(err, section.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		for _, threshold := range []float64{0.3, 0.7, 0.9} {
			if _, err := s.Near(t.Context(), nil, l[int(at)%len(l)], threshold, nil); err != nil && !errors.Is(err, section.ErrCorrupt) {
				t.Fatal(err)
			}
			if err := s.Pairs(t.Context(), threshold, PairOptions{}, func([]Pair) error { return nil }); err != nil && !errors.Is(err, section.ErrCorrupt) {
				t.Fatal(err)
			}
		}
	})
}

// Features that are not hashed share their first bits, so that one slot of the vocabulary has all of them. Pairs and Near find
// what comparing each with each finds, 0 and the largest number included.
func TestFeaturesOfOneSlot(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for name, first := range map[string]uint64{"small": 0, "large": ^uint64(0) - 299, "of equal first bits": 0xdeadbeef << 32} {
		var l lists
		for range 150 {
			var s []uint64
			if len(l) > 0 && rng.IntN(2) == 0 {
				s = slices.Clone(l[rng.IntN(len(l))])
			}
			for range 1 + rng.IntN(20) {
				s = append(s, first+uint64(rng.IntN(300)))
			}
			l = append(l, distinct(append(s, []uint64{0, ^uint64(0)}[rng.IntN(2)])))
		}
		for where, s := range all(t, l, 0.8) {
			for _, threshold := range thresholds {
				compareWithReference(t, fmt.Sprintf("features %s, sets %s, threshold %v", name, where, threshold), rng, l, s, threshold)
			}
		}
	}
}
