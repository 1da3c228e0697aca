package setjoin

import (
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// yielded yields keys with sets, in ascending order, and then an error, if that is not nil.
func yielded(keys []uint64, err error) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for _, k := range keys {
			if !yield(k, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

// Keyed finds the pairs with a key in common that comparing each with each finds, between two similarities. As many as
// may be are not too many, and one more is.
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
		var keys []uint64
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
			for key := range has[set] {
				keys = append(keys, uint64(key)<<32|uint64(set))
			}
		}
		slices.Sort(keys)
		t1, below := 0.1+0.5*rng.Float64(), 0.7+0.3*rng.Float64()
		want := slices.DeleteFunc(allPairs(l, t1), func(p Pair) bool {
			for key := range has[p.A] {
				if has[p.B][key] {
					return prefix.Jaccard(p.Shared, s.Size(p.A), s.Size(p.B)) >= below
				}
			}
			return true
		})
		sortPairs(want)
		found += len(want)
		for _, o := range []Options{{Threads: 1}, {Threads: 2, chunk: 1}, {Threads: 2, long: 5, chunk: 50}, {Threads: 2, Most: int64(len(want))}} {
			got, err := Keyed(t.Context(), s, t1, below, yielded(keys, nil), o)
			if !slices.Equal(got, want) || err != nil {
				t.Fatalf("round %d, from %v to %v: %+v finds %d pairs, want %d; %v", round, t1, below, o, len(got), len(want), err)
			}
		}
		if o := (Options{Threads: 2, Most: int64(len(want)) - 1, chunk: 100}); len(want) > 1 {
			if _, err := Keyed(t.Context(), s, t1, below, yielded(keys, nil), o); !errors.Is(err, ErrMany) {
				t.Errorf("%d pairs are not more than %d: %v", len(want), o.Most, err)
			}
		}
		bad := errors.New("bad")
		if _, err := Keyed(t.Context(), s, t1, below, yielded(keys, bad), Options{Threads: 1}); !errors.Is(err, bad) {
			t.Errorf("keys that cannot be read: %v", err)
		}
	}
	if found < 1000 {
		t.Errorf("%d pairs are too few for the test", found)
	}
}
