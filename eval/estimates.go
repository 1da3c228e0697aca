package eval

import (
	"context"
	"fmt"
	"math"

	"simsearch/fingerprint"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

// estimates compares the estimates of sketches with exact values, as figure 4 of the course report does.
func estimates(ctx context.Context, c *Collection) (*Section, error) {
	pairs := c.sample()
	s := &Section{Title: "Estimates against exact values"}
	s.Text = append(s.Text, fmt.Sprintf("%s: all, or a sample of near ones, of those that share a feature and of random ones. The cosine is of the weighted features, and estimated from the distance of fingerprints, cos(π·d/%d); the Jaccard similarity is of their sets, "+
		"and estimated from signatures of %d positions, a byte each. Bias is the mean of estimate less exact value, with an interval of 95 %%; error its root mean square; correlation is within the range.", terminal.Plural(len(pairs), "pair"), c.Settings.Bits, c.Settings.Positions))
	of, err := measurePairs(ctx, c, pairs, c.cosine, func(a, b uint32) float64 { return fingerprint.Cosine(c.distance(a, b), c.Settings.Bits) }, c.jaccard, c.estimate)
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"Cosine from fingerprints", "Jaccard similarity from signatures"} {
		t := s.AddTable(name, []string{"exact cosine", "exact Jaccard"}[i], "pairs", "mean estimate", "bias", "±", "error", "correlation")
		var tenths [10]moments // by the exact value; the last includes 1
		for at, exact := range of[2*i] {
			tenths[max(0, min(9, int(exact*10)))].add(exact, of[2*i+1][at])
		}
		for tenth, m := range tenths {
			if m.n > 0 {
				bias, within := m.bias()
				t.Add(fmt.Sprintf("%.1f to %.1f", float64(tenth)/10, float64(tenth+1)/10), m.n, m.y/float64(m.n), bias, within, m.error(), m.correlation())
			}
		}
	}
	s.Plots = append(s.Plots,
		scatter("Cosine: estimate against exact value", "exact cosine", of[0], of[1], -0.4),
		scatter("Jaccard similarity: estimate against exact value", "exact Jaccard", of[2], of[3], 0))
	return s, nil
}

// scatter returns a plot of estimates against exact values, as densities.
func scatter(title, x string, exact, estimates []float64, low float64) *svg.Plot {
	var dots [][2]float64
	for i := range exact {
		dots = append(dots, [2]float64{exact[i], estimates[i]})
	}
	return density(title, svg.Axis{Name: x, Max: 1}, svg.Axis{Name: "estimate", Min: low, Max: 1}, "pairs, the stronger the more", "estimate = exact", dots, 28)
}

// density returns a plot of points as densities in so many rows, and the line where both axes are equal.
func density(title string, x, y svg.Axis, name, line string, points [][2]float64, rows int) *svg.Plot {
	return &svg.Plot{Title: title, X: x, Y: y, Series: []svg.Series{
		svg.Density(name, points, x, y, 25, rows),
		{Name: line, Points: [][2]float64{{0, 0}, {1, 1}}, Line: true, Small: true, Dashed: true},
	}}
}

// moments are sums over pairs of an exact value x and an estimate y.
type moments struct {
	n                int
	x, y             float64
	xx, yy, xy       float64
	diff, diffSquare float64
}

func (m *moments) add(x, y float64) {
	m.n++
	m.x += x
	m.y += y
	m.xx += x * x
	m.yy += y * y
	m.xy += x * y
	m.diff += y - x
	m.diffSquare += (y - x) * (y - x)
}

// bias returns the mean of y − x, and half its interval of 95 %.
func (m *moments) bias() (mean, within float64) {
	return m.diff / float64(m.n), z * m.deviation() / math.Sqrt(float64(m.n))
}

// deviation returns the standard deviation of y − x.
func (m *moments) deviation() float64 {
	mean := m.diff / float64(m.n)
	return math.Sqrt(max(0, m.diffSquare/float64(m.n)-mean*mean))
}

// error returns the root mean square of y − x, NaN without values.
func (m *moments) error() float64 { return math.Sqrt(m.diffSquare / float64(m.n)) }

// correlation returns Pearson's coefficient, or NaN if x or y does not vary.
func (m *moments) correlation() float64 {
	n := float64(m.n)
	vx, vy := m.xx/n-m.x/n*m.x/n, m.yy/n-m.y/n*m.y/n
	if vx < 1e-12 || vy < 1e-12 {
		return math.NaN()
	}
	return (m.xy/n - m.x/n*m.y/n) / math.Sqrt(vx*vy)
}
