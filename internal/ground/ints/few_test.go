package ints

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

func TestSortFew32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	var scratch []uint32
	for n := range 600 {
		for _, limit := range []uint32{1, 2, 255, 256, 257, 1 << 16, 1<<16 + 1, 1 << 24, 1<<32 - 1} {
			keys := make([]uint32, n)
			for i := range keys {
				keys[i] = r.Uint32N(limit)
				if n%3 == 0 { // most are large
					keys[i] = limit - 1 - min(keys[i], r.Uint32N(limit)/1000)
				}
			}
			want := slices.Sorted(slices.Values(keys))
			if SortFew32(keys, limit, &scratch); !slices.Equal(keys, want) {
				t.Fatalf("%d keys below %d: %x, want %x", n, limit, keys, want)
			}
		}
	}
}

func BenchmarkSortFew32(b *testing.B) {
	for _, way := range []string{"few", "slices"} {
		b.Run(fmt.Sprintf("way=%s/n=150/limit=100000", way), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			src, keys := make([]uint32, 150), make([]uint32, 150)
			var scratch []uint32
			for i := range src {
				src[i] = r.Uint32N(100_000)
			}
			for i := 0; b.Loop(); i++ {
				copy(keys, src)
				keys[i%150] = uint32(i) % 100_000 // changes the order
				if way == "few" {
					SortFew32(keys, 100_000, &scratch)
				} else {
					slices.Sort(keys)
				}
			}
		})
	}
}
