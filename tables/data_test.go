package tables

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var seed = flag.Uint64("seed", 1, "seed of the random data; a failing test prints it")

// newRand returns a random generator for a test. It prints its seed if the test fails.
func newRand(t testing.TB) *rand.Rand {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("replay with -seed=%d", *seed)
		}
	})
	return rand.New(rand.NewPCG(*seed, 42))
}

// distinct sorts and compacts values.
func distinct(values []uint64) []uint64 {
	slices.Sort(values)
	return slices.Compact(values)
}

// flip returns x with n random bits of the lowest width bits flipped.
func flip(rng *rand.Rand, x uint64, width, n int) uint64 {
	for _, b := range rng.Perm(width)[:n] {
		x ^= 1 << b
	}
	return x
}

// collections returns sets of at most n values, by name: each has a kind of data that is a special case
// of a search.
func collections(rng *rand.Rand, width, n int) map[string][]uint64 {
	mask := lowBits(width)
	uniform := func(n int) []uint64 {
		xs := make([]uint64, n)
		for i := range xs {
			xs[i] = rng.Uint64() & mask
		}
		return xs
	}
	// Copies of some originals at distances 0 to 9, so that there are pairs at every distance around k.
	var planted []uint64
	for _, x := range uniform(n / 10) {
		for d := range 10 {
			planted = append(planted, flip(rng, x, width, min(d, width)))
		}
	}
	// Values that share three quarters of their bits, as boilerplate and image hashes do.
	shared := uniform(n)
	for i := range shared {
		shared[i] = shared[i]&lowBits(max(1, width/4)) | 0x5a5a5a5a5a5a5a5a&mask&^lowBits(max(1, width/4))
	}
	// Values that have half of their bits set, as average hashes of images do.
	constant := uniform(n)
	for i := range constant {
		constant[i] = flip(rng, 0, width, width/2)
	}
	ends := []uint64{0, mask}
	for b := range width {
		ends = append(ends, 1<<b, mask^1<<b)
	}
	return map[string][]uint64{
		"empty":    {},
		"one":      {0x0123456789abcdef & mask},
		"ends":     distinct(ends),
		"uniform":  distinct(uniform(n)),
		"planted":  distinct(planted),
		"shared":   distinct(shared),
		"constant": distinct(constant),
	}
}

// queries returns stored values, values near them and values near nothing.
func queries(rng *rand.Rand, values []uint64, width, n int) []uint64 {
	qs := []uint64{0, lowBits(width)}
	for i := range n {
		if len(values) == 0 || i%4 == 0 {
			qs = append(qs, rng.Uint64()&lowBits(width))
			continue
		}
		x := values[rng.IntN(len(values))]
		qs = append(qs, flip(rng, x, width, rng.IntN(min(width, 12)+1)))
	}
	return qs
}
