package eval

import (
	"context"
	"fmt"

	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

// searched are the thresholds of Jaccard similarity that are searched for.
var searched = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

// byThreshold counts, for each threshold of a search by Jaccard similarity, the true and the false pairs found and
// the pairs missed.
func byThreshold(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Precision and recall by threshold"}
	s.Text = append(s.Text, fmt.Sprintf("Found are all pairs whose sets of %s, the features of the settings, have a Jaccard similarity of the threshold or more, verified exactly. %s", c.Settings.Features, aboutFalseRates))
	truths := truthsOf(c)
	if len(truths) == 0 {
		s.Text = append(s.Text, "Nothing in this collection is near in truth.")
		return s, nil
	}
	found, right := make([][]int, len(truths)), make([][]int, len(truths))
	for i := range truths {
		found[i], right[i] = make([]int, len(searched)), make([]int, len(searched))
	}
	// One search at the lowest threshold finds what those at all others find.
	pairs, err := c.join(ctx, c.Sets, searched[0])
	for _, p := range pairs {
		for i, t := range truths {
			near, known := t.judge(p.A, p.B)
			if !known {
				continue
			}
			for at, threshold := range searched {
				if p.Jaccard >= threshold {
					found[i][at]++
					if near {
						right[i][at]++
					}
				}
			}
		}
	}
	if err != nil {
		return nil, err
	}
	plot := &svg.Plot{Title: "Precision against recall, thresholds from 0.5 to 0.95", X: svg.Axis{Name: "recall", Max: 1}, Y: svg.Axis{Name: "precision", Max: 1}}
	s.Plots = append(s.Plots, plot)
	for i, truth := range truths {
		curve := svg.Series{Name: truth.short, Line: true}
		t := s.AddTable(fmt.Sprintf("Near in truth are pairs %s: %s", truth.name, terminal.Thousands(truth.near)), "threshold", "found", "false positives", "false negatives", "precision", "recall", falsePositiveRate, falseNegativeRate, "F1")
		for at, threshold := range searched {
			n, hits := found[i][at], right[i][at]
			precision, recall := NewRate(hits, n), NewRate(hits, truth.near)
			if n > 0 {
				curve.Points = append(curve.Points, [2]float64{recall.Share, precision.Share})
				curve.Labels = append(curve.Labels, thresholdName(threshold))
			}
			t.Add(threshold, n, n-hits, truth.near-hits, precision, recall, NewRate(n-hits, truth.others), NewRate(truth.near-hits, truth.near), F1(precision.Share, recall.Share))
		}
		plot.Series = append(plot.Series, curve)
	}
	return s, nil
}

// thresholdName returns the label of the point of a threshold, or "" for those between.
func thresholdName(threshold float64) string {
	switch threshold {
	case 0.5, 0.8, 0.95:
		return fmt.Sprintf("≥ %v", threshold)
	}
	return ""
}
