package setjoin

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// joins are options of Pairs, which finds the same by all of them.
var joins = []Options{
	{Threads: 1},
	{Threads: 2, Memory: 1},
	{Threads: 1, long: 1 << 20},
	{Threads: 2, chunk: 1},
	{Threads: 2, chunk: 1, Memory: 1 << 14},
	{Threads: 2, long: 5, chunk: 100},
	{Threads: 2, long: 5, Memory: 1 << 14},
	{Threads: 2, long: 1 << 20, Memory: 1},
	{Threads: 2, long: 4},
}

// joinedBy returns the pairs of sets as Pairs finds them.
func joinedBy(t testing.TB, s *prefix.Sets, threshold float64, o Options) (pairs []Pair) {
	t.Helper()
	done := 0
	o.Progress = func(now, all int) {
		if now < done || now > all || all != s.Len() {
			t.Errorf("%d of %d sets are done after %d", now, all, done)
		}
		done = now
	}
	err := Pairs(t.Context(), s, threshold, o, func(p []Pair) error { pairs = append(pairs, p...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}

// With lists that are cut or made in several passes, Pairs finds
// what comparing each with each gives.
func TestWaysOfJoining(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for _, universe := range []int{4, 30, 200, 5000} {
		for _, longest := range []int{8, 40, 300} {
			n := testkit.Of(50, 150)
			l := testkit.EditedSets(rng, n, universe, longest)
			s, err := prefix.Collect(t.Context(), l, prefix.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, threshold := range thresholds {
				want := allPairs(l, threshold)
				for _, o := range joins {
					got := joinedBy(t, s, threshold, o)
					if sortPairs(got); !slices.Equal(got, want) {
						t.Fatalf("universe %d, to %d features, threshold %v: %+v gives other pairs than comparing all", universe, longest, threshold, o)
					}
				}
			}
		}
	}
}

// Pairs ends when its reader does, and with the cause of its context.
func TestPairsStop(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	s, err := prefix.Collect(t.Context(), testkit.EditedSets(rng, 300, 30, 12), prefix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	if err := Pairs(t.Context(), s, 0.5, Options{Threads: 2}, func([]Pair) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	if err := Pairs(stopped(t, enough), s, 0.5, Options{Threads: 2}, func([]Pair) error { return nil }); !errors.Is(err, enough) {
		t.Error(err)
	}
}

// Sketches of sets differ in no more bits than the sets differ in features, whatever their sizes.
func TestSketches(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	for range 2000 {
		mean, limit := 1+rng.IntN(4000), rng.IntN(3000)
		s := newSketches(2, mean, limit)
		if s.words%2 != 0 || 8*s.words > max(16, mean) {
			t.Fatalf("%d words for sets of %d features", s.words, mean)
		}
		a, b := s.record(0)[:s.words], s.record(1)[:s.words]
		n, differ := rng.IntN(300), rng.IntN(300)
		for range n {
			r := rng.Uint32()
			flip(a, r)
			flip(b, r)
		}
		for range differ {
			flip(a, rng.Uint32())
		}
		if !within(a, b, differ) {
			t.Fatalf("sketches of sets that differ in %d features differ in more bits", differ)
		}
	}
}

// FuzzPairs joins sets of a small universe, at thresholds that pairs meet exactly.
func FuzzPairs(f *testing.F) {
	f.Add([]byte{3, 1, 2, 3, 4, 1, 2, 3, 4, 5, 1, 2, 3, 4}, uint8(4), uint8(5), uint8(3))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(1), uint8(2), uint8(9))
	f.Fuzz(func(t *testing.T, data []byte, part, whole, size uint8) {
		if len(data) > 2000 || part == 0 || whole < part {
			return
		}
		threshold := float64(part) / float64(whole)
		var l testkit.Lists
		for len(data) > 0 {
			n := min(len(data), 1+int(data[0])%(1+int(size)%40))
			var s []uint64
			for _, b := range data[:n] {
				s = append(s, testkit.Spread*uint64(b%64+1))
			}
			l = append(l, testkit.Distinct(s))
			data = data[n:]
		}
		if len(l) == 0 {
			return
		}
		want := allPairs(l, threshold)
		s, err := prefix.Collect(t.Context(), l, prefix.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range joins {
			got := joinedBy(t, s, threshold, o)
			if sortPairs(got); !slices.Equal(got, want) {
				t.Fatalf("%v by %+v, want %v, of %v at %v", got, o, want, l, threshold)
			}
		}
	})
}

// stopped returns a context that has ended.
func stopped(t testing.TB, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	return ctx
}
