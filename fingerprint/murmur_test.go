package fingerprint

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// Each backend has the hashes of the murmur3 module for lists of every length, with features of all lengths in all
// places.
func TestMurmur3OfLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 71))
	text := make([]byte, 4000, 4016)
	for i := range text[:cap(text)] {
		text[:cap(text)][i] = byte(rng.Uint32())
	}
	eachBackend(func(name string) {
		for n := range 200 {
			for _, longest := range []int{1, 8, 15, 16, 40} {
				spans, want := make([][2]int, n), make([]uint64, n)
				for i := range spans {
					lo := rng.IntN(len(text) - longest + 1)
					if i == n-1 {
						lo = len(text) - longest // the last one ends with the text
					}
					spans[i] = [2]int{lo, lo + rng.IntN(longest+1)}
					want[i] = murmur3.Sum64(text[lo:spans[i][1]])
				}
				got := Murmur3.SumAll([]uint64{7}, text, spans)
				if got[0] != 7 || !slices.Equal(got[1:], want) {
					t.Fatalf("%s, %d features of up to %d bytes: got %x, want 7 and %x", name, n, longest, got, want)
				}
			}
		}
	})
}

func BenchmarkSumAll(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 1200, 1216)
	var spans [][2]int
	for lo := 0; lo+12 < len(text); lo += 12 {
		spans = append(spans, [2]int{lo, lo + 3 + rng.IntN(8)})
	}
	var dst []uint64
	b.Run(fmt.Sprintf("n=%d/module", len(spans)), func(b *testing.B) {
		for b.Loop() {
			dst = dst[:0]
			for _, s := range spans {
				dst = append(dst, murmur3.Sum64(text[s[0]:s[1]]))
			}
		}
		b.ReportMetric(float64(len(spans))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfeatures/s")
	})
	eachBackend(func(name string) {
		b.Run(fmt.Sprintf("n=%d/backend=%s", len(spans), name), func(b *testing.B) {
			for b.Loop() {
				dst = Murmur3.SumAll(dst[:0], text, spans)
			}
			b.ReportMetric(float64(len(spans))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfeatures/s")
		})
	})
}
