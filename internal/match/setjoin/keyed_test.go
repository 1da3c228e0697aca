package setjoin

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// Keyed finds the pairs with a key in common that comparing each with each finds, and those that are alike. As many
// as may be are not too many, and one more is.
func TestKeyedEqualsTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 3))
	found := 0
	for round := range testkit.Of(20, 100) {
		n := 40 + rng.IntN(200)
		l := testkit.EditedSets(rng, n, []int{10, 60, 2000}[round%3], []int{8, 40, 120}[round/3%3])
		s, err := prefix.Collect(t.Context(), l, prefix.Options{})
		if err != nil {
			t.Fatal(err)
		}
		has := make([]map[uint32]bool, n)
		keys := NewKeys(spill.NewBytes(disk.OS, "", 100))
		for set := range has {
			has[set] = map[uint32]bool{}
			for range rng.IntN(12) {
				key := uint32(rng.IntN(30)) * 0x9e3779b1
				if rng.IntN(3) == 0 {
					key = rng.Uint32()
				}
				if rng.IntN(2) == 0 && set > 0 { // of another one
					for other := range has[rng.IntN(set)] {
						key = other
						break
					}
				}
				has[set][key] = true
			}
			keys.Add(slices.Sorted(maps.Keys(has[set])))
			keys.Add(nil) // of no set
		}
		given := func() (*Keys, error) { return keys, keys.Flush() }
		setOf := func(thing int) (uint32, bool) { return uint32(thing / 2), thing%2 == 0 }
		t1, alike := 0.1+0.5*rng.Float64(), 0.6+0.4*rng.Float64()
		want := slices.DeleteFunc(allPairs(l, t1), func(p Pair) bool {
			for key := range has[p.A] {
				if has[p.B][key] {
					return false
				}
			}
			return prefix.Jaccard(p.Shared, s.Size(p.A), s.Size(p.B)) < alike
		})
		sortPairs(want)
		found += len(want)
		for _, o := range []Options{{Threads: 1}, {Threads: 2, chunk: 1}, {Threads: 2, long: 5, chunk: 50, Memory: 1}, {Threads: 2, Most: int64(len(want))}, {Threads: 2, candidates: 1}, {Threads: 1, candidates: 9, Most: int64(len(want))}} {
			got, err := Keyed(t.Context(), s, t1, alike, given, setOf, o)
			if !slices.Equal(got, want) || err != nil {
				t.Fatalf("round %d, from %v to %v: %+v finds %d pairs, want %d; %v", round, t1, alike, o, len(got), len(want), err)
			}
		}
		for _, o := range []Options{{Threads: 2, chunk: 100}, {Threads: 2, candidates: 1}} {
			if o.Most = int64(len(want)) - 1; o.Most < 1 {
				continue
			}
			if _, err := Keyed(t.Context(), s, t1, alike, given, setOf, o); !errors.Is(err, ErrMany) {
				t.Errorf("%d pairs are not more than %d: %v", len(want), o.Most, err)
			}
		}
		bad := errors.New("bad")
		if _, err := Keyed(t.Context(), s, t1, alike, func() (*Keys, error) { return nil, bad }, setOf, Options{Threads: 1}); !errors.Is(err, bad) {
			t.Errorf("keys that cannot be read: %v", err)
		}
		if err := keys.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if found < 1000 {
		t.Errorf("%d pairs are too few for the test", found)
	}
}
