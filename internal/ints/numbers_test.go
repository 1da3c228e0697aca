package ints

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Numbers are read as they were appended, in any window.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	var lists [][]uint32
	var units []uint16
	for _, n := range []int{0, 1, 2, 3, 5, 100, maxItems - 1, maxItems, 3 * maxItems} {
		for _, most := range []uint32{1 << 8, 1 << 16, 1 << 18, 1<<31 - 1} {
			var list []uint32
			for range n {
				list = append(list, rng.Uint32N(most))
			}
			if n == 100 && most == 1<<16 {
				list = append(list, 1<<16-1, 0)
			}
			slices.Sort(list)
			list = slices.Compact(list)
			lists, units = append(lists, list), AppendNumbers(units, list)
		}
	}
	for _, list := range lists {
		var rest []uint16
		for range 20 {
			lo := rng.Uint32()
			if len(list) > 0 && rng.IntN(4) > 0 {
				lo = list[rng.IntN(len(list))]
			}
			hi := lo + rng.Uint32N(1+rng.Uint32N(1<<20))
			var got, want []uint32
			var ok bool
			rest, ok = ReadNumbers(units, lo, hi, func(x uint32) { got = append(got, x) }, func(upper uint32, lower []uint16) {
				for _, x := range lower {
					got = append(got, upper|uint32(x))
				}
			})
			for _, x := range list {
				if lo <= x && x < hi {
					want = append(want, x)
				}
			}
			if !ok || !slices.Equal(got, want) {
				t.Fatalf("%d numbers in [%d, %d): %d, want %d; %v", len(list), lo, hi, len(got), len(want), ok)
			}
			length := len(units) - len(rest)
			if _, ok := ReadNumbers(units[:rng.IntN(length)], 0, 0, nil, nil); ok {
				t.Fatalf("a part of the units of %d numbers is read as whole", len(list))
			}
		}
		units = rest
	}
	if len(units) > 0 {
		t.Errorf("%d units are left", len(units))
	}
}

// Under finds the place of each number.
func TestUnder(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for n := range 200 {
		xs := make([]uint16, n)
		for i := range xs {
			xs[i] = uint16(rng.Uint32N(100))
		}
		slices.Sort(xs)
		for x := range uint16(101) {
			if want, _ := slices.BinarySearch(xs, x); under(xs, x) != want || before(xs, x) != want {
				t.Fatalf("%d and %d of %d are less than %d, want %d", under(xs, x), before(xs, x), xs, x, want)
			}
		}
	}
}
