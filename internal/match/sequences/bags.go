package sequences

import (
	"math"
	"slices"
)

// Bags are what some things have, in no order, such as the literals of programs. Each hash has a weight: the root of
// how often it is there, the less the more others have it. They must not be used by several goroutines at once: each
// has a Clone.
type Bags struct {
	all     [][]inBag
	weights []float64 // of the bag that was asked about last, by number
	last    int
}

type inBag struct {
	number uint32  // of a hash
	weight float64 // the squares of those of a bag have the sum 1
}

// NewBags returns Bags of hashes, which it sorts.
func NewBags(all [][]uint64) *Bags {
	numbers, having := map[uint64]uint32{}, []int{}
	bags := &Bags{all: make([][]inBag, len(all)), last: -1}
	for i, hashes := range all {
		slices.Sort(hashes)
		for from := 0; from < len(hashes); {
			to := from
			for to < len(hashes) && hashes[to] == hashes[from] {
				to++
			}
			number, known := numbers[hashes[from]]
			if !known {
				number = uint32(len(having))
				numbers[hashes[from]], having = number, append(having, 0)
			}
			having[number]++
			bags.all[i] = append(bags.all[i], inBag{number, math.Sqrt(float64(to - from))})
			from = to
		}
	}
	n := float64(len(all) + 1)
	for _, bag := range bags.all {
		sum := 0.0
		for i := range bag {
			bag[i].weight *= min(1, math.Log(n/float64(having[bag[i].number]))/math.Log(n/2))
			sum += bag[i].weight * bag[i].weight
		}
		for i := range bag {
			bag[i].weight /= math.Sqrt(max(sum, math.SmallestNonzeroFloat64))
		}
	}
	bags.weights = make([]float64, len(having))
	return bags
}

// Clone returns the same bags for another goroutine.
func (b *Bags) Clone() *Bags {
	return &Bags{all: b.all, weights: make([]float64, len(b.weights)), last: -1}
}

// Len returns how many different hashes a bag has.
func (b *Bags) Len(x int) int { return len(b.all[x]) }

// Cosine returns the cosine of two bags, from 0 to 1. It takes less time if the first one is that of the call before.
func (b *Bags) Cosine(x, y int) (sum float64) {
	if b.last != x {
		if b.last >= 0 {
			for _, is := range b.all[b.last] {
				b.weights[is.number] = 0
			}
		}
		for _, is := range b.all[x] {
			b.weights[is.number] = is.weight
		}
		b.last = x
	}
	for _, is := range b.all[y] {
		sum += is.weight * b.weights[is.number]
	}
	return min(1, sum)
}
