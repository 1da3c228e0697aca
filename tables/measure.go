package tables

import (
	"math"
	"slices"
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
	// scannedInAll is about how many values are scanned to find the least time.
	scannedInAll = 1 << 24
	// trials is how many searches are made to measure a look-up. A quarter of them take less than what is measured.
	// Few would find nothing in the caches, and a single one is disturbed too easily.
	trials = 128
)

// beyond returns how a search within k is made, and the prices of its steps.
func (t *Tables) beyond(k int) (*way, prices) {
	if k <= t.design.exact || len(t.values) < t.tuning.measureFrom || !t.dirs.of(t) || !t.lows.of(t) {
		return &t.ways[k], t.prices // of a file that is not known to be sound, reading and checking would be measured
	}
	t.measuring.Do(func() { t.measured = t.measure() })
	return &t.measured.ways[k], t.measured.prices
}

// measure measures the costs of searches and plans by them. They stay within a factor of eight of costsFor.
func (t *Tables) measure() *measured {
	near := func(cost, planned float64) float64 { return min(max(cost, planned/8), 8*planned) }
	costs := costsFor(len(t.values))
	values := t.values[:min(len(t.values), scanAtMost)]
	costs.Scan = near(measureScan(values), costs.Scan)
	shared := min(costs.Scan, near(measureScan(values[:min(len(values), scanBlock)]), costsFor(0).Scan))
	more := near(t.measureLookUps(costs), 1)
	costs.Probe, costs.Candidate = more*costs.Probe, more*costs.Candidate
	m := &measured{prices: pricesOf(costs, shared)}
	t.planWays(&m.ways, costs, shared)
	return m
}

// measureScan returns the least time of a scan in nanoseconds for each of the values.
func measureScan(values []uint64) float64 {
	var dst []hamming.Match
	took := math.Inf(1)
	for range max(3, min(16, scannedInAll/len(values))) { // the first time brings into the caches what they keep
		start := time.Now()
		dst = hamming.Scan(dst[:0], values, ^values[0], 0)
		took = min(took, float64(time.Since(start).Nanoseconds()))
	}
	return took / float64(len(values))
}

// measureLookUps returns the time of searches in the first table within 2 bits over what costs expect. It is 1 if
// there is an error.
func (t *Tables) measureLookUps(costs stepCosts) float64 {
	radii := make([]int8, len(t.tables))
	for i := range radii {
		radii[i] = -1
	}
	radii[0] = int8(min(2, t.tables[0].dir.Bits))
	w := way{radii: radii}
	var dst []hamming.Match
	var ratios []float64
	for i := range uint64(trials) {
		count := t.tally(math.MaxInt64)
		q := t.values[i*0x9e3779b97f4a7c15%uint64(len(t.values))] // anywhere
		start := time.Now()
		var err error
		if dst, err = t.nearBeyond(dst[:0], search{q: q, k: int(radii[0]), way: &w, count: &count}); err != nil {
			return 1
		}
		took := float64(time.Since(start).Nanoseconds())
		ratios = append(ratios, took/(costs.Probe*float64(count.stats.LookUps)+costs.Candidate*float64(count.stats.Compared)))
	}
	slices.Sort(ratios)
	return ratios[trials/4]
}
