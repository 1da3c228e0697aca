package eval

import (
	"context"
	"errors"
	"fmt"

	"simsearch/index"
	"simsearch/internal/svg"
	"simsearch/lsh"
)

// bands compares the share of pairs that become candidates with the prediction of the S-curve.
func bands(_ context.Context, c *Collection) (*Section, error) {
	pairs := c.sample()
	s := &Section{Title: "Bands: the S-curve, predicted and observed"}
	s.Text = append(s.Text, fmt.Sprintf("%d pairs, by their exact Jaccard similarity over the features of the settings. Predicted is the mean of 1 − (1 − sʳ)ᵇ over the pairs of a range; observed the share that agrees on a band, with an interval of 95 %%. "+
		"Groups of near copies behave alike, and pairs of one group do not count as many.", len(pairs)))
	plot := &svg.Plot{Title: "Probability of becoming a candidate", X: svg.Axis{Name: "exact Jaccard", Max: 1}, Y: svg.Axis{Name: "share of pairs", Max: 1}}
	for _, threshold := range []float64{0.5, index.DefaultThreshold} {
		b, err := lsh.Choose(lsh.Requirements{Threshold: threshold, Recall: lsh.DefaultRecall, Positions: c.Settings.Positions, MaxRows: lsh.MaxRows})
		if err != nil && !errors.Is(err, lsh.ErrRecall) {
			return nil, err
		}
		var in, hits [20]int
		var predicted [20]float64
		for _, p := range pairs {
			j := c.jaccard(p[0], p[1])
			at := min(19, int(j*20))
			in[at]++
			predicted[at] += b.Probability(j)
			if c.candidates(p[0], p[1], b) {
				hits[at]++
			}
		}
		t := s.AddTable(fmt.Sprintf("%v, for pairs of %.1f with a recall of %.2f", b, threshold, lsh.DefaultRecall), "exact Jaccard", "pairs", "predicted", "observed")
		var seen, curve [][2]float64
		for i := range in {
			if in[i] == 0 {
				continue
			}
			rate := NewRate(hits[i], in[i])
			t.Add(fmt.Sprintf("%.2f to %.2f", float64(i)/20, float64(i+1)/20), in[i], predicted[i]/float64(in[i]), rate)
			seen = append(seen, [2]float64{(float64(i) + .5) / 20, rate.Share})
		}
		for i := range 101 {
			curve = append(curve, [2]float64{float64(i) / 100, b.Probability(float64(i) / 100)})
		}
		plot.Series = append(plot.Series,
			svg.Series{Name: "predicted, " + b.String(), Points: curve, Line: true, Small: true},
			svg.Series{Name: "observed", Points: seen})
	}
	s.Plots = append(s.Plots, plot)
	return s, nil
}
