package eval

import (
	"simsearch/hamming"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
)

// allChoices measures the settings of a collection in the plainest way, by comparing all pairs: a search by each
// distance from 0 to 16 bits and, if bySets is set, by several Jaccard similarities. Near in truth is what the labels
// say or, without labels, a pair with an exact similarity of 0.8 or more.
func allChoices(c *Collection, bySets bool) (out []Choice) {
	inTruth := map[[2]uint32]bool{}
	for _, p := range c.Truth.All {
		if p.Jaccard >= index.DefaultThreshold {
			inTruth[[2]uint32{p.A, p.B}] = true
		}
	}
	near, judge := len(inTruth), func(a, b uint32) (near, known bool) { return inTruth[[2]uint32{a, b}], true }
	if c.Labels != nil {
		near, judge = c.Labels.Near, c.Labels.Judge
	}
	s := c.Settings
	add := func(by index.Predicate, flags string, bytes float64, within func(a, b uint32) bool) {
		found, right := 0, 0
		for a := range uint32(c.Len()) {
			for b := a + 1; b < uint32(c.Len()); b++ {
				if len(c.Sets[a]) == 0 || len(c.Sets[b]) == 0 || !within(a, b) {
					continue
				}
				if is, known := judge(a, b); known {
					found++
					if is {
						right++
					}
				}
			}
		}
		p, r := truth.NewRate(right, found), truth.NewRate(right, near)
		out = append(out, Choice{s, by, flags, searchFlags(by), p, r, truth.F1(p.Share, r.Share), bytes})
	}
	for k := range farthest + 1 {
		add(index.Within(k), fingerprintFlags(s), 8, func(a, b uint32) bool {
			return hamming.Distance(c.Fingerprints[a], c.Fingerprints[b]) <= k
		})
	}
	if !bySets {
		return out
	}
	for _, threshold := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		add(index.Similar(threshold), setFlags(s), 8*meanSize(c.Sets)+float64(s.Positions), func(a, b uint32) bool {
			return ints.Jaccard(c.Sets[a], c.Sets[b]) >= threshold
		})
	}
	return out
}
