package tables

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

// EachPair finds the pairs of Pairs, by tables and by comparing.
func TestEachPairFindsPairs(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, n := range []int{0, 1, 90, 3000} {
		for name, values := range collections(rng, 64, n) {
			for _, k := range []int{-1, 0, 3, 7} {
				var want []uint64
				for _, p := range collect(t, values, 64, k, 2) {
					want = append(want, uint64(p.A)<<32|uint64(p.B))
				}
				var got []uint64
				var mu sync.Mutex
				err := EachPair(t.Context(), values, 64, k, PairOptions{Threads: 3}, func(pairs []uint64) error {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, pairs...)
					return nil
				})
				slices.Sort(got)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %d values, k = %d: %v, %d pairs, want %d", name, n, k, err, len(got), len(want))
				}
			}
		}
	}
}

func TestEachPairEndsAtAnError(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for name, values := range collections(newRand(t), 64, 2000) {
		near := len(collect(t, values, 64, 3, 2)) > 0
		if err := EachPair(t.Context(), values, 64, 3, PairOptions{Threads: 2}, func([]uint64) error { return enough }); near != errors.Is(err, enough) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := EachPair(t.Context(), []uint64{1, 300}, 8, 3, PairOptions{Threads: 1}, func([]uint64) error { return nil }); !errors.Is(err, ErrWidth) {
		t.Errorf("%v, want that a value is too wide", err)
	}
}
