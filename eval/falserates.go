package eval

import (
	"fmt"
	"math"
)

// Names of the columns of false rates. The false-positive rate is the share of the pairs that are not near in
// truth which are found; the false-negative rate is the share of the pairs near in truth which are not. So the
// latter is 1 − recall, and neither is 1 − precision, the share of what is found that is not near.
const (
	falsePositiveRate = "false-positive rate"
	falseNegativeRate = "false-negative rate"
)

// aboutFalseRates defines the columns in a report.
const aboutFalseRates = "The false-positive rate is the share of all evaluated pairs not near in truth that are found; the false-negative rate is the share of the pairs near in truth that are not found, 1 − recall."

// pairsEvaluated returns the number of all pairs that are evaluated, or the largest int if they are more.
func pairsEvaluated(c *Collection) int {
	pairs := func(n int) int64 { return int64(n) * int64(n-1) / 2 }
	total := pairs(c.Len())
	if c.Sampled != nil {
		rest := 0
		for _, in := range c.Sampled {
			if !in {
				rest++
			}
		}
		total -= pairs(rest)
	}
	return int(min(total, math.MaxInt))
}

// A truth says which pairs are near.
type truth struct {
	name, short  string
	near, others int // pairs that are near, and judged pairs that are not
	judge        func(a, b uint32) (near, known bool)
}

// truthsOf returns the truths with near pairs: exact Jaccard similarities from each threshold on, and labels.
func truthsOf(c *Collection) (out []truth) {
	all := pairsEvaluated(c)
	for _, threshold := range thresholds {
		near := 0
		for _, p := range c.Truth {
			if p.Jaccard >= threshold {
				near++
			}
		}
		if threshold >= c.Floor && near > 0 {
			out = append(out, truth{
				fmt.Sprintf("of a Jaccard similarity of %.1f or more, over %s", threshold, c.TruthFeatures), fmt.Sprintf("Jaccard ≥ %.1f", threshold), near, all - near,
				func(a, b uint32) (bool, bool) { return c.similarInTruth(a, b) >= threshold, true },
			})
		}
	}
	if c.Labels != nil && c.Labels.Near > 0 {
		out = append(out, truth{"by their labels", "labels", c.Labels.Near, labelledApart(c), c.Labels.Judge})
	}
	return out
}

// labelledApart returns the number of pairs that the labels judge not to be near.
func labelledApart(c *Collection) int {
	if c.Labels.complete {
		return pairsEvaluated(c) - c.Labels.Near
	}
	return c.Labels.Apart
}
