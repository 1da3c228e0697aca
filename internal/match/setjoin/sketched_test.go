package setjoin

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/tests/testkit"
)

// All that is near a set is likely, at any similarity and size, and little else.
func TestSketched(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(57, 1))
	others, likely, near := 0, 0, 0
	for _, least := range []float64{.1, .45, .8, 1} {
		var all [][]uint64
		for range 400 {
			var set []uint64
			if of := len(all); of > 0 && r.IntN(2) > 0 { // an earlier one, with some features changed
				set = slices.Clone(all[r.IntN(of)])
				for i := range set {
					if r.IntN(8) == 0 {
						set[i] = r.Uint64()
					}
				}
				if r.IntN(3) == 0 { // and a third left out
					set = set[:len(set)-len(set)/3]
				}
			} else {
				for range 1 + r.IntN(1<<r.IntN(12)) {
					set = append(set, r.Uint64())
				}
			}
			all = append(all, testkit.Distinct(set))
		}
		all = append(all, nil)
		some := NewSketched(least)
		for _, set := range all[:100] {
			some.Add(set)
		}
		for a, set := range all {
			found := some.AppendLikely(nil, set, least)
			if least > .2 { // else sketches tell little
				others, likely = others+100, likely+len(found)
			}
			for i, asked := range []float64{least, .3, .45, .9} { // others than expected are found, too
				found = some.AppendLikely(found[:0], set, asked)
				for b := range all[:100] {
					if is := ints.Jaccard(set, all[b]); is >= asked {
						if i == 0 {
							near++
						}
						if !slices.Contains(found, uint32(b)) {
							t.Fatalf("made for %v, asked for %v, set %d of %d features is not found for %d of %d: %v",
								least, asked, b, len(all[b]), a, len(set), is)
						}
					}
				}
			}
		}
	}
	if near < 1000 || likely-near > others/50 {
		t.Errorf("of %d pairs, %d are likely and %d near", others, likely, near)
	}
}

// Classes of sizes follow each other.
func TestSizeClasses(t *testing.T) {
	t.Parallel()
	for n := 2; n < 5000; n++ {
		if step := sizeClass(n) - sizeClass(n-1); step != 0 && step != 1 && n > 8 || step < 0 {
			t.Errorf("%d and %d features are of classes %d and %d", n-1, n, sizeClass(n-1), sizeClass(n))
		}
	}
	if got := sizeClass(1<<62 + 1<<61); got >= 4*64 {
		t.Errorf("the class of very many features is %d", got)
	}
}
