package tables

// A way is how queries of one distance are answered.
type way struct {
	scan  bool
	radii []int8 // of each table, as Design.Radii returns them, or apartRadii
	look  []int8 // radii, but -1 for tables that an earlier one stands for (sharedbits.go)
}

// planWays decides for every distance whether to look up headers or to scan, by the costs expected of
// uniform values.
func (t *Tables) planWays() {
	n := float64(len(t.Values()))
	costs := CostsFor(len(t.Values()))
	radii := make([]int, 0, len(t.tables))
	for k := range t.ways {
		radii = t.design.Radii(radii[:0], k)
		w := way{radii: make([]int8, len(radii))}
		for i, r := range radii {
			w.radii[i] = int8(min(r, t.tables[i].dir.Bits))
		}
		w.look = t.lookedUp(w.radii, k)
		cost := t.cost(w.look, costs, n)
		if t.design.byHeader() && k > t.design.exact { // in planned designs, few headers share a bit
			if apart := t.apartRadii(k); t.cost(apart, costs, n) < cost {
				w.radii, w.look, cost = apart, apart, t.cost(apart, costs, n)
			}
		}
		w.scan = cost > costs.Scan*n
		t.ways[k] = w
	}
}

// cost returns the expected cost of looking up headers within radii among n uniform values.
func (t *Tables) cost(radii []int8, costs Costs, n float64) float64 {
	cost := 0.0
	for i, r := range radii {
		header := t.tables[i].dir.Bits
		cost += Ball(header, int(r)) * (costs.Probe + costs.Candidate*n/float64(uint64(1)<<min(header, 63)))
	}
	return cost
}
