package radix

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortFew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var scratch []uint64
	for n := range 1200 {
		keys := make([]uint64, n)
		mask := []uint64{^uint64(0), 0xff, 0xff << 56, 0}[n%4] // uniform, skewed, few different, all equal
		for i := range keys {
			keys[i] = r.Uint64() & mask
		}
		want := slices.Sorted(slices.Values(keys))
		if SortFew(keys, &scratch); !slices.Equal(keys, want) {
			t.Fatalf("%d keys: %x, want %x", n, keys, want)
		}
	}
}

func BenchmarkSortFew(b *testing.B) {
	for _, way := range []string{"few", "slices"} {
		b.Run(fmt.Sprintf("way=%s/n=200", way), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			src, keys := make([]uint64, 200), make([]uint64, 200)
			var scratch []uint64
			for i := range src {
				src[i] = r.Uint64()
			}
			for i := 0; b.Loop(); i++ {
				copy(keys, src)
				keys[i%200] += uint64(i) << 40 // changes the order
				if way == "few" {
					SortFew(keys, &scratch)
				} else {
					slices.Sort(keys)
				}
			}
		})
	}
}
