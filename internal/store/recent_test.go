package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"simsearch/hamming"
)

// What a recent calls far is far from all fingerprints that it has, as a comparison with each of them tells.
func TestRecent(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 9))
	for _, c := range []struct{ width, k, n int }{{64, 3, 3000}, {64, 5, 500}, {64, 0, 200}, {64, 3, 10}, {32, 2, 1500}, {32, 1, 1}, {48, 2, 2000}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if !canBeRecent(c.width, c.k) {
				t.Fatal("there is no recent")
			}
			mask := uint64(1)<<(c.width-1)<<1 - 1
			r := newRecent(c.width, c.k, c.n/4) // it has more than it was planned for
			var all []uint64
			same := rng.Uint64() & mask
			for i := range c.n {
				fp := rng.Uint64() & mask
				if i%10 == 0 {
					fp = same ^ fp&0xf00 // these fill a bucket
				}
				r.add(fp)
				all = append(all, fp)
			}
			far := 0
			for i := range 4000 {
				q := rng.Uint64() & mask
				if i%2 == 0 {
					q = all[rng.IntN(len(all))]
					for range rng.IntN(c.k + 3) {
						q ^= 1 << rng.IntN(c.width)
					}
				}
				for k := range c.k + 2 {
					near := len(hamming.Scan(nil, all, q, k)) > 0
					if r.None(q, k) {
						if far++; near {
							t.Fatalf("%x: a fingerprint within %d is missed", q, k)
						}
					}
				}
			}
			if far < 500 {
				t.Errorf("only %d answers say that nothing is near", far)
			}
		})
	}
	if (*Recent)(nil).None(1, 1) {
		t.Error("a recent that is missing says that nothing is near")
	}
	if canBeRecent(64, 8) || canBeRecent(64, -1) {
		t.Error("there cannot be a recent for these distances")
	}
}
