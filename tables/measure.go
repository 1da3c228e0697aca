package tables

import (
	"math"
	"time"

	"simsearch/hamming"
)

// Processors differ in what a look-up costs beside a scan, by a factor of eight: one has its tables in a large
// third cache, and another scans faster. So the first search beyond the exact distance in many values measures
// both, in a few milliseconds. What it measures decides the way to an answer, and never the answer. Plans of new
// tables do not depend on it, so that the same values make the same tables everywhere.

// measured is what searches beyond the exact distance use if costs have been measured.
type measured struct {
	ways   [hamming.MaxBits + 1]way
	prices prices
}

const (
	// scanAtMost is how many values are scanned to measure a scan: they exceed most caches.
	scanAtMost = 1 << 22
	// trials is how many searches are made to measure a look-up.
	trials = 8
)

// beyond returns how a search within k is made, and the prices of its steps.
func (t *Tables) beyond(k int) (*way, prices) {
	if k <= t.design.exact || len(t.values) < t.tuning.measureFrom || !t.dirs.of(t) || !t.lows.of(t) {
		return &t.ways[k], t.prices // of a file that is not known to be sound, reading and checking would be measured
	}
	t.measuring.Do(func() { t.measured = t.measure() })
	return &t.measured.ways[k], t.measured.prices
}

// measure measures the costs of searches and plans by them. They stay within a factor of eight of CostsFor.
func (t *Tables) measure() *measured {
	near := func(cost, planned float64) float64 { return min(max(cost, planned/8), 8*planned) }
	costs := CostsFor(len(t.values))
	var dst []hamming.Match
	values := t.values[:min(len(t.values), scanAtMost)]
	scan := func(values []uint64) float64 {
		took := math.Inf(1)
		for range 3 { // the first time brings into the caches what they keep
			start := time.Now()
			dst = hamming.Scan(dst[:0], values, ^values[0], 0)
			took = min(took, float64(time.Since(start).Nanoseconds()))
		}
		return took / float64(len(values))
	}
	costs.Scan = near(scan(values), costs.Scan)
	costs.Candidate = near(costs.Scan, costs.Candidate)

	// Only the first table is looked up, within 2 bits.
	look := make([]int8, len(t.tables))
	for i := range look {
		look[i] = -1
	}
	look[0] = int8(min(2, t.tables[0].dir.Bits))
	w := way{radii: look, look: look}
	least := math.Inf(1)
	for i := range uint64(trials) {
		count := tally{left: math.MaxInt64}
		q := t.values[uint64(len(t.values))*i/trials]
		start := time.Now()
		if _, err := t.nearBeyond(dst[:0], search{q: q, k: int(look[0]), way: &w, count: &count}); err != nil {
			continue
		}
		took := float64(time.Since(start).Nanoseconds()) - costs.Candidate*float64(count.stats.Compared)
		least = min(least, took/float64(count.stats.LookUps))
	}
	costs.Probe = near(least, costs.Probe)
	shared := min(costs.Scan, near(scan(values[:min(len(values), scanBlock)]), CostsFor(0).Scan))
	m := &measured{prices: pricesOf(costs, shared)}
	t.planWays(&m.ways, costs, shared)
	return m
}
