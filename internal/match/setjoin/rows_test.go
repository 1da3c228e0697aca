package setjoin

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// Rows finds what Pairs finds, from both sides.
func TestRows(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 30, 700} {
		sets := testkit.CrowdedSets(random, n)
		for _, threshold := range []float64{0.3, 0.5, 0.8, 0.95, 1} {
			s, err := prefix.Collect(t.Context(), sets, prefix.Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			var want, got []Pair
			if err := Pairs(t.Context(), s, threshold, Options{Threads: 2}, func(p []Pair) error { want = append(want, p...); return nil }); err != nil {
				t.Fatal(err)
			}
			rows, ok, err := NewRows(t.Context(), s, threshold, Options{Threads: 2})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			for set := range uint32(n) {
				all, size := rows.Near(nil, set, nil)
				if size != len(sets[set]) {
					t.Fatalf("set %d has %d features, not %d", set, len(sets[set]), size)
				}
				some, _ := rows.Near(nil, set, func(other uint32) bool { return other < set })
				later := slices.DeleteFunc(slices.Clone(all), func(m prefix.Match) bool { return m.Set < set })
				bySet := func(a, b prefix.Match) int { return cmp.Compare(a.Set, b.Set) }
				slices.SortFunc(later, bySet)
				slices.SortFunc(some, bySet)
				if !slices.Equal(later, some) {
					t.Fatalf("n = %d, t = %v, set %d: %v, want %v", n, threshold, set, some, later)
				}
				for _, m := range all {
					if m.Size != len(sets[m.Set]) {
						t.Fatalf("set %d has %d features, not %d", m.Set, len(sets[m.Set]), m.Size)
					}
					got = append(got, Pair{min(set, m.Set), max(set, m.Set), m.Shared})
				}
			}
			want = append(want, want...) // each from both sides
			order := func(a, b Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }
			slices.SortFunc(want, order)
			slices.SortFunc(got, order)
			if !slices.Equal(got, want) || n == 700 && threshold < 0.9 && len(want) < 1000 {
				t.Errorf("n = %d, t = %v: %d pairs, want %d", n, threshold, len(got), len(want))
			}
		}
	}
}

// Pairs gives up if there are too many pairs, before it has found them where some sets tell.
func TestMost(t *testing.T) {
	s, err := prefix.Collect(t.Context(), testkit.CrowdedSets(rand.New(rand.NewPCG(7, 8)), 700), prefix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := func(most int64) (n int64, err error) {
		err = Pairs(t.Context(), s, 0.5, Options{Most: most}, func(p []Pair) error { n += int64(len(p)); return nil })
		return n, err
	}
	all, err := count(0)
	if err != nil || all < 10_000 {
		t.Fatal(all, err)
	}
	for _, most := range []int64{all, all + 1, 2 * all} {
		if n, err := count(most); (n != all || err != nil) && !errors.Is(err, ErrMany) || most == 2*all && err != nil {
			t.Errorf("most %d of %d: %d, %v", most, all, n, err)
		}
	}
	for _, most := range []int64{1, all / 4} {
		if n, err := count(most); n != 0 || !errors.Is(err, ErrMany) {
			t.Errorf("most %d of %d: %d, %v", most, all, n, err)
		}
	}
	if _, ok, err := NewRows(t.Context(), s, 0.5, Options{Memory: 1000}); ok || err != nil {
		t.Errorf("testkit.Lists that do not fit the memory: %v, %v", ok, err)
	}
}
