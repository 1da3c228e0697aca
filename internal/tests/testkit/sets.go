package testkit

import (
	"math/rand/v2"
	"slices"
)

// Lists are sets of features in memory, as packages prefix and setjoin collect them.
type Lists [][]uint64

// Len returns the number of sets.
func (l Lists) Len() int { return len(l) }

// Features returns the number of features of all sets.
func (l Lists) Features() (n uint64) {
	for _, s := range l {
		n += uint64(len(s))
	}
	return n
}

// Scan calls do with each set.
func (l Lists) Scan(do func([]uint64) error) error {
	for _, s := range l {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// Distinct returns xs as a set. It changes xs.
func Distinct(xs []uint64) []uint64 {
	slices.Sort(xs)
	return slices.Compact(xs)
}

// Spread times a small number is a feature that looks like a hash.
const Spread = 0x9e3779b97f4a7c15

// Feature returns a random feature of a universe of some size. Some features are far more frequent than others.
func Feature(rng *rand.Rand, universe int) uint64 {
	return Spread * uint64(1+rng.IntN(1+rng.IntN(universe)))
}

// EditedSets returns n sets of up to longest features of a universe of some size. Half of them are edits of earlier
// ones.
func EditedSets(rng *rand.Rand, n, universe, longest int) Lists {
	var l Lists
	for len(l) < n {
		var s []uint64
		if len(l) > 0 && rng.IntN(2) == 0 {
			s = slices.Clone(l[rng.IntN(len(l))])
			for range rng.IntN(1 + len(s)/3) {
				s[rng.IntN(len(s))] = Feature(rng, universe)
			}
		} else {
			for range 1 + rng.IntN(longest) {
				s = append(s, Feature(rng, universe))
			}
		}
		l = append(l, Distinct(s))
	}
	return l
}

// CrowdedSets returns n sets, two thirds of which are of two forms. Most sets of a form are near each other.
func CrowdedSets(rng *rand.Rand, n int) Lists {
	var all Lists
	for range n {
		form := rng.IntN(3)
		var set []uint64
		for i := range 20 + rng.IntN(4) {
			f := uint64(1000*form + i)
			if rng.IntN(15) == 0 || form == 2 {
				f = rng.Uint64N(5000) + 10_000
			}
			set = append(set, f*Spread)
		}
		all = append(all, Distinct(set))
	}
	return all
}

// OneSlotSets returns 150 sets of features that share their first bits, some of which differ in a few features only.
// Each has 0 or the largest number, too.
func OneSlotSets(rng *rand.Rand, first uint64) (l Lists) {
	for range 150 {
		var s []uint64
		if len(l) > 0 && rng.IntN(2) == 0 {
			s = slices.Clone(l[rng.IntN(len(l))])
		}
		for range 1 + rng.IntN(20) {
			s = append(s, first+uint64(rng.IntN(300)))
		}
		l = append(l, Distinct(append(s, []uint64{0, ^uint64(0)}[rng.IntN(2)])))
	}
	return l
}
