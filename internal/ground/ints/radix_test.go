package ints

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// inputs yields keys of many lengths and kinds: uniform, few distinct, narrow, already sorted.
func inputs() map[string][]uint64 {
	rng := rand.New(rand.NewPCG(3, 4))
	in := map[string][]uint64{}
	for _, n := range []int{0, 1, 2, small - 1, small, small + 1, 5000} {
		for name, draw := range map[string]func(i int) uint64{
			"uniform": func(int) uint64 { return rng.Uint64() },
			"few":     func(int) uint64 { return rng.Uint64N(3) << 40 },
			"narrow":  func(int) uint64 { return rng.Uint64N(1 << 12) },
			"sorted":  func(i int) uint64 { return uint64(i) },
			"equal":   func(int) uint64 { return 7 },
			"crowds":  func(int) uint64 { return rng.Uint64N(40)<<58 | rng.Uint64N(1<<9) },
			"repeats": func(i int) uint64 { return uint64(i%97+1) * 0x9e3779b97f4a7c15 },
			"reverse": func(i int) uint64 { return ^uint64(0) - uint64(i) },
		} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = draw(i)
			}
			in[fmt.Sprintf("%s/n=%d", name, n)] = keys
		}
	}
	return in
}

func TestSort(t *testing.T) {
	for name, keys := range inputs() {
		want := slices.Sorted(slices.Values(keys))
		got := slices.Clone(keys)
		Sort(got, make([]uint64, len(keys)+3))
		if !slices.Equal(got, want) {
			t.Errorf("%s: not sorted", name)
		}
	}
}

func TestSortMapped(t *testing.T) {
	apply := func(dst, src []uint64) {
		for i, x := range src {
			dst[i] = x ^ 5<<40
		}
	}
	for name, keys := range inputs() {
		mapped := make([]uint64, len(keys))
		apply(mapped, keys)
		for _, low := range []int{0, 1, 11, 40, 41, 63} {
			before := slices.Clone(keys)
			got := SortMapped(make([]uint64, len(keys)), make([]uint64, len(keys)+1), keys, low, apply)
			if !slices.Equal(keys, before) {
				t.Errorf("%s: the source has changed", name)
			}
			if !slices.IsSortedFunc(got, func(a, b uint64) int { return cmp.Compare(a>>low, b>>low) }) {
				t.Errorf("%s: not sorted from bit %d", name, low)
			}
			slices.Sort(got)
			if !slices.Equal(got, slices.Sorted(slices.Values(mapped))) {
				t.Errorf("%s: keys lost or made up", name)
			}
		}
	}
}

func TestSortPairsIsStable(t *testing.T) {
	for name, keys := range inputs() {
		order := make([]uint32, len(keys))
		for i := range order {
			order[i] = uint32(i)
		}
		want := slices.Clone(order)
		sort.SliceStable(want, func(i, j int) bool { return keys[want[i]] < keys[want[j]] })
		got, values := slices.Clone(keys), slices.Clone(order)
		SortPairs(got, values)
		if !slices.Equal(values, want) || !slices.IsSorted(got) {
			t.Errorf("%s: keys or values out of order", name)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{1 << 16, 1 << 24} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, 6))
			src := make([]uint64, n)
			for i := range src {
				src[i] = rng.Uint64()
			}
			keys, scratch := make([]uint64, n), make([]uint64, n)
			for b.Loop() {
				b.StopTimer()
				copy(keys, src)
				b.StartTimer()
				Sort(keys, scratch)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mkeys/s")
		})
	}
}

func TestPartitionPairs(t *testing.T) {
	for name, keys := range inputs() {
		values := make([]uint32, len(keys))
		for i := range keys {
			values[i] = uint32(i)
		}
		gotKeys, got := make([]uint64, len(keys)), make([]uint32, len(keys))
		PartitionPairs(gotKeys, got, keys, values, 53)
		want := slices.Clone(values)
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a]>>53, keys[b]>>53) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: another order than a stable sort's", name)
		}
		for i, v := range got {
			if gotKeys[i] != keys[v] {
				t.Fatalf("%s: value %d is at the key of another", name, v)
			}
		}
	}
}
