package eval

import (
	"fmt"
	"iter"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
	"simsearch/internal/truth"
)

// thresholds are the exact similarities that make a pair near in truth.
var thresholds = []float64{0.5, 0.7, 0.8, 0.9}

// A reference is a truth of which pairs are near.
type reference struct {
	name, short  string
	near, others int // pairs that are near, and judged pairs that are not
	pairs        iter.Seq2[uint32, uint32]
	labels       bool // pairs are judged by labels, and others not at all
}

// truthsOf returns the truths with near pairs: labels, and exact Jaccard similarities from each threshold on.
func truthsOf(c *Collection) (out []reference) {
	all := pairsEvaluated(c)
	if c.Labels != nil && c.Labels.Near > 0 {
		out = append(out, reference{"by their labels", "labels", c.Labels.Near, labelledApart(c), c.Labels.Pairs, !c.Labels.Complete})
	}
	for _, threshold := range thresholds {
		t := reference{name: fmt.Sprintf("of a Jaccard similarity of %.1f or more, over %s", threshold, c.TruthFeatures), short: fmt.Sprintf("Jaccard ≥ %.1f", threshold)}
		t.pairs = func(yield func(a, b uint32) bool) {
			for _, p := range c.Truth.All {
				if p.Jaccard >= threshold && !yield(p.A, p.B) {
					return
				}
			}
		}
		t.near = c.Truth.AtLeast(threshold)
		if t.others = all - t.near; t.near > 0 {
			out = append(out, t)
		}
	}
	return out
}

// labelledApart returns the number of pairs that the labels judge not to be near.
func labelledApart(c *Collection) int {
	if c.Labels.Complete {
		return pairsEvaluated(c) - c.Labels.Near
	}
	return c.Labels.Apart()
}

// pairsEvaluated returns the number of all pairs.
func pairsEvaluated(c *Collection) int { return c.Len() * (c.Len() - 1) / 2 }

// Names of the columns of false rates. The false-positive rate is the share of the pairs that are not near in
// truth which are found; the false-negative rate is the share of the pairs near in truth which are not. So the
// latter is 1 − recall, and neither is 1 − precision, the share of what is found that is not near.
const (
	falsePositiveRate = "false-positive rate"
	falseNegativeRate = "false-negative rate"
)

// aboutFalseRates defines the columns in a report.
const aboutFalseRates = "The false-positive rate is the share of all evaluated pairs not near in truth that are found; the false-negative rate is the share of the pairs near in truth that are not found, 1 − recall."

// columnsOfRates returns the columns of a table: some that say what is searched, and those of rates.
func columnsOfRates(of ...string) []string {
	return append(of, "found", "false positives", "false negatives", "precision", "recall", falsePositiveRate, falseNegativeRate, "F1")
}

// cells returns the cells of a search that finds so many pairs, of which right ones are near. So many pairs are near in truth,
// and others are not.
func cells(found, right, near, others int) []any {
	precision, recall := truth.NewRate(right, found), truth.NewRate(right, near)
	return []any{found, found - right, near - right, precision, recall, truth.NewRate(found-right, others), truth.NewRate(near-right, near), truth.F1(precision.Share, recall.Share)}
}

// addRates adds a table of each truth, with a row for each level of a search, and a plot of the curves of precision against
// recall, of which each fourth point has a label. found are the pairs found at each level, and judged those of them
// that labels judge. count adds a pair to the counts of the levels that find it.
func addRates[L any](s *Section, title, by string, truths []reference, levels []L, found, judged []int, count func(of []int, a, b uint32)) {
	if len(truths) == 0 {
		s.Text = append(s.Text, "Nothing in this collection is near in truth.")
		return
	}
	plot := &report.Plot{Title: title, X: report.Axis{Name: "recall", Max: 1}, Y: report.Axis{Name: "precision", Max: 1}}
	for _, t := range truths {
		right, of := make([]int, len(levels)), found
		if t.labels {
			of = judged
		}
		for a, b := range t.pairs {
			count(right, a, b)
		}
		curve := report.Series{Name: t.short, Line: true}
		table := s.AddTable(fmt.Sprintf("Near in truth are pairs %s: %s", t.name, terminal.Thousands(t.near)), columnsOfRates(by)...)
		for i, level := range levels {
			table.Add(append([]any{level}, cells(of[i], right[i], t.near, t.others)...)...)
			if of[i] > 0 {
				curve.Points = append(curve.Points, [2]float64{truth.NewRate(right[i], t.near).Share, truth.NewRate(right[i], of[i]).Share})
				label := ""
				if i%4 == 0 {
					label = fmt.Sprintf("%s = %v", by, level)
				}
				curve.Labels = append(curve.Labels, label)
			}
		}
		plot.Series = append(plot.Series, curve)
	}
	s.Plots = append(s.Plots, plot)
}
