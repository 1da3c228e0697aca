package tables

import (
	"fmt"
	"math"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/selfjoin"
)

// stepCosts are the costs of the steps of a search among n values, in nanoseconds. Only their ratios
// matter to a plan.
type stepCosts struct {
	Probe     float64 // looking up a header in a directory, and reading the first line of its run
	Candidate float64 // comparing a value of a run
	Scan      float64 // comparing a value of a linear scan
}

// costsFor returns the costs for tables of n values. They grow from 2^17 values, which leave the second
// cache, to 2^23 values, which are in memory.
//
// They were measured by BenchmarkNear on a server core of 2023. Its output is in
// testdata/calibration.txt.
func costsFor(n int) stepCosts {
	far := min(1, max(0, (math.Log2(float64(n)+1)-17)/6))
	candidate := 0.15 + 0.4*far
	return stepCosts{Probe: 20 + 50*far*far, Candidate: candidate, Scan: 0.1 + 0.35*far}
}

// The costs of a join in nanoseconds, as BenchmarkPairs measured them.
const (
	joinGather    = 14  // bringing a value into its bucket; of the first group of headers, values are in their buckets
	joinEntry     = 12  // sorting a value of a bucket by a header, and going past it
	joinCandidate = 0.3 // comparing two values of a run
	joinPair      = 250 // looking a pair up and sorting it
	joinShown     = 9   // added to joinPair for each table, some of which show the pair again
)

// maxPlanTables is the largest number of tables that Choose considers. With 6 bytes an entry, and
// directories, a fingerprint then takes at most 160 bytes.
const maxPlanTables = 20

// A Plan is a design for a set of fingerprints, with its expected costs.
type Plan struct {
	Design      Design
	Nanoseconds float64 // of a query within the distance planned for
	Bytes       float64 // of all tables
	Why         string  // why it was chosen, in a sentence
	Considered  int     // the number of designs that were considered
}

// Choose returns the design with the least expected time of a query within distance k among n
// uniform fingerprints of width bits. Its tables take at most maxBytes, where 0 is no limit. If
// there is no such design, Choose returns the design with the smallest tables. width is in [1, 64],
// n >= 0, and k in [0, width).
//
// Choose considers designs of at most 20 tables that find k by equal headers, and designs for smaller distances that
// find k by looking up headers nearby. The latter win at large distances. For k = 8 and 12 among ten million
// fingerprints of 64 bits, Choose takes four tables with headers of 16 bits. A query within 12 bits then takes a
// twelfth of the time of the vectorised scan (testdata/calibration.txt). For k from 4 to 11, the design for k = 3
// stays unless another one takes a fifth less memory or is expected to be much faster, since what steps cost depends
// on the processor.
func Choose(width, n, k int, maxBytes float64) Plan {
	if maxBytes <= 0 {
		maxBytes = math.Inf(1)
	}
	p := chooseWithin(width, n, k, min(k, 1), maxBytes, false)
	if k <= usualDistance || k >= listedWithin {
		return p
	}
	usual := chooseWithin(width, n, usualDistance, 1, math.Inf(1), false)
	_, usual.Nanoseconds = usual.Design.costFor(nil, n, k)
	gain := 0.6
	if 2*len(p.Design.permutations) > 3*len(usual.Design.permutations) {
		gain = 0.4
	}
	if usual.Bytes <= min(maxBytes, 1.25*p.Bytes) && p.Nanoseconds > gain*usual.Nanoseconds {
		usual.Considered += p.Considered
		usual.explain(n, k, maxBytes)
		return usual
	}
	return p
}

// usualDistance is the distance that most searches are for. On three backends, what takes at most 0.6 of the time of
// its design by the model, or 0.4 with many more tables, is no slower, but for single queries within 5 bits by
// AVX-512, which take 1.3 times as long, and batches half, and those within 9 bits without vectors, which take 1.2
// times as long, and batches 0.85 times.
const usualDistance = 3

// chooseWithin is Choose within a limit, of designs that find at least some distance by equal headers. dense says
// that tables are dense where a design allows it, and that such designs are preferred.
func chooseWithin(width, n, k, leastExact int, maxBytes float64, dense bool) Plan {
	best := Plan{Nanoseconds: math.Inf(1), Bytes: math.Inf(1)}
	var radii []int
	for exact := leastExact; exact <= k; exact++ {
		catalogue(width, exact, max(maxPlanTables, exact+1), func(s shape) bool {
			p := Plan{Design: s.Build(), Bytes: tableBytes(n, width, s), Considered: best.Considered + 1}
			if dense {
				if d, ok := p.Design.dense(denseSlots); ok {
					p.Design, p.Bytes = d, float64(bytesOf(n, d))
				}
			}
			radii, p.Nanoseconds = p.Design.costFor(radii[:0], n, k)
			best.Considered++
			gain := 0.95 // a smaller gain is within the error of the model
			if k > exact && p.Bytes > best.Bytes {
				gain = 0.8 // which is larger where headers nearby are looked up, and memory has a price, too
			}
			if p.Bytes > 2*best.Bytes {
				gain = 0.5 // twice the memory has to be twice as fast
			}
			better := p.Nanoseconds < gain*best.Nanoseconds
			fit := func(p *Plan) bool { return p.Bytes <= maxBytes && (!dense || p.Design.slots > 0) }
			switch fits, bestFits := fit(&p), fit(&best); {
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

// costFor appends to dst the radii of the tables for queries within k, and returns the expected time of a query among
// n uniform values, in nanoseconds.
func (d Design) costFor(dst []int, n, k int) (radii []int, cost float64) {
	radii = d.radii(dst, k)
	for i, r := range radii {
		cost += lookUpCost(directoryBits(n, d.permutations[i].HeaderBits()), r, k, costsFor(n), float64(n))
	}
	return radii, cost
}

// explain sets Why.
func (p *Plan) explain(n, k int, maxBytes float64) {
	radii, _ := p.Design.costFor(nil, n, k)
	lookUps, compared := workOf(n, radii, func(i int) int { return directoryBits(n, p.Design.permutations[i].HeaderBits()) })
	p.Why = fmt.Sprintf("of %d designs expected to be the fastest for distance %d among %d fingerprints: %.0f look-ups and %.3g comparisons a query, about %.2g µs",
		p.Considered, k, n, lookUps, compared, p.Nanoseconds/1000)
	if !math.IsInf(maxBytes, 1) {
		p.Why += fmt.Sprintf(", in at most %.3g bytes", maxBytes)
	}
}

// directoryBits returns the number of bits of a header that the directory of a table of n entries
// resolves: about log2 n, so that a slot holds one to two entries on average.
func directoryBits(n, headerBits int) int {
	return ints.DirectoryBits(n, headerBits, 0)
}

// tableBytes returns the size of the tables of a shape over n fingerprints, in bytes: 12 for an entry
// of the first table, and 4, 6 or 8 for an entry of each other, beside the directories.
func tableBytes(n, width int, s shape) float64 {
	dirBits := directoryBits(n, s.HeaderBits)
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

// planJoin returns the design with the least expected time of finding all pairs within distance k
// among n fingerprints of width bits, which are uniform but for about the given number of pairs. ok is
// false if comparing all fingerprints with each other is cheaper.
//
// A join makes no tables, so that their number costs time and no memory. Headers of combinations that begin with the
// same block share its buckets.
func planJoin(width, n, k int, pairs float64) (best Design, ok bool) {
	all := float64(n) * float64(n-1) / 2
	bestCost := all * costsFor(n).Scan
	var build func() Design
	catalogue(width, k, maxTables, func(s shape) bool {
		candidates := all / math.Exp2(float64(s.HeaderBits))
		tables, groups := float64(s.Tables), s.Tables
		if s.FirstBits >= selfjoin.FirstBits(n) {
			groups = s.Groups
		}
		cost := float64(groups-1)*joinGather*float64(n) + tables*(joinEntry*float64(n)+joinCandidate*candidates) + pairs*(joinPair+joinShown*tables)
		if cost < bestCost {
			bestCost, build = cost, s.Build
		}
		return true
	})
	if build == nil {
		return Design{}, false
	}
	return build(), true
}
