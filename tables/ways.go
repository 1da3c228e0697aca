package tables

import (
	"fmt"
	"math"

	"simsearch/hamming"
	"simsearch/internal/kernels"
	"simsearch/internal/lines"
)

// A way is how queries of one distance are answered.
type way struct {
	scan bool
	// scanShared is set if a scan that shares the reading of the values with others is faster than looking up headers.
	scanShared bool
	// plain is set if nearExact is made for it: equal headers are looked up, and few lines read.
	plain bool
	radii []int8 // of each table, as Design.radii returns them
}

// scanShare is how long a search by look-ups may take, beside a scan. Below 1 it leaves room for errors of the prices, so
// that searches that look up headers first, and then scan, take at most twice as long as a scan.
const scanShare = 0.5

// way returns how queries within distance k, at least 0, are answered: whether to look up headers or to scan, by the costs that are
// expected of uniform values. It is planned when it is first asked for. Tables by hand are looked up within their exact distance,
// whatever that costs.
func (t *Tables) way(k int) *way {
	k = min(k, hamming.MaxBits)
	t.planned[k].Do(func() { t.ways[k] = t.planWay(k) })
	return &t.ways[k]
}

func (t *Tables) planWay(k int) way {
	if far := k > t.design.exact; t.design.byHand() {
		return way{scan: far, scanShared: far, radii: make([]int8, len(t.tables))}
	}
	n, costs := len(t.values), costsFor(len(t.values))
	w := way{radii: make([]int8, len(t.tables))}
	cost, lines := 0.0, 0.0
	for i, r := range t.design.radii(nil, k) {
		r = min(r, t.tables[i].search)
		w.radii[i] = int8(r)
		cost += t.design.lookUpCost(n, i, r, k, costs)
		lines += t.design.linesOf(n, i) * ball(t.tables[i].search, r)
	}
	w.plain = k <= t.design.exact && len(t.tables) <= exactTables && lines < maxLanes*3/4
	scan := scanShare * float64(n)
	w.scan, w.scanShared = cost > scan*costs.Scan, cost > scan*costsFor(0).Scan
	return w
}

// linesOf returns about how many lines a header of table i leads to, among n uniform values.
func (d Design) linesOf(n, i int) float64 {
	entries := d.entries(n, i)
	if i == 0 {
		return 1 + entries/8
	}
	if entries <= lines.Full {
		return 1
	}
	return 1 + entries/(kernels.LineWords-2)
}

// lookUpCost returns the expected cost of looking up the headers within radius r of a query within k in table i, among n uniform
// values. It grows with r.
func (d Design) lookUpCost(n, i, r, k int, costs stepCosts) float64 {
	entries, bits := d.entries(n, i), d.searchBits(n, i)
	run := costs.Probe + costs.Line*(d.linesOf(n, i)-1)
	sum := 0.0
	for apart := 0; apart <= r; apart++ {
		one := run
		if i == 0 {
			one += costs.Passed / 2
		} else {
			one += entries * costs.Passed * share(32, k-apart)
		}
		sum += one * (ball(bits, apart) - ball(bits, apart-1))
	}
	return sum
}

// share returns the share of the values of n bits that are within r of any one of them.
func share(n, r int) float64 { return ball(n, r) / math.Exp2(float64(n)) }

// A Search describes how queries of one distance are answered.
type Search struct {
	Scan    bool    // all values are compared, and no headers looked up
	Radii   []int   // of each table; -1 if it is not looked up
	LookUps float64 // headers looked up
	Compare float64 // values compared, if they are uniform
	ByHand  bool    // the tables are those of Combinations
}

// Explain returns how queries within distance k >= 0 are answered.
func (t *Tables) Explain(k int) Search {
	n := float64(len(t.Values()))
	w := t.way(k)
	s := Search{Scan: w.scan, Compare: n, ByHand: t.design.byHand()}
	if w.scan {
		return s
	}
	s.Compare = 0
	for i, r := range w.radii {
		size := ball(t.design.searchBits(len(t.values), i), int(r))
		s.Radii = append(s.Radii, int(r))
		s.LookUps += size
		s.Compare += size * t.design.compared(len(t.values), i)
	}
	return s
}

// String returns the description as a phrase: "looks up 6 headers within radii ..." or "compares all
// ...".
func (s Search) String() string {
	switch {
	case s.Scan && s.ByHand:
		return fmt.Sprintf("compares all %.0f fingerprints: equal headers do not find that distance", s.Compare)
	case s.Scan:
		return fmt.Sprintf("compares all %.0f fingerprints: tables would take longer", s.Compare)
	case s.ByHand:
		return fmt.Sprintf("looks up %.0f headers by binary search and compares about %.3g fingerprints by chance, beside what is near",
			s.LookUps, s.Compare)
	}
	return fmt.Sprintf("looks up %.0f headers within radii %v and compares about %.3g fingerprints", s.LookUps, s.Radii, s.Compare)
}
