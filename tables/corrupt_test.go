package tables

import (
	"errors"
	"slices"
	"testing"

	"simsearch/internal/section"
)

// A table file may change under a reader that does not verify every byte first.
// Whatever it holds, a search must end in an answer or in ErrCorrupt, never in a
// panic: the directory is all that leads from one place to another.
func TestEveryFlippedBitIsAnswered(t *testing.T) {
	rng := newRand(t)
	values := collections(rng, 16, 40)["planted"]
	_, data := reload(t, values, newDesign(t, [3]int{16, 4, 1}), 1)
	found := 0
	for i := range data {
		for bit := range 8 {
			broken := slices.Clone(data)
			broken[i] ^= 1 << bit
			f, err := section.Parse(broken)
			if err == nil {
				if f.Verify() == nil {
					t.Fatalf("byte %d bit %d: the checksums agree with changed bytes", i, bit)
				}
				var tb *Tables
				if tb, err = Load(f); err == nil {
					_, err = tb.Near(nil, values[i%len(values)], 3)
				}
			}
			if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, section.ErrCorrupt) &&
				!errors.Is(err, section.ErrForeign) && !errors.Is(err, section.ErrVersion) {
				t.Fatalf("byte %d bit %d: %v", i, bit, err)
			}
			if err != nil {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no change was found: the test does not reach what it means to")
	}
}
