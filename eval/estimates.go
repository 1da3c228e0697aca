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
	byCosine, byJaccard := newBins(), newBins()
	var dots, jaccardDots [][2]float64
	cosines, err := measurePairs(ctx, c, pairs, c.cosine)
	if err != nil {
		return nil, err
	}
	jaccards, err := measurePairs(ctx, c, pairs, c.jaccard)
	if err != nil {
		return nil, err
	}
	fromSketches, err := measurePairs(ctx, c, pairs, c.estimate)
	if err != nil {
		return nil, err
	}
	for i, p := range pairs {
		cosine, jaccard := cosines[i], jaccards[i]
		fromDistance, fromSignatures := fingerprint.Cosine(c.distance(p[0], p[1]), c.Settings.Bits), fromSketches[i]
		byCosine.add(cosine, fromDistance)
		byJaccard.add(jaccard, fromSignatures)
		dots = append(dots, [2]float64{cosine, fromDistance})
		jaccardDots = append(jaccardDots, [2]float64{jaccard, fromSignatures})
	}
	byCosine.table(s.AddTable("Cosine from fingerprints", "exact cosine", "pairs", "mean estimate", "bias", "±", "error", "correlation"))
	byJaccard.table(s.AddTable("Jaccard similarity from signatures", "exact Jaccard", "pairs", "mean estimate", "bias", "±", "error", "correlation"))
	s.Plots = append(s.Plots,
		scatter("Cosine: estimate against exact value", "exact cosine", dots, -0.4),
		scatter("Jaccard similarity: estimate against exact value", "exact Jaccard", jaccardDots, 0))
	if len(pairs) == 0 {
		return s, nil
	}
	if err := againstDistances(ctx, c, s, pairs, cosines); err != nil {
		return nil, err
	}
	return s, againstHyperplanes(ctx, c, s, pairs)
}

// scatter returns a plot of estimates against exact values, as densities.
func scatter(title, x string, dots [][2]float64, low float64) *svg.Plot {
	exact, estimate := svg.Axis{Name: x, Max: 1}, svg.Axis{Name: "estimate", Min: low, Max: 1}
	return &svg.Plot{
		Title: title, X: exact, Y: estimate,
		Series: []svg.Series{svg.Density("pairs, the stronger the more", dots, exact, estimate, 25, 28), {Name: "estimate = exact", Points: [][2]float64{{0, 0}, {1, 1}}, Line: true, Small: true, Dashed: true}},
	}
}

// bins gather pairs of an exact value and an estimate, by tenths of the exact value.
type bins [10]moments

func newBins() *bins { return &bins{} }

func (b *bins) add(exact, estimate float64) {
	b[tenth(exact)].add(exact, estimate)
}

// tenth returns the tenth of [0, 1] that holds x, from 0 to 9. The last one includes 1.
func tenth(x float64) int { return max(0, min(9, int(x*10))) }

// rangeOf returns the limits of a tenth as tables show them.
func rangeOf(tenth int) string {
	return fmt.Sprintf("%.1f to %.1f", float64(tenth)/10, float64(tenth+1)/10)
}

// table adds a row for each tenth that has values.
func (b *bins) table(t *report.Table) {
	for i := range b {
		m := &b[i]
		if m.n == 0 {
			continue
		}
		bias, deviation := m.bias()
		t.Add(rangeOf(i), m.n, m.y/float64(m.n), bias, z*deviation/math.Sqrt(float64(m.n)), m.error(), m.correlation())
	}
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

// bias returns the mean of y − x and the standard deviation of y − x.
func (m *moments) bias() (mean, deviation float64) {
	n := float64(m.n)
	mean = m.diff / n
	return mean, math.Sqrt(max(0, m.diffSquare/n-mean*mean))
}

// error returns the root mean square of y − x.
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
