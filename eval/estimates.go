package eval

import (
	"context"
	"errors"
	"fmt"

	"simsearch/fingerprint"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// estimates compares the estimates of sketches with exact values, as figure 4 of the course report does.
func estimates(ctx context.Context, c *Collection) (*Section, error) {
	pairs := c.sample()
	if err := errors.Join(c.Weigh(ctx), c.sign(ctx)); err != nil {
		return nil, err
	}
	s := &Section{Title: "Estimates against exact values"}
	s.Text = append(s.Text, fmt.Sprintf("%s: all, or a sample of near ones, of those that share a feature and of random ones. The cosine is of the weighted features, and estimated from the distance of fingerprints, cos(π·d/%d); the Jaccard similarity is of their sets, "+
		"and estimated from signatures of %d positions, a byte each. Bias is the mean of estimate less exact value, with an interval of 95 %%; error its root mean square; correlation is within the range.", terminal.Plural(len(pairs), "pair"), c.Settings.Bits, c.Settings.Positions))
	of, err := measurePairs(ctx, c, pairs, c.cosine, func(a, b uint32) float64 { return fingerprint.Cosine(c.distance(a, b), c.Settings.Bits) }, c.jaccard, c.estimate)
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"Cosine from fingerprints", "Jaccard similarity from signatures"} {
		t := s.AddTable(name, []string{"exact cosine", "exact Jaccard"}[i], "pairs", "mean estimate", "bias", "±", "error", "correlation")
		var tenths [10]truth.Moments // by the exact value; the last includes 1
		for at, exact := range of[2*i] {
			tenths[max(0, min(9, int(exact*10)))].Add(exact, of[2*i+1][at])
		}
		for tenth, m := range tenths {
			if m.N > 0 {
				bias, within := m.Bias()
				t.Add(fmt.Sprintf("%.1f to %.1f", float64(tenth)/10, float64(tenth+1)/10), m.N, m.Y/float64(m.N), bias, within, m.RootMeanSquare(), m.Correlation())
			}
		}
	}
	s.Plots = append(s.Plots,
		scatter("Cosine: estimate against exact value", "exact cosine", of[0], of[1], -0.4),
		scatter("Jaccard similarity: estimate against exact value", "exact Jaccard", of[2], of[3], 0))
	return s, nil
}

// scatter returns a plot of estimates against exact values as densities, and the line where both are equal.
func scatter(title, x string, exact, estimates []float64, low float64) *report.Plot {
	var dots [][2]float64
	for i := range exact {
		dots = append(dots, [2]float64{exact[i], estimates[i]})
	}
	p := &report.Plot{Title: title, X: report.Axis{Name: x, Max: 1}, Y: report.Axis{Name: "estimate", Min: low, Max: 1}}
	p.Series = []report.Series{
		report.Density("pairs, the stronger the more", dots, p.X, p.Y, 25, 28),
		{Name: "estimate = exact", Points: [][2]float64{{0, 0}, {1, 1}}, Line: true, Small: true, Dashed: true},
	}
	return p
}
