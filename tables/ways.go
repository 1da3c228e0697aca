package tables

import (
	"fmt"
	"math"
	"slices"

	"simsearch/hamming"
	"simsearch/internal/match/kernels"
)

// A way is how queries of one distance are answered.
type way struct {
	scan bool
	// scanShared is set if a scan that shares the reading of the values with others is faster than looking up headers.
	scanShared bool
	radii      []int8 // of each table, as Design.radii returns them
	// masks are the bits of each table in which a value that it shows differs from a query in its radius at most:
	// those of the whole header within the exact distance, and else those of the search header.
	masks []uint64
}

// scanShare is how long a search by look-ups may take, beside a scan. Below 1 it leaves room for errors of the
// prices, so that searches that look up headers first, and then scan, take at most twice as long as a scan.
const scanShare = 0.5

// way returns how queries within distance k, at least 0, are answered: whether to look up headers or to scan, by the
// costs that are expected of uniform values. It is planned when it is first asked for.
func (t *Tables) way(k int) *way {
	k = min(k, hamming.MaxBits)
	t.planned[k].Do(func() { t.ways[k] = t.planWay(k) })
	return &t.ways[k]
}

func (t *Tables) planWay(k int) way {
	n, costs := float64(len(t.values)), searchCosts(len(t.values))
	w := way{radii: make([]int8, len(t.tables)), masks: make([]uint64, len(t.tables))}
	cost := 0.0
	for i, r := range t.design.radii(nil, k) {
		perm, bits := t.tables[i].perm, t.tables[i].dir.Bits
		w.masks[i] = perm.Header()
		if k > t.design.exact {
			w.masks[i] = perm.invert(topBits(perm.Width(), bits))
		}
		w.radii[i] = int8(min(r, bits))
		cost += lookUpCost(bits, int(w.radii[i]), k, costs, n)
	}
	w.scan, w.scanShared = cost > scanShare*costs.Scan*n, cost > scanShare*searchCosts(0).Scan*n
	return w
}

// searchCosts returns costsFor with the vectors of this processor. How tables are searched depends on these, and
// designs do not.
func searchCosts(n int) stepCosts {
	c := costsFor(n)
	switch kernels.Backend() {
	case "avx2", "neon":
		c.Candidate, c.Scan = c.Candidate+0.1, c.Scan+0.1
	case "generic":
		c.Candidate, c.Scan = c.Candidate+0.3, c.Scan+0.6
	}
	return c
}

// lookUpCost returns the expected cost of looking up the headers within radius r of a query within k, among n uniform
// values by a directory of the given number of bits. It grows with r.
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

// workOf returns how many headers a query looks up within the radii of tables, and how many of n uniform values it
// compares. The directory of table i has dirBits(i) bits.
func workOf[R int | int8](n int, radii []R, dirBits func(i int) int) (lookUps, compared float64) {
	for i, r := range radii {
		size := ball(dirBits(i), int(r))
		lookUps += size
		compared += size * math.Ldexp(float64(n), -dirBits(i))
	}
	return lookUps, compared
}

// Explain says in a phrase how queries within distance k >= 0 are answered: "looks up 6 headers within radii ..." or
// "compares all ...". What is compared is expected of uniform values.
func (t *Tables) Explain(k int) string {
	w := t.way(k)
	if w.scan {
		return fmt.Sprintf("compares all %d fingerprints: tables would take longer", len(t.values))
	}
	steps, within := 0, ""
	lookUps, compared := workOf(len(t.values), w.radii, func(i int) int {
		steps = max(steps, t.tables[i].dir.Bits)
		return t.tables[i].dir.Bits
	})
	if slices.Max(w.radii) > 0 {
		within = fmt.Sprintf(" within radii %v", w.radii)
	}
	return fmt.Sprintf("looks up %.0f headers%s, a directory for the first %d steps of each binary search, and compares about %.3g fingerprints",
		lookUps, within, steps, compared)
}
