package tables

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/tests/testkit"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 1))
	byHand, err := NewDesign(64, 6, 3)
	if err != nil {
		t.Fatal(err)
	}
	dense := newDense(t, [3]int{64, 4, 1}, 24)
	if !testkit.IsLong() { // its slots take 200 MB
		dense = newDense(t, [3]int{48, 4, 1}, 13)
	}
	for _, n := range []int{0, 1, 2, 3, 50, 5000, 70000} {
		values := make([]uint64, n)
		for i := range values {
			values[i] = rng.Uint64() >> (i % 3)
		}
		values = distinct(values)
		for _, d := range []Design{Choose(64, n, 3, 0).Design, byHand, dense} {
			if d.Width() < 64 {
				for i := range values {
					values[i] >>= 64 - d.Width()
				}
				values = slices.Compact(values)
			}
			n := len(values)
			tables := built(t, values, d)
			if err := tables.Check(); err != nil {
				t.Fatalf("%d values, %v: %v", n, d, err)
			}
			if n < 50 {
				continue
			}
			for i := range min(3, len(tables.tables)) {
				tb := &tables.tables[i]
				change := func(what string, do func()) {
					do()
					if tables.Check() == nil {
						t.Errorf("%d values, %v: table %d passes with %s", n, d, i, what)
					}
					do()
					if err := tables.Check(); err != nil {
						t.Fatal(err)
					}
				}
				at := rng.IntN(n - 1)
				if tb.tails.low != nil {
					change("another bit", func() { tb.tails.low[at] ^= 1 })
				}
				if s := tb.tails.slots; s != nil {
					change("another middle bit", func() { tb.tails.next[at] ^= 1 })
					slot := 1 + rng.IntN(len(s.Starts)-1)
					change("other slots", func() { s.Starts[slot] ^= 1 })
				}
				if tb.tails.mid != nil {
					change("another high bit", func() { tb.tails.mid[at] ^= 1 })
				}
				slot := 1 + rng.IntN(len(tb.dir.Starts)-1)
				change("another directory", func() { tb.dir.Starts[slot] ^= 1 })
			}
		}
	}
}
