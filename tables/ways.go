package tables

import (
	"math"

	"simsearch/hamming"
)

// A way is how queries of one distance are answered.
type way struct {
	scan bool
	// scanShared is set if a scan that shares the reading of the values with others is faster than looking up headers.
	scanShared bool
	radii      []int8 // of each table, as Design.radii returns them, or cheapestRadii; -1 if it is not looked up
}

// scanShare is how long a search by look-ups may take, beside a scan. Below 1 it leaves room for errors of the prices, so
// that searches that look up headers first, and then scan, take at most twice as long as a scan.
const scanShare = 0.5

// planWays decides for every distance whether to look up headers or to scan, by the costs that are expected
// of uniform values.
// shared is the cost of comparing a value that is in the cache.
func (t *Tables) planWays(ways *[hamming.MaxBits + 1]way, costs stepCosts, shared float64) {
	n := float64(len(t.values))
	one := func(i, r, k int) float64 { return lookUpCost(t.tables[i].dir.Bits, r, k, costs, n) }
	cheapest := t.cheapest(func(i, r int) float64 { return one(i, r, -1) }, costs.Scan*n)
	repeated := t.repeated()
	radii := make([]int, 0, len(t.tables))
	for k := range ways {
		radii = t.design.radii(radii[:0], k)
		w := way{radii: make([]int8, len(radii))}
		for i, r := range radii {
			if w.radii[i] = int8(min(r, t.tables[i].dir.Bits)); repeated[i] && k <= t.design.exact {
				w.radii[i] = -1
			}
		}
		total := func(radii []int8, k int) (cost float64) {
			for i, r := range radii {
				cost += one(i, int(r), k)
			}
			return cost
		}
		if c := cheapest(k); c.cost < total(w.radii, -1) {
			w.radii = c.radii
		}
		cost := total(w.radii, k)
		w.scan, w.scanShared = cost > scanShare*costs.Scan*n, cost > scanShare*shared*n
		ways[k] = w
	}
}

// repeated reports of each table of Combinations whether an earlier one has the same search header. A directory resolves the
// first bits of a header alone: of all choices of 3 of 6 blocks, those that begin with the same two blocks have the same
// search header among a million fingerprints, and so the same runs. Of 20 tables, 10 are looked up.
func (t *Tables) repeated() []bool {
	repeated, seen := make([]bool, len(t.tables)), map[uint64]bool{}
	for i := range t.tables {
		mask := t.tables[i].mask
		repeated[i] = t.design.byHeader() && seen[mask]
		seen[mask] = true
	}
	return repeated
}

// cheapest returns a function that gives the cheapest radii for a distance, by the cost of each table. There are
// none of a higher cost than limit.
func (t *Tables) cheapest(cost func(i, r int) float64, limit float64) func(k int) choice {
	headers := make([]uint64, len(t.tables))
	for i := range t.tables {
		headers[i] = t.tables[i].mask
	}
	bounded := func(i, r int) float64 {
		if c := cost(i, r); c <= limit {
			return c
		}
		return math.Inf(1)
	}
	exactly := func(i, r int) float64 {
		if r > 0 {
			return math.Inf(1)
		}
		return bounded(i, r)
	}
	beyond := cheapestRadii(headers, hamming.MaxBits, bounded)
	exact := cheapestRadii(headers, t.design.exact, exactly)
	return func(k int) choice {
		if k <= t.design.exact {
			return exact[k]
		}
		return beyond[k]
	}
}

// lookUpCost returns the expected cost of looking up the headers within radius r of a query within k, among n uniform
// values by a directory of the given number of bits. It grows with r. k below 0 leaves out what depends on k: how many
// entries pass by their lowest 32 bits.
func lookUpCost(dirBits, r, k int, costs stepCosts, n float64) float64 {
	entries := n / math.Exp2(float64(dirBits))
	sum := 0.0
	for apart := 0; apart <= r; apart++ {
		run, within := costs.Probe+costs.Candidate*entries, k-apart
		switch {
		case within >= listedWithin:
			run += aloneCost + entries*(costs.Candidate+passedCost*share(48, within))
		case within > 0:
			run += entries * passedCost * share(32, within)
		}
		sum += run * (ball(dirBits, apart) - ball(dirBits, apart-1))
	}
	return sum
}

// share returns the share of the values of n bits that are within r of any one of them.
func share(n, r int) float64 { return ball(n, r) / math.Exp2(float64(n)) }
