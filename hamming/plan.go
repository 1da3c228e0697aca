package hamming

import "math"

// Costs, in nanoseconds on a server core of 2023, as measured by
// BenchmarkNear and BenchmarkPairs of package tables; only their ratios matter.
const (
	costScan      = 0.35 // one value of a linear scan
	costCandidate = 0.7  // one value behind an equal header
	costProbe     = 60   // one look-up of a header: two cache misses
	costSort      = 25   // one value sorted by its header and walked once
)

// maxPlanTables bounds a stored set of tables: at 8 bytes an entry and a table,
// a fingerprint takes at most 160 bytes.
const maxPlanTables = 20

// Plan returns the design with the least expected cost of a query within
// distance k among n uniform fingerprints of width bits, of at most 20 tables.
//
// width is in [1, 64], n >= 0, and k in [0, width). Only designs that find k by
// equal headers alone are considered.
func Plan(width, n, k int) Design {
	best, bestCost := Design{}, math.Inf(1)
	each(width, k, maxPlanTables, func(d shape) {
		perTable := costProbe + costCandidate*float64(n)/math.Exp2(float64(d.headerBits))
		// Every table is also memory to fill and to build; between designs as
		// fast as each other the smaller should win.
		if cost := float64(d.tables) * perTable; cost < 0.9*bestCost {
			best, bestCost = d.design(width), cost
		}
	})
	return best
}

// PlanJoin returns the design with the least expected cost of finding all pairs
// within distance k among n uniform fingerprints of width bits. ok is false
// where comparing each with each is cheaper.
//
// Tables of a join are made, used and dropped one after another, so that their
// number costs time but no memory.
func PlanJoin(width, n, k int) (best Design, ok bool) {
	pairs := float64(n) * float64(n-1) / 2
	bestCost := pairs * costScan
	var chosen shape
	each(width, k, maxTables, func(d shape) {
		candidates := pairs / math.Exp2(float64(d.headerBits))
		if cost := float64(d.tables) * (costSort*float64(n) + costCandidate*candidates); cost < bestCost {
			chosen, bestCost, ok = d, cost, true
		}
	})
	if ok {
		best = chosen.design(width)
	}
	return best, ok
}

// A shape is a design before its permutations are made.
type shape struct{ blocks, chosen, tables, headerBits int }

func (s shape) design(width int) Design {
	d, err := NewDesign(width, s.blocks, s.chosen)
	if err != nil {
		panic(err) // each only offers designs that exist
	}
	return d
}

// each calls f for every design of at most maxTables tables in which distance k
// implies an equal header, fewer blocks first.
func each(width, k, maxTables int, f func(shape)) {
	for blocks := k + 1; blocks <= min(width, k+16); blocks++ {
		for chosen := 1; chosen <= blocks-k; chosen++ {
			tables, ok := choose(blocks, chosen)
			if !ok || tables > maxTables {
				continue
			}
			d := Design{width: width, blocks: blocks, chosen: chosen}
			f(shape{blocks, chosen, tables, d.HeaderBits()})
		}
	}
}
