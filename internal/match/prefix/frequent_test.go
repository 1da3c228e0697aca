package prefix

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/tests/testkit"
)

// Frequent features are those that counting finds, however the work is divided.
func TestFrequent(t *testing.T) {
	l := testkit.EditedSets(rand.New(rand.NewPCG(5, 5)), 300, 800, 40)
	counts := map[uint64]uint32{}
	for _, set := range l {
		for _, f := range set {
			counts[f]++
		}
	}
	for _, more := range []uint32{0, 1, 2, 10, 50, 1000} {
		var want []Counted
		for f, n := range counts {
			if n > max(1, more) {
				want = append(want, Counted{Feature: f, Sets: n})
			}
		}
		slices.SortFunc(want, func(a, b Counted) int { return cmp.Compare(a.Feature, b.Feature) })
		for _, o := range []Options{{}, {Threads: 2}, {Threads: 3, Memory: 1 << 10}} {
			got, err := Frequent(t.Context(), l, more, o)
			for i := range got {
				got[i].First = 0
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("more than %d, %+v: %d features, %v, want %d", more, o, len(got), err, len(want))
			}
		}
	}
}
