package dedup

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
)

// The near pairs that grow are those of all sets, also of sets that go and come back, and whatever part of the result
// they are in.
func TestNearPairsGrow(t *testing.T) {
	t.Parallel()
	g := newGrowing(t, 3, texts(rand.New(rand.NewPCG(37, 300)), 500))
	back := slices.Clone(g.all[:40])
	g.put("a.jsonl", 40)
	for i := range 8 {
		g.put(fmt.Sprintf("b%d.jsonl", i), 40)
	}
	o := resumable(filepath.Join(t.TempDir(), "out"))
	o.Began, o.Threshold = 0, 0.5
	run := func() {
		t.Helper()
		if _, err := runTo(t.Context(), o.State, nil, []string{g.dir}, o); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if err := o.FS.Remove(filepath.Join(g.dir, "a.jsonl")); err != nil {
		t.Fatal(err)
	}
	run()
	for night := range 3 {
		if night == 1 {
			g.all = slices.Concat(back, g.all)
		}
		g.put(fmt.Sprintf("night%d.jsonl", night), 30)
		c, err := Read(t.Context(), nil, []string{g.dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		if c.Near == nil || len(c.stored.parts) != 2+night {
			t.Fatalf("night %d: near pairs are not known, or %d parts", night, len(c.stored.parts))
		}
		got, want := map[[2]uint32]float64{}, map[[2]uint32]float64{}
		c.Near.each(func(a, b uint32, similarity float64) { got[[2]uint32{min(a, b), max(a, b)}] = similarity })
		var sets [][]uint64
		if err := c.eachSet(t.Context(), func(_ uint32, features []uint64) error {
			sets = append(sets, slices.Clone(features))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for a := range sets {
			for b := range sets[:a] {
				shared := ints.Shared(sets[a], sets[b])
				if n, m, l := c.stored.Shared(uint32(a), uint32(b)); n != shared || m != len(sets[a]) || l != len(sets[b]) {
					t.Fatalf("night %d: sets %d and %d share %d of %d and %d, want %d of %d and %d", night, a, b, n, m, l, shared, len(sets[a]), len(sets[b]))
				}
				if prefix.Similar(shared, len(sets[a]), len(sets[b]), o.Threshold) {
					want[[2]uint32{uint32(b), uint32(a)}] = prefix.Jaccard(shared, len(sets[a]), len(sets[b]))
				}
			}
		}
		if len(c.Near.Pairs) != len(got) || !maps.Equal(got, want) || len(want) < 50 {
			t.Errorf("night %d: %d near pairs, of which %d are different, want %d", night, len(c.Near.Pairs), len(got), len(want))
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		run()
	}
	most := 0
	for night := range mostStored { // so that all is written to one part
		g.put("b1.jsonl", 2)
		run()
		parts, err := filepath.Glob(filepath.Join(o.State, StateDir, "part-*"))
		if most = max(most, len(parts)); err != nil || len(parts) < most && len(parts) != 1 {
			t.Fatalf("night %d: %d parts after %d (%v)", night, len(parts), most, err)
		}
		if len(parts) < most {
			g.put("b2.jsonl", 2)
			run()
			break
		}
	}
	if most != mostStored {
		t.Errorf("%d parts, want %d", most, mostStored)
	}
	fresh := options()
	fresh.Command, fresh.Threshold = o.Command, o.Threshold
	want, _ := ran(t, nil, []string{g.dir}, fresh)
	if !same(stateless(contents(t, o.State)), want) {
		t.Error("another result than that of a run on everything")
	}
}
