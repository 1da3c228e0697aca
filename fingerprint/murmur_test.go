package fingerprint

import (
	"math/rand/v2"
	"testing"

	"github.com/spaolacci/murmur3"
)

// Features of every length, up to many blocks, have the hash of the murmur3 module, by SumAll and by Sum.
// The bytes behind a feature do not matter.
func TestMurmur3OfEveryLength(t *testing.T) {
	t.Parallel()
	const longest = 300
	rng := rand.New(rand.NewPCG(3, 14))
	for n := range longest + 1 {
		for range 20 {
			lo := rng.IntN(20)
			text := make([]byte, lo+n, lo+n+16)
			for i := range text[:cap(text)] {
				text[:cap(text)][i] = byte(rng.Uint32())
			}
			want := murmur3.Sum64(text[lo:])
			if low, _ := murmur3.Sum128(text[lo:]); low != want {
				t.Fatalf("%d bytes: the module has two hashes, %x and %x", n, low, want)
			}
			if got := Murmur3.SumAll(nil, text, [][2]int{{lo, lo + n}}); got[0] != want {
				t.Fatalf("SumAll of %d bytes, %x: got %x, want %x", n, text[lo:], got[0], want)
			}
			if got := Murmur3.Sum(text[lo:]); got != want {
				t.Fatalf("Sum of %d bytes, %x: got %x, want %x", n, text[lo:], got, want)
			}
		}
	}
}
