package eval

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"simsearch/hamming"
)

// A view is another order of the bits of a value, one for each round.
type view func(round int, value uint64) uint64

// rotation returns the view that rotates values of width bits left by one bit a round.
func rotation(width int) view {
	return func(round int, x uint64) uint64 {
		round %= width
		return (x<<round | x>>(width-round)) & (^uint64(0) >> (64 - width))
	}
}

// permutation returns the view that puts the bits of values of width bits into a random order, another one for each
// of the given number of rounds, but as they are in the first.
func permutation(r *rand.Rand, width, rounds int) view {
	orders := make([][]int, rounds)
	for i := range orders[1:] {
		orders[i+1] = r.Perm(width)
	}
	return func(round int, x uint64) (y uint64) {
		if round == 0 {
			return x
		}
		for to, from := range orders[round] {
			y |= x >> from & 1 << to
		}
		return y
	}
}

// neighbours returns the pairs of values within reportDistance that are next to each other when views of them are
// sorted, and the first round, from 0 on, in which they are. A pair is two indices i < j. By rotations, it is the
// baseline of the course report, which sorts the values, compares neighbours, rotates all by one bit and begins
// again. It misses pairs.
//
// Source: S. Biswas, "Near Duplicate Detection using SimHash", course report, 2017.
func neighbours(values []uint64, rounds int, of view) map[[2]uint32]int {
	order, seen := make([]uint32, len(values)), make([]uint64, len(values))
	for i := range order {
		order[i] = uint32(i)
	}
	found := map[[2]uint32]int{}
	for round := range rounds {
		for i, x := range values {
			seen[i] = of(round, x)
		}
		slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(seen[a], seen[b]), cmp.Compare(a, b)) })
		for i := 1; i < len(order); i++ {
			a, b := min(order[i-1], order[i]), max(order[i-1], order[i])
			if _, has := found[[2]uint32{a, b}]; !has && bits.OnesCount64(values[a]^values[b]) <= reportDistance {
				found[[2]uint32{a, b}] = round
			}
		}
	}
	return found
}

// missedAfter returns, for 1 to rounds rounds, how many of the given number of pairs neighbours has not found.
func missedAfter(found map[[2]uint32]int, pairs, rounds int) []int {
	missed := make([]int, rounds)
	for _, round := range found {
		missed[round]++
	}
	for i, n := range missed {
		pairs -= n
		missed[i] = pairs
	}
	return missed
}

// distinctValues returns values without repetitions, ascending.
func distinctValues(values []uint64) []uint64 {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// timed returns the time that do takes.
func timed(do func()) (seconds float64) {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}

// comparingAll returns the pairs of values within distance k, as ascending indices.
func comparingAll(values []uint64, k int) (out [][2]uint32) {
	for i, x := range values {
		for j, y := range values[i+1:] {
			if hamming.Distance(x, y) <= k {
				out = append(out, [2]uint32{uint32(i), uint32(i + 1 + j)})
			}
		}
	}
	return out
}
