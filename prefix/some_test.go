package prefix

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/section"
)

// Sets that are written in part have the same pairs among those that are written whole, and no others.
func TestSome(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	l := edited(rng, 400, 3000, 40)
	s, err := Collect(t.Context(), l, 0.5, Options{PairsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	whole := make([]bool, len(l))
	for i := range whole {
		whole[i] = rng.IntN(3) > 0
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
	var want, got []Pair
	for _, p := range allPairs(l, 0.5) {
		if whole[p.A] && whole[p.B] {
			want = append(want, p)
		}
	}
	if err := some.Pairs(t.Context(), 0.5, PairOptions{}, func(p []Pair) error { got = append(got, p...); return nil }); err != nil {
		t.Fatal(err)
	}
	if sortPairs(got); !slices.Equal(got, want) || len(want) < 20 {
		t.Errorf("%d pairs, want %d", len(got), len(want))
	}
	if _, err := LoadSome(f, uint64(len(l)+1)); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("%v, want %v", err, section.ErrCorrupt)
	}
	if err := loaded(t, l, 0.5).WriteSome(w, nil); err == nil {
		t.Error("sets with all their features are written in part")
	}
}
