package prefix

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// A code has what a vocabulary sees of a set. Codes that are cut short or changed are errors, or other sets of ranks
// that exist.
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
	v := newVocabulary(counts)
	features := v.Features()
	var view View
	for _, set := range l {
		v.See(&view, set)
		code := AppendCoded(nil, &view)
		d, err := decode(code, v.Len(), false)
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
		if d, err = decode(bad, v.Len(), false); err != nil {
			continue
		}
		ranks := make([]uint32, d.Ranks)
		if err := d.Read(ranks); err == nil && (!slices.IsSorted(ranks) || len(ranks) > 0 && int(slices.Max(ranks)) >= v.Len()) {
			t.Errorf("a bad code has the ranks %v of %d", ranks, v.Len())
		}
	}
}

// Codes with ranks that the vocabulary has not, or with bytes too many or too few, are errors.
func TestDamagedCodes(t *testing.T) {
	for n := range uint32(40) {
		var ranks []uint32
		for r := range n {
			ranks = append(ranks, 100-n+r)
		}
		code := AppendCoded(nil, &View{ranks: ranks, singles: []uint64{3, 1 << 60}})
		for _, known := range []int{99, 100} {
			d, err := decode(code, known, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Read(ranks); (err == nil) != (known == 100 || n == 0) {
				t.Errorf("the last of %d ranks is 99, of %d: %v", n, known, err)
			}
		}
		for _, bad := range [][]byte{code[:len(code)-1], append(slices.Clone(code), 0), append(slices.Clone(code), code[:8]...)} {
			d, err := decode(bad, 100, false)
			if err == nil {
				err = d.Read(ranks)
			}
			if err == nil {
				_, err = d.Singles()
			}
			if err == nil {
				t.Errorf("the code of %d ranks is read with %d bytes of %d", n, len(bad), len(code))
			}
		}
	}
}

// Sets share what they share if that is as much as is wanted, and less than that otherwise.
func TestSharedRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	for range 200 {
		var x, y, both []uint32
		for r := range uint32(150) {
			inX, inY := rng.IntN(3) > 0, rng.IntN(3) > 0
			if inX {
				x = append(x, r)
			}
			if inY {
				y = append(y, r)
			}
			if inX && inY {
				both = append(both, r)
			}
		}
		marks := NewMarks(150)
		marks.Mark(x)
		code := AppendCoded(nil, &View{ranks: y})
		for least := range len(y) + 2 {
			from := func(wanted uint32) int {
				d, err := decode(code, 150, false)
				if err != nil {
					t.Fatal(err)
				}
				shared, err := marks.Shared(&d, wanted, x[len(x)-1], least)
				if err != nil {
					t.Fatal(err)
				}
				return shared
			}
			shared := from(NoRank)
			if enough := len(both) >= least; enough && (shared != len(both) || from(both[0]) != shared || from(both[0]+1) != 0) ||
				!enough && shared >= least {
				t.Fatalf("at least %d: %d are shared, from the first on %d, want %v", least, shared, from(both[0]), both)
			}
		}
	}
}

// The code of a draft has the ranks of its other features in a second vocabulary, and behind them those of the first
// one.
func TestCodesOfDrafts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 9))
	some := func(n uint32) (ranks []uint32) {
		for r := range n {
			if rng.IntN(3) == 0 {
				ranks = append(ranks, r)
			}
		}
		return ranks
	}
	for n := range uint32(300) {
		first, second := some(500), some(n)
		rest := make([]uint64, 1+len(second)) // those of the second vocabulary, and one of none
		for i := range rest {
			rest[i] = uint64(i)
		}
		d, err := readDraft(AppendCoded(nil, &View{ranks: first, singles: rest}))
		if err != nil || d.Rest() != len(rest) || !slices.Equal(d.AppendRest(nil), rest) {
			t.Fatalf("%d of %d features are left, %v", d.Rest(), len(rest), err)
		}
		code, err := d.AppendCoded(nil, &View{ranks: second, singles: rest[:1]}, int(n))
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(second)
		for _, r := range first {
			want = append(want, r+n)
		}
		got := make([]uint32, len(want))
		decoder, err := decode(code, 500+int(n), false)
		if err == nil && decoder.Ranks == len(got) {
			err = decoder.Read(got)
		}
		if err != nil || !slices.Equal(got, want) || decoder.Alone != 1 || decoder.Features != len(first)+len(rest) {
			t.Fatalf("ranks %v of %d features, want %v; %v", got, decoder.Features, want, err)
		}
	}
}
