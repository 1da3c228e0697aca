package tables

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/section"
)

// olderFile returns the sections of tables that older versions wrote, as far as they are read, with the given values.
func olderFile(t *testing.T, values []uint64, design Design) *section.File {
	t.Helper()
	_, data := reload(t, values, design, 1)
	now, err := section.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := section.NewWriter(&buf)
	for _, name := range []string{sectionDesign, sectionBlocks, sectionValues} {
		if b, err := now.Bytes(name); err == nil {
			w.Begin(name)
			_, _ = w.Write(b)
		}
	}
	w.Begin(sectionOlder)
	w.Uint32s([]uint32{0, 0})
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Tables of older versions answer as those of today do, and are made when they are first searched.
func TestOlderTables(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for name, values := range collections(rng, 64, 3000) {
		for _, design := range []Design{newDesign(t, [3]int{64, 4, 1}), newCombinations(t, [3]int{64, 5, 2})} {
			tb, err := Load(olderFile(t, values, design))
			if err != nil || !tb.Older() || tb.Len() != len(values) {
				t.Fatalf("%s: %v, %v", name, err, tb)
			}
			if err := tb.Check(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			qs := queries(rng, values, 64, 40)
			var all sync.WaitGroup
			for i, k := range []int{0, 3, 3, 5} {
				all.Go(func() {
					var wants [][]hamming.Match
					for _, q := range qs {
						wants = append(wants, want(values, q, k))
					}
					err := tb.NearBatch(qs, k, func(i int, got []hamming.Match) error {
						if !slices.Equal(got, wants[i]) {
							t.Errorf("%s, %v: %v, want %v", name, design, got, wants[i])
						}
						return nil
					})
					if got, err2 := tb.Near(nil, qs[i], k); err != nil || err2 != nil || !slices.Equal(got, wants[i]) {
						t.Errorf("%s, %v: %v, %v, %v, want %v", name, design, got, err, err2, wants[i])
					}
				})
			}
			all.Wait()
			if again, _ := reload(t, values, design, 1); again.Older() {
				t.Error("tables of today are older ones")
			}
		}
	}
	tb, err := Load(olderFile(t, []uint64{1, 2, 3}, newDesign(t, [3]int{64, 4, 1})))
	if err != nil {
		t.Fatal(err)
	}
	tb.values = []uint64{3, 2, 1}
	for range 2 {
		if _, err := tb.Near(nil, 0, 3); !errors.Is(err, section.ErrCorrupt) || tb.Check() == nil {
			t.Errorf("values that descend: %v, want ErrCorrupt", err)
		}
	}
}
