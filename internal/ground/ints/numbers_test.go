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
		for _, most := range []uint32{1 << 8, 1 << 16, 1 << 18, 1 << 24} {
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
	var c Counter
	c.Grow(1<<24 + 1<<21)
	for _, list := range lists {
		var rest []uint16
		for range 20 {
			lo := rng.Uint32N(1 << 24)
			if len(list) > 0 && rng.IntN(4) > 0 {
				lo = list[rng.IntN(len(list))]
			}
			hi := lo + rng.Uint32N(1+rng.Uint32N(1<<20))
			var want []uint32
			for _, x := range list {
				if lo <= x && x < hi {
					want = append(want, x)
				}
			}
			var ok bool
			var counted int
			rest, counted, ok = c.CountNumbers(units, lo, hi, 1)
			if !ok || counted != len(want) || !slices.Equal(c.Found, want) {
				t.Fatalf("%d numbers in [%d, %d): %d, want %d; %v", len(list), lo, hi, len(c.Found), len(want), ok)
			}
			c.Reset()
			length := len(units) - len(rest)
			if _, _, ok := c.CountNumbers(units[:rng.IntN(length)], 0, 0, 1); ok {
				t.Fatalf("a part of the units of %d numbers is read as whole", len(list))
			}
		}
		units = rest
	}
	if len(units) > 0 {
		t.Errorf("%d units are left", len(units))
	}
}

// An integer that comes often is found once, when it has come often enough.
func TestCounter(t *testing.T) {
	var c Counter
	c.Grow(2)
	for n := range 1000 {
		if c.Count(1, 3); len(c.Found) != min(1, (n+1)/3) {
			t.Fatalf("%v are found after %d times", c.Found, n+1)
		}
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
			if want, _ := slices.BinarySearch(xs, x); under(xs, x) != want {
				t.Fatalf("%d of %d are less than %d, want %d", under(xs, x), xs, x, want)
			}
		}
	}
}
