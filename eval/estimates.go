package eval

import (
	"context"
	"fmt"
	"math"

	"simsearch/fingerprint"
	"simsearch/internal/report"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

// estimates compares the estimates of sketches with exact values, as figure 4 of the course report does.
func estimates(ctx context.Context, c *Collection) (*Section, error) {
	pairs := c.sample()
	s := &Section{Title: "Estimates against exact values"}
	s.Text = append(s.Text, fmt.Sprintf("%s: all, or a sample of near ones, of those that share a feature and of random ones. The cosine is of the weighted features, and estimated from the distance of fingerprints, cos(π·d/%d); the Jaccard similarity is of their sets, "+
		"and estimated from signatures of %d positions, a byte each. Bias is the mean of estimate less exact value, with an interval of 95 %%; error its root mean square; correlation is within the range.", terminal.Plural(len(pairs), "pair"), c.Settings.Bits, c.Settings.Positions))
	of, err := measurePairs(ctx, c, pairs, c.cosine, c.fromDistance, c.jaccard, c.estimate)
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"Cosine from fingerprints", "Jaccard similarity from signatures"} {
		exact, estimate := of[2*i], of[2*i+1]
		by := byTenths(exact, estimate)
		t := s.AddTable(name, []string{"exact cosine", "exact Jaccard"}[i], "pairs", "mean estimate", "bias", "±", "error", "correlation")
		by.rows(t, func(_ int, m *moments) []any {
			bias, within := m.bias()
			return []any{m.mean(), bias, within, m.error(), m.correlation()}
		})
	}
	s.Plots = append(s.Plots,
		scatter("Cosine: estimate against exact value", "exact cosine", of[0], of[1], -0.4),
		scatter("Jaccard similarity: estimate against exact value", "exact Jaccard", of[2], of[3], 0))
	return s, nil
}

// fromDistance returns the cosine of two documents as the distance of their fingerprints estimates it.
func (c *Collection) fromDistance(a, b uint32) float64 {
	return fingerprint.Cosine(c.distance(a, b), c.Settings.Bits)
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

// tenths gather values by tenths of another one.
type tenths [10]moments

// byTenths gathers the values of ys by the tenths of [0, 1] that the values of xs are in. The last tenth includes 1.
func byTenths(xs, ys []float64) *tenths {
	var by tenths
	for i, x := range xs {
		by[max(0, min(9, int(x*10)))].add(x, ys[i])
	}
	return &by
}

// rows adds a row for each tenth that has values: its limits, how many values it has, and what cells returns.
func (by *tenths) rows(t *report.Table, cells func(tenth int, m *moments) []any) {
	for i := range by {
		if m := &by[i]; m.n > 0 {
			t.Add(append([]any{fmt.Sprintf("%.1f to %.1f", float64(i)/10, float64(i+1)/10), m.n}, cells(i, m)...)...)
		}
	}
}

// moments are sums over pairs of an exact value x and an estimate y.
type moments struct {
	n                int
	x, y             float64
	xx, yy, xy       float64
	diff, diffSquare float64
	least, most      float64 // of y
}

func (m *moments) add(x, y float64) {
	if m.n == 0 {
		m.least, m.most = y, y
	}
	m.n++
	m.x += x
	m.y += y
	m.xx += x * x
	m.yy += y * y
	m.xy += x * y
	m.diff += y - x
	m.diffSquare += (y - x) * (y - x)
	m.least, m.most = min(m.least, y), max(m.most, y)
}

// mean returns the mean of y.
func (m *moments) mean() float64 { return m.y / float64(m.n) }

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
