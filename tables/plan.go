package tables

import (
	"fmt"
	"math"

	"simsearch/internal/directory"
)

// Costs are the costs of the steps of a search among n values, in nanoseconds; only
// their ratios matter.
type Costs struct {
	Probe     float64 // a header looked up in a directory, and its run fetched
	Candidate float64 // a value of a run compared
	Scan      float64 // a value of a linear scan compared
}

// CostsFor returns the costs where the tables hold n values each. They grow while
// tables leave the second cache (2^17 values) for the third and for memory (2^23).
//
// Calibrated on a server core of 2023 by BenchmarkNear of package tables, whose
// output is kept in its testdata/calibration.txt.
func CostsFor(n int) Costs {
	far := min(1, max(0, (math.Log2(float64(n)+1)-17)/6))
	candidate := 0.15 + 0.4*far
	return Costs{Probe: 20 + 50*far*far, Candidate: candidate, Scan: 0.1 + 0.35*far}
}

// Costs of a join, in nanoseconds, calibrated by BenchmarkPairs of package tables.
const (
	joinEntry     = 18   // a value of a table sorted by its header and walked past
	joinCandidate = 0.09 // two values of one run compared
	joinPair      = 250  // a pair brought back from a table, looked up and sorted
	joinShown     = 9    // more for each table, some of which show the pair again
)

// maxPlanTables bounds a stored set of tables: at 6 bytes an entry and a table,
// and a directory, a fingerprint takes at most 160 bytes.
const maxPlanTables = 20

// A Plan is a design for a set of fingerprints, with what it is expected to cost.
type Plan struct {
	Design      Design
	Nanoseconds float64 // a query within the distance planned for
	Bytes       float64 // all tables
	Why         string  // in a sentence
	Considered  int     // how many designs
}

// Choose returns the design with the least expected cost of a query within
// distance k among n uniform fingerprints of width bits, whose tables take at most
// maxBytes, 0 being no limit. If no design is as small, it is the smallest.
//
// width is in [1, 64], n >= 0, and k in [0, width). Designs of at most 20 tables are
// considered that find k by equal headers, and smaller ones that find it by looking
// at headers nearby.
func Choose(width, n, k int, maxBytes float64) Plan {
	if maxBytes <= 0 {
		maxBytes = math.Inf(1)
	}
	best := Plan{Nanoseconds: math.Inf(1), Bytes: math.Inf(1)}
	var radii []int
	for exact := min(k, 1); exact <= k; exact++ {
		Catalogue(width, exact, max(maxPlanTables, exact+1), func(s Shape) bool {
			p := Plan{Design: s.Build(), Bytes: tableBytes(n, width, s), Considered: best.Considered + 1}
			radii = p.Design.Radii(radii[:0], k)
			for i, r := range radii {
				p.Nanoseconds += costOf(p.Design.Permutations()[i], n, r)
			}
			best.Considered++
			better := p.Nanoseconds < 0.95*best.Nanoseconds // less is within the model's error
			switch fits, bestFits := p.Bytes <= maxBytes, best.Bytes <= maxBytes; {
			case fits && bestFits && better,
				fits && !bestFits,
				!fits && !bestFits && p.Bytes < best.Bytes:
				best = p
			}
			return true
		})
	}
	best.explain(n, k, maxBytes)
	return best
}

// cost returns the expected time of looking up the headers within r of a query's in
// a table of n uniform values, in nanoseconds.
func costOf(p Permutation, n, r int) float64 {
	header := DirectoryBits(n, p.HeaderBits())
	perHeader := float64(n) / math.Exp2(float64(header))
	costs := CostsFor(n)
	return Ball(header, r) * (costs.Probe + costs.Candidate*perHeader)
}

// explain says why the plan was chosen.
func (p *Plan) explain(n, k int, maxBytes float64) {
	radii := p.Design.Radii(nil, k)
	lookUps, compared := 0.0, 0.0
	for i, r := range radii {
		bits := DirectoryBits(n, p.Design.Permutations()[i].HeaderBits())
		ball := Ball(bits, r)
		lookUps += ball
		compared += ball * float64(n) / math.Exp2(float64(bits))
	}
	p.Why = fmt.Sprintf("of %d designs expected to be the fastest for distance %d among %d fingerprints: %.0f look-ups and %.3g comparisons a query, about %.2g µs",
		p.Considered, k, n, lookUps, compared, p.Nanoseconds/1000)
	if !math.IsInf(maxBytes, 1) {
		p.Why += fmt.Sprintf(", in at most %.3g bytes", maxBytes)
	}
}

// DirectoryBits returns how many bits of a header the directory of a table of n entries
// resolves: about log2 n, so that a bucket holds one to two entries on average.
func DirectoryBits(n, headerBits int) int {
	return directory.Bits(n, headerBits, 0)
}

// tableBytes returns the size of the tables of a shape over n fingerprints, as package
// tables lays them out: 12 bytes an entry of the first, 4, 6 or 8 of the others.
func tableBytes(n, width int, s Shape) float64 {
	dirBits := DirectoryBits(n, s.HeaderBits)
	entry := 8.0
	switch tail := width - dirBits; {
	case tail <= 32:
		entry = 4
	case tail <= 48:
		entry = 6
	}
	first := 12.0
	return float64(n)*(first+float64(s.Tables-1)*entry) + float64(s.Tables)*4*math.Exp2(float64(dirBits))
}

// PlanJoin returns the design with the least expected cost of finding all pairs within
// distance k, of which there are about so many, among n otherwise uniform fingerprints
// of width bits. ok is false where comparing each with each is cheaper.
//
// Tables of a join are made, used and dropped one after another, so that their
// number costs time but no memory.
func PlanJoin(width, n, k int, pairs float64) (best Design, ok bool) {
	all := float64(n) * float64(n-1) / 2
	bestCost := all * CostsFor(n).Scan
	var build func() Design
	Catalogue(width, k, maxTables, func(s Shape) bool {
		candidates := all / math.Exp2(float64(s.HeaderBits))
		tables := float64(s.Tables)
		if cost := tables*(joinEntry*float64(n)+joinCandidate*candidates) + pairs*(joinPair+joinShown*tables); cost < bestCost {
			bestCost, build = cost, s.Build
		}
		return true
	})
	if build == nil {
		return Design{}, false
	}
	return build(), true
}
