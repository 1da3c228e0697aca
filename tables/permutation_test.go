package tables

import (
	"math/rand/v2"
	"testing"
)

// Apply and ApplyAll are as the definition has them, and Invert undoes them.
func TestPermutation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{1, 7, 9, 10, 16, 17, 32, 64} {
		headers := []uint64{1, 1 << (width - 1), lowBits(width)}
		for range 40 {
			headers = append(headers, rng.Uint64()&lowBits(width), rng.Uint64()&rng.Uint64()&rng.Uint64()&lowBits(width))
		}
		for _, header := range headers {
			p := NewPermutation(width, header)
			for range 20 {
				x := rng.Uint64() & lowBits(width)
				y := p.Apply(x)
				if want := slowApply(p, x); y != want {
					t.Fatalf("%d bits, header %#x: Apply(%#x) = %#x, want %#x", width, p.Header(), x, y, want)
				}
				var all [1]uint64
				if p.ApplyAll(all[:], []uint64{x}); all[0] != y {
					t.Fatalf("%d bits, header %#x: ApplyAll(%#x) = %#x, want %#x", width, p.Header(), x, all[0], y)
				}
				if back := p.invert(y); back != x {
					t.Fatalf("%d bits, header %#x: Invert(Apply(%#x)) = %#x", width, p.Header(), x, back)
				}
			}
		}
	}
}

// slowApply returns p.Apply(x), made bit by bit: the bits of the header, then the others.
func slowApply(p Permutation, x uint64) uint64 {
	var y uint64
	for _, part := range []uint64{p.Header(), lowBits(p.Width()) &^ p.Header()} {
		for b := p.Width() - 1; b >= 0; b-- {
			if part>>b&1 == 1 {
				y = y<<1 | x>>b&1
			}
		}
	}
	return y
}
