package prefix

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The first features are those of the rarest classes, then of the least hashes, whatever order the set is in.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	var counts []Counted
	for range 3000 {
		counts = append(counts, Counted{Feature: rng.Uint64(), Sets: uint32(1 << rng.IntN(20))})
	}
	slices.SortFunc(counts, func(a, b Counted) int { return cmp.Compare(a.Feature, b.Feature) })
	r := newRarity(counts)
	class := func(f uint64) byte { return r.classes.All[f>>r.shift] % classes }
	var ordered, shuffled chooser
	for range 2000 {
		var set []uint64
		common := rng.IntN(10) // of so many of ten features
		for range 1 + rng.IntN(200) {
			f := rng.Uint64()
			if rng.IntN(10) < common {
				f = counts[rng.IntN(len(counts))].Feature
			}
			set = append(set, f)
		}
		slices.Sort(set)
		set = slices.Compact(set)
		n := 1 + rng.IntN(len(set)+3)
		want := slices.SortedFunc(slices.Values(set), func(a, b uint64) int { return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(a, b)) })
		want = want[:min(n, len(want))]
		got := ordered.Choose(r, set, n, true)
		if !slices.Equal(got, want) {
			t.Fatalf("%d of %d ascending features: %x, want %x", n, len(set), got, want)
		}
		rng.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
		if got = shuffled.Choose(r, set, n, false); !slices.Equal(got, want) {
			t.Fatalf("%d of %d features: %x, want %x", n, len(set), got, want)
		}
	}
}
