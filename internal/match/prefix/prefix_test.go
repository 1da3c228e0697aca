package prefix

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// loaded returns sets that have been written to a file and read from it.
func loaded(t testing.TB, l testkit.Lists, threshold float64) *Sets {
	t.Helper()
	return loadedBy(t, l, threshold, Options{Threads: 2})
}

func loadedBy(t testing.TB, l testkit.Lists, threshold float64, o Options) *Sets {
	t.Helper()
	var b bytes.Buffer
	w := section.NewWriter(&b)
	if err := Write(t.Context(), w, l, threshold, o); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	s := Load(f, uint64(len(l)))
	return s
}

// all returns the sets of a file, made in more memory or less, and those for pairs only.
func all(t testing.TB, l testkit.Lists, threshold float64) map[string]*Sets {
	t.Helper()
	pairsOnly, err := Collect(t.Context(), l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Sets{
		"in little memory": loadedBy(t, l, threshold, Options{Threads: 3, Memory: 1 << 10}), "of a file": loaded(t, l, threshold), "for pairs only": pairsOnly,
		"coded as they come": loadedBy(t, l, threshold, Options{Threads: 2, learnSets: max(1, len(l)/10)}),
	}
}

// allNear compares a query with each set.
func allNear(l testkit.Lists, query []uint64, threshold float64) (found []Match) {
	for i, s := range l {
		if ints.Jaccard(s, query) >= threshold {
			found = append(found, Match{uint32(i), ints.Shared(s, query), len(s)})
		}
	}
	return found
}

var thresholds = []float64{0.05, 0.3, 0.5, 2. / 3, 0.75, 0.8, 0.9, 1}

// Near finds what comparing each with each finds, at thresholds that many pairs meet exactly.
func TestNearEqualsReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 30, 300} {
		for _, universe := range []int{5, 40, 3000, 1 << 30} {
			for _, longest := range []int{3, 12, 60} {
				l := testkit.EditedSets(rng, n, universe, longest)
				for name, s := range all(t, l, thresholds[rng.IntN(len(thresholds))]) {
					for _, threshold := range thresholds {
						compareWithReference(t, fmt.Sprintf("%d sets %s, universe %d, to %d features, threshold %v", n, name, universe, longest, threshold), rng, l, s, threshold)
					}
				}
			}
		}
	}
}

// Containing finds what comparing each query with each set finds.
func TestContainingEqualsReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	pairs := 0
	for _, n := range []int{1, 2, 30, testkit.Of(200, 600)} {
		for _, universe := range []int{5, 40, 3000, 1 << 30} {
			l := testkit.EditedSets(rng, n, universe, []int{3, 12, 60}[rng.IntN(3)])
			var queries testkit.Lists
			for range 1 + rng.IntN(60) { // parts of sets, with a few features more, and sets with much more
				q := slices.Clone(l[rng.IntN(n)])
				rng.Shuffle(len(q), func(a, b int) { q[a], q[b] = q[b], q[a] })
				q = q[:1+rng.IntN(len(q))]
				for range rng.IntN(3) * rng.IntN(40) {
					q = append(q, testkit.Feature(rng, universe))
				}
				queries = append(queries, testkit.Distinct(q))
			}
			for name, s := range all(t, l, 0.8) {
				for _, share := range thresholds {
					var got, want [][3]int
					for q, query := range queries {
						for set, features := range l {
							if shared := ints.Shared(query, features); Contained(shared, len(query), len(features)) >= share {
								want = append(want, [3]int{q, set, shared})
							}
						}
					}
					if s.pairsOnly {
						continue
					}
					err := s.Containing(t.Context(), queries, share, func(q int, m Match) {
						got = append(got, [3]int{q, int(m.Set), m.Shared})
					})
					slices.SortFunc(got, func(a, b [3]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("%d queries of %d sets %s, universe %d, share %v: %v, %d matches, want %d", len(queries), n, name, universe, share, err, len(got), len(want))
					}
					pairs += len(got)
				}
			}
		}
	}
	if pairs < 10_000 {
		t.Errorf("only %d matches", pairs)
	}
}

func compareWithReference(t *testing.T, what string, rng *rand.Rand, l testkit.Lists, s *Sets, threshold float64) {
	t.Helper()
	if s.pairsOnly {
		for _, asked := range []func(){
			func() { _, _ = s.Near(t.Context(), nil, l[0], threshold, nil) },
			func() { _ = s.Each(t.Context(), l[0], func() float64 { return 0 }, func(Match) {}) },
			func() { s.AppendSet(nil, 0) },
		} {
			func() {
				defer func() {
					if p := recover(); p != pairsOnly {
						t.Fatalf("%s: they answer what they cannot: %v", what, p)
					}
				}()
				asked()
			}()
		}
		return
	}
	for range 10 {
		query := slices.Clone(l[rng.IntN(len(l))])
		for range rng.IntN(3) {
			query[rng.IntN(len(query))] = testkit.Feature(rng, 1<<20)
		}
		query = testkit.Distinct(query)
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

// Sets whose prefixes have too many features for postings are compared one by one.
func TestWithoutPostings(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	l := testkit.EditedSets(rng, 100, 40, 30)
	s := loadedBy(t, l, 0.8, Options{mostEntries: 50})
	if s.Looks(0.8) {
		t.Error("there are postings")
	}
	compareWithReference(t, "without postings", rng, l, s, 0.8)
}

// What is stored is what was given.
func TestSetsAreKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	l := testkit.EditedSets(rng, 400, 1000, 200)
	for name, s := range all(t, l, 0.8) {
		for i, want := range l {
			if !s.pairsOnly && !slices.Equal(s.AppendSet(nil, uint32(i)), want) {
				t.Fatalf("%s: set %d: want %v", name, i, want)
			}
			other := rng.IntN(len(l))
			shared, a, b := s.Shared(uint32(i), uint32(other))
			if shared != ints.Shared(want, l[other]) || a != len(want) || b != len(l[other]) {
				t.Fatalf("%s: sets %d and %d: %d of %d and %d", name, i, other, shared, a, b)
			}
		}
	}
}

// Each bound is what exact fractions say, for sizes up to 100,000 and similarities that quotients of them meet
// exactly. Those that may be one more are not two more, and never less.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	sizes := testkit.Sizes(rng)
	for _, f := range testkit.Fractions() {
		x := f.Float()
		is := func(what string, n, got, want, more int) {
			if got < want || got > want+more {
				t.Errorf("threshold %v, %d features: %s is %d, want %d", f, n, what, got, want)
			}
		}
		for _, n := range sizes {
			is("the least size", n, LeastSize(n, x), f.LeastSize(n), 0)
			is("the largest size", n, MostSize(n, x, math.MaxInt32), f.MostSize(n), 0)
			is("the largest size below a limit", n, MostSize(n, x, 2*n), min(2*n, f.MostSize(n)), 0)
			is("the short prefix", n, Lengths{x}.Short(n, 1), n-f.LeastShared(2*n)+1, 0)
			is("the long prefix", n, Lengths{x}.Probed(n, 1), n-f.LeastSize(n)+1, 0)
			for _, m := range []int{1, f.LeastSize(n), n, min(f.MostSize(n), 200_000), sizes[rng.IntN(len(sizes))]} {
				is(fmt.Sprintf("the least number shared with %d", m), n, LeastShared(n, m, x), f.LeastShared(n+m), 0)
				is(fmt.Sprintf("what may differ from %d", m), n, Lengths{x}.Unshared(n)+Lengths{x}.Unshared(m)+1, f.MostUnshared(n+m), 2)
				for shared := max(0, f.LeastShared(n+m)-1); shared <= min(n, m, f.LeastShared(n+m)+1); shared++ {
					if Similar(shared, n, m, x) != f.Similar(shared, n, m) {
						t.Errorf("threshold %v: %d shared of %d and %d", f, shared, n, m)
					}
				}
			}
			for _, shared := range []int{1, n / 2, f.LeastSize(n), n} {
				is(fmt.Sprintf("the largest size that shares %d", shared), n, MostSharing(n, shared, x), max(0, f.MostSharing(n, shared)), 0)
			}
		}
	}
}

// Features that are not hashed share their first bits, so that one slot of the vocabulary has all of them. Near finds
// what comparing all finds, 0 and the largest number included.
func TestFeaturesOfOneSlot(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for name, first := range map[string]uint64{"small": 0, "large": ^uint64(0) - 299, "of equal first bits": 0xdeadbeef << 32} {
		l := testkit.OneSlotSets(rng, first)
		for where, s := range all(t, l, 0.8) {
			for _, threshold := range thresholds {
				compareWithReference(t, fmt.Sprintf("features %s, sets %s, threshold %v", name, where, threshold), rng, l, s, threshold)
			}
		}
	}
}

// Sets share what Shared says, if they share nothing before a rank.
func TestSharedFrom(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 1))
	l := testkit.EditedSets(rng, 60, 40, 25)
	s, err := Collect(t.Context(), l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(len(l)) {
		for j := range i {
			want, _, _ := s.Shared(i, j)
			firsts := 0
			for rank := range uint32(s.ranks) {
				for k, least := range []int{1, want, want + 3} {
					got := s.SharedFrom(i, j, rank, least)
					if err != nil || got > want || got != 0 && least <= want && got != want {
						t.Fatalf("sets %d and %d share %d features from rank %d, want %d; %v", i, j, got, rank, want, err)
					}
					if k == 0 && got > 0 {
						firsts++
					}
				}
			}
			if err != nil || (firsts == 1) != (want > 0) {
				t.Fatalf("sets %d and %d begin to share at %d ranks; %v", i, j, firsts, err)
			}
		}
	}
}

// Sets without postings are the same sets, and searches compare all of them.
func TestNoPostings(t *testing.T) {
	l := testkit.EditedSets(rand.New(rand.NewPCG(3, 6)), 300, 400, 40)
	with, without := loaded(t, l, 0.8), loadedBy(t, l, 0.8, Options{Threads: 2, NoPostings: true})
	if without.Looks(0.8) || !with.Looks(0.8) {
		t.Error("sets without postings have some, or the others have none")
	}
	if !slices.Equal(with.features.All, without.features.All) || with.features.Len() != with.Ranks() {
		t.Error("the vocabularies differ")
	}
	for i := range l {
		if got := without.AppendSet(nil, uint32(i)); !slices.Equal(got, l[i]) {
			t.Errorf("set %d is %v, want %v", i, got, l[i])
		}
	}
}
