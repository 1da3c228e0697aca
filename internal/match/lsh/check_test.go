package lsh

import (
	"math/rand/v2"
	"simsearch/internal/ground/section"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 2))
	for _, n := range []int{0, 1, 2, 300, 3000} {
		s := NewSignatures(16, n)
		for range n {
			signature := make([]byte, 16)
			for i := range signature {
				signature[i] = byte(rng.IntN(4))
			}
			s.Add(signature)
		}
		tables := build(s, Bands{4, 4})
		if err := tables.Check(); err != nil {
			t.Fatal(err)
		}
		if n < 300 {
			continue
		}
		for i := range tables.tables {
			tb := &tables.tables[i]
			at := rng.IntN(n - 1)
			for what, change := range map[string]func(){
				"set": func() { tb.All[at] ^= 1 }, "order": func() { tb.All[at], tb.All[at+1] = tb.All[at+1], tb.All[at] },
				"set that is not there": func() { tb.All[at] ^= 1 << 31 }, "set twice": func() { tb.All[at+1] = tb.All[at] },
			} {
				a, b := tb.All[at], tb.All[at+1]
				var failed error
				change()
				if damage := section.DamageOf(func() { failed = tables.Check() }); damage == nil && failed == nil {
					t.Errorf("%d sets: band %d passes with another %s", n, i, what)
				}
				tb.All[at], tb.All[at+1] = a, b
			}
		}
	}
}
