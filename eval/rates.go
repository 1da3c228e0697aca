package eval

import (
	"fmt"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// thresholds are the exact similarities that make a pair near in truth.
var thresholds = []float64{0.5, 0.7, 0.8, 0.9}

// A reference is a truth of which pairs are near.
type reference struct {
	name, short  string
	of           *truth.Verdicts
	threshold    float64 // of the similarities in of
	near, others int     // pairs that are near, and judged pairs that are not
}

// truthsOf returns the truths with near pairs: labels, and exact Jaccard similarities from each threshold on.
func truthsOf(c *Collection, thresholds ...float64) (out []reference) {
	if l := c.Labels; l != nil {
		apart := l.Apart()
		if l.Complete {
			apart = pairsEvaluated(c) - l.Near
		}
		out = append(out, reference{"by their labels", "labels", &l.Verdicts, index.DefaultThreshold, l.Near, apart})
	}
	for _, threshold := range thresholds {
		if near := c.Truth.AtLeast(threshold); near > 0 {
			name := fmt.Sprintf("of a Jaccard similarity of %.1f or more, over %s", threshold, c.TruthFeatures)
			out = append(out, reference{name, fmt.Sprintf("Jaccard ≥ %.1f", threshold), &c.Truth, threshold, near, pairsEvaluated(c) - near})
		}
	}
	return out
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

// A tally counts the pairs that searches of several levels find.
type tally struct {
	truths       []reference
	all          []int   // by level
	found, right [][]int // by truth and level: those that are judged, and those of them that are near
}

func newTally(truths []reference, levels int) *tally {
	t := &tally{truths: truths, all: make([]int, levels)}
	for range truths {
		t.found, t.right = append(t.found, make([]int, levels)), append(t.right, make([]int, levels))
	}
	return t
}

// add counts a pair that the searches of the levels [from, to) find.
func (t *tally) add(a, b uint32, from, to int) {
	for level := from; level < to; level++ {
		t.all[level]++
	}
	var pair truth.Pair
	var has bool
	for i, by := range t.truths {
		if i == 0 || by.of != t.truths[i-1].of {
			pair, has = by.of.Find(a, b)
		}
		for level := from; level < to && (has || by.of.Complete); level++ {
			if t.found[i][level]++; has && pair.Jaccard >= by.threshold {
				t.right[i][level]++
			}
		}
	}
}

// cells returns the cells of a level, as judged by a truth.
func (t *tally) cells(i, level int) []any {
	found, right, by := t.found[i][level], t.right[i][level], &t.truths[i]
	precision, recall := truth.NewRate(right, found), truth.NewRate(right, by.near)
	return []any{
		found, found - right, by.near - right, precision, recall, truth.NewRate(found-right, by.others), truth.NewRate(by.near-right, by.near),
		truth.F1(precision.Share, recall.Share),
	}
}

// addRates adds a table of each truth, with a row for each level of a search, and a plot of the curves of precision
// against recall, whose points have labels. That of the usual level is always seen.
func addRates[L any](s *Section, title, by string, levels []L, usual L, t *tally) {
	if len(t.truths) == 0 {
		s.Text = append(s.Text, "Nothing in this collection is near in truth.")
		return
	}
	plot := &report.Plot{Title: title, X: report.Axis{Name: "recall", Max: 1}, Y: report.Axis{Name: "precision", Max: 1}}
	for i, is := range t.truths {
		curve := report.Series{Name: is.short, Line: true, Marked: fmt.Sprintf("%s = %v", by, usual)}
		table := s.AddTable(is.title(), by, "found", "false positives", "false negatives", "precision", "recall", falsePositiveRate, falseNegativeRate, "F1")
		for at, level := range levels {
			table.Add(append([]any{level}, t.cells(i, at)...)...)
			if found, right := t.found[i][at], t.right[i][at]; found > 0 {
				curve.Points = append(curve.Points, [2]float64{truth.NewRate(right, is.near).Share, truth.NewRate(right, found).Share})
				curve.Labels = append(curve.Labels, fmt.Sprintf("%s = %v", by, level))
			}
		}
		plot.Series = append(plot.Series, curve)
	}
	s.Plots = append(s.Plots, plot)
}

// title returns the title of a table by a truth.
func (by reference) title() string {
	return fmt.Sprintf("Near in truth are pairs %s: %s", by.name, terminal.Thousands(by.near))
}
