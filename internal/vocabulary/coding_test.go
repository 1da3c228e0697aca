package vocabulary

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// A code has what a vocabulary sees of a set. Codes that are cut short or changed are errors, or other sets of ranks that exist.
func TestCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	var l lists
	for range 300 {
		var s []uint64
		for range 1 + rng.IntN(60) {
			s = append(s, golden*uint64(1+rng.IntN(1+rng.IntN(3000))))
		}
		slices.Sort(s)
		l = append(l, slices.Compact(s))
	}
	counts, err := Count(t.Context(), l, 1, 2, 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := New(counts)
	features := v.Features()
	var view View
	for _, set := range l {
		v.See(&view, set)
		code := AppendCoded(nil, &view)
		d, err := Decode(code, v.Len(), false)
		if err != nil || d.Features != len(set) {
			t.Fatalf("%d features of %d, %v", d.Features, len(set), err)
		}
		var got []uint64
		for d.Ranks > 0 {
			rank, err := d.Rank()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, features[rank])
		}
		singles, err := d.Singles()
		for ; len(singles) > 0; singles = singles[8:] {
			got = append(got, binary.LittleEndian.Uint64(singles))
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, set) {
			t.Fatalf("%v, want %v; %v", got, set, err)
		}
		bad := slices.Clone(code[:rng.IntN(len(code))])
		if len(bad) > 0 && rng.IntN(2) == 0 {
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		}
		if d, err = Decode(bad, v.Len(), false); err != nil {
			continue
		}
		ranks := make([]uint32, d.Ranks)
		if err := d.Read(ranks); err == nil && (!slices.IsSorted(ranks) || len(ranks) > 0 && int(slices.Max(ranks)) >= v.Len()) {
			t.Errorf("a bad code has the ranks %v of %d", ranks, v.Len())
		}
	}
}
