package tables

import (
	"math/rand/v2"
	"testing"
)

// Bits on which nearly all values agree are not discriminating.
func TestDiscriminating(t *testing.T) {
	const random, constant = uint64(0xffff_0000_ffff_0000), uint64(0x0000_1234_0000_0000)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1000, 3 * sampledValues} {
		values := make([]uint64, n)
		for i := range values {
			values[i] = rng.Uint64()&random | constant
			if i%100 == 0 {
				values[i] |= 0xff
			}
		}
		if got := discriminating(n, func(i int) uint64 { return values[i] }); got != random {
			t.Errorf("%d values: %#x, want %#x", n, got, random)
		}
	}
}
