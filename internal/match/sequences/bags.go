package sequences

import (
	"cmp"
	"math"
	"slices"
)

// Bags are what some things have, in no order, such as the literals of programs. Each hash has a weight: the root of how often it is there,
// the less the more others have it.
type Bags [][]inBag

type inBag struct {
	hash   uint64
	weight float64 // the squares of those of a bag have the sum 1
}

// NewBags returns Bags of hashes, which it sorts.
func NewBags(all [][]uint64) Bags {
	having := map[uint64]int{}
	bags := make(Bags, len(all))
	for i, hashes := range all {
		slices.Sort(hashes)
		for from := 0; from < len(hashes); {
			to := from
			for to < len(hashes) && hashes[to] == hashes[from] {
				to++
			}
			bags[i] = append(bags[i], inBag{hashes[from], math.Sqrt(float64(to - from))})
			having[hashes[from]]++
			from = to
		}
	}
	n := float64(len(all) + 1)
	for _, bag := range bags {
		sum := 0.0
		for i := range bag {
			bag[i].weight *= min(1, math.Log(n/float64(having[bag[i].hash]))/math.Log(n/2))
			sum += bag[i].weight * bag[i].weight
		}
		for i := range bag {
			bag[i].weight /= math.Sqrt(max(sum, math.SmallestNonzeroFloat64))
		}
	}
	return bags
}

// Cosine returns the cosine of two bags, from 0 to 1.
func (b Bags) Cosine(x, y int) (sum float64) {
	other := b[y]
	for _, is := range b[x] {
		i, found := slices.BinarySearchFunc(other, is.hash, func(o inBag, hash uint64) int { return cmp.Compare(o.hash, hash) })
		if other = other[i:]; found {
			sum += is.weight * other[0].weight
		}
	}
	return min(1, sum)
}
