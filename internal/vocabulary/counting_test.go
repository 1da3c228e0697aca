package vocabulary

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// lists is a Source in memory.
type lists [][]uint64

func (l lists) Features() (n uint64) {
	for _, s := range l {
		n += uint64(len(s))
	}
	return n
}

func (l lists) Scan(do func([]uint64) error) error {
	for _, s := range l {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// Both ways of counting count, in any number of parts.
func TestCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var l lists
	for len(l) < 500 {
		var s []uint64
		if len(l) > 0 && rng.IntN(2) == 0 { // an edit of another set
			s = slices.Clone(l[rng.IntN(len(l))])
			for range rng.IntN(1 + len(s)/3) {
				s[rng.IntN(len(s))] = golden * rng.Uint64N(1<<30)
			}
		} else {
			for range 1 + rng.IntN(300) {
				s = append(s, golden*rng.Uint64N(1<<30))
			}
		}
		slices.Sort(s)
		l = append(l, slices.Compact(s))
	}
	want := map[uint64]uint32{}
	for _, s := range l {
		for _, f := range s {
			want[f]++
		}
	}
	maps.DeleteFunc(want, func(_ uint64, n uint32) bool { return n < 2 })
	for _, parts := range []int{1, 2, 16} {
		for way, count := range map[string]func(p *hashes) ([]Counted, error){
			"table": func(p *hashes) ([]Counted, error) {
				some, ok, err := p.byTable(t.Context(), l, false)
				if !ok {
					t.Errorf("%d features are too many for a table", l.Features())
				}
				return some, err
			},
			"sorting": func(p *hashes) ([]Counted, error) { return p.bySorting(t.Context(), l) },
		} {
			got := map[uint64]uint32{}
			for part := range parts {
				some, err := count(new(newHashes(part, parts)))
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range some {
					got[c.Hash] += c.Sets
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("by %s, in %d parts: %d features, want %d", way, parts, len(got), len(want))
			}
		}
	}
	// Features that hardly repeat are sorted.
	many := make(lists, 40)
	for i := range many {
		for j := range tried / 20 {
			many[i] = append(many[i], uint64(i*tried+j)*golden)
		}
		slices.Sort(many[i])
	}
	if _, ok, err := (&hashes{parts: 1, low: 64}).byTable(t.Context(), many, false); ok || err != nil {
		t.Errorf("a table is used for two million distinct features; %v", err)
	}
	if parts, repeat, err := countedParts(t.Context(), many, 2, 1<<20); parts < 64 || repeat || err != nil {
		t.Errorf("%d parts for two million distinct features; %v", parts, err)
	}
	few := make(lists, 2000)
	for i := range few {
		for j := range 1000 {
			few[i] = append(few[i], many[0][j*len(many[0])/1000])
		}
	}
	parts, repeat, err := countedParts(t.Context(), few, 2, 1<<20)
	if parts != 2 || !repeat || err != nil {
		t.Errorf("%d parts for a thousand features of 2,000 sets; %v", parts, err)
	}
	if some, err := Count(t.Context(), few, 1, 2, 1<<20, nil); err != nil || len(some) != 1000 || some[0] != (Counted{many[0][0], 2000, 0}) {
		t.Errorf("%d features are in several sets, want 1000; %v", len(some), err)
	}
	if some, err := Count(t.Context(), many, 1, 2, 1<<20, nil); err != nil || len(some) > 0 {
		t.Errorf("%d features are said to be in several sets; %v", len(some), err)
	}
}
