package prefix

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"simsearch/internal/ints"
	"simsearch/internal/testkit"
	"simsearch/section"
)

// Sets that are written in part share what they shared among those that are written whole, and nothing else.
func TestSome(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	l := testkit.EditedSets(rng, 400, 3000, 40)
	s, err := Collect(t.Context(), l, 0.5, Options{PairsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	whole := make([]bool, len(l))
	for i := range whole {
		whole[i] = i == 0 || rng.IntN(3) > 0
	}
	var b bytes.Buffer
	w := section.NewWriter(&b)
	if err := s.WriteSome(w, func(i uint32) bool { return whole[i] }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	some, err := LoadSome(f, uint64(len(l)))
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range l {
		if n, err := some.Size(uint32(i)); n != len(set) || err != nil {
			t.Fatalf("set %d has %d features, want %d; %v", i, n, len(set), err)
		}
	}
	pairs := 0
	for i := range l {
		for j := range i {
			want := 0
			if whole[i] && whole[j] {
				want = ints.Shared(l[i], l[j])
			}
			if want > 0 {
				pairs++
			}
			if got, _, _, err := some.Shared(uint32(i), uint32(j)); got != want || err != nil {
				t.Fatalf("sets %d and %d share %d features, want %d; %v", i, j, got, want, err)
			}
		}
	}
	if pairs < 20 {
		t.Errorf("only %d pairs share features", pairs)
	}
	if _, err := LoadSome(f, uint64(len(l)+1)); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("%v, want %v", err, section.ErrCorrupt)
	}
	testWrongRanks(t, f, len(l))
	if err := loaded(t, l, 0.5).WriteSome(w, nil); err == nil {
		t.Error("sets with all their features are written in part")
	}
}

// Damaged numbers are refused when they are read, whatever the checksums say: joins take time for each rank that there may be.
func testWrongRanks(t *testing.T, f *section.File, n int) {
	for name, damage := range map[string]func(content []byte) []byte{
		secNumRanks: func(b []byte) []byte { b[3] ^= 0xff; return b },
		secCoded: func(b []byte) []byte { // the first rank of the first set, behind two numbers of a byte
			copy(b[2:], "\xff\xff\xff\xff\x0e")
			return b
		},
		secEnds: func(b []byte) []byte { return b[:len(b)-8] },
	} {
		var b bytes.Buffer
		w := section.NewWriter(&b)
		f.Sections(func(section string, _, _ uint64) bool {
			content, err := f.Bytes(section)
			if err != nil {
				t.Fatal(err)
			}
			if content = bytes.Clone(content); section == name {
				content = damage(content)
			}
			w.Begin(section)
			_, _ = w.Write(content)
			return true
		})
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		damaged, err := section.Parse(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LoadSome(damaged, uint64(n)); !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("wrong %s: %v, want %v", name, err, section.ErrCorrupt)
		}
	}
}
