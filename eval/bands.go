package eval

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// bands compares the share of pairs that become candidates with the prediction of the S-curve: for the bands
// that would be chosen, and for those that LoadOptions name or, without any, for some of few to many rows.
func bands(ctx context.Context, c *Collection) (*Section, error) {
	pairs := c.sample()
	if err := c.sign(ctx); err != nil {
		return nil, err
	}
	s := &Section{Title: "Bands: the S-curve, predicted and observed"}
	s.Text = append(s.Text, fmt.Sprintf("%s, by their exact Jaccard similarity over the features of the settings. Predicted is the mean of 1 − (1 − sʳ)ᵇ over the pairs of a range; observed the share that agrees on a band, with an interval of 95 %%. "+
		"Groups of near copies behave alike, and pairs of one group do not count as many.", terminal.Plural(len(pairs), "pair")))
	jaccards, err := measurePairs(ctx, c, pairs, c.jaccard)
	if err != nil {
		return nil, err
	}
	var curves []*curve
	chosen := &report.Plot{Title: "Probability of becoming a candidate", X: report.Axis{Name: "exact Jaccard", Max: 1}, Y: report.Axis{Name: "share of pairs", Max: 1}}
	for _, threshold := range []float64{0.5, index.DefaultThreshold} {
		b, err := lsh.Choose(lsh.Requirements{Threshold: threshold, Positions: c.Settings.Positions, MaxRows: lsh.MaxRows, Recall: lsh.DefaultRecall})
		if err != nil && !errors.Is(err, lsh.ErrRecall) { // then they are those with the largest recall that there are
			return nil, err
		}
		curves = append(curves, &curve{bands: b, title: fmt.Sprintf("%v, for pairs of %.1f with a recall of %.2f", b, threshold, lsh.DefaultRecall), on: chosen})
	}
	others := &report.Plot{Title: "S-curves of other bands", X: chosen.X, Y: chosen.Y}
	for _, b := range otherBands(c) {
		curves = append(curves, &curve{bands: b, title: b.String(), on: others})
	}
	err = parallel.Ordered(ctx, c.o.Threads, len(curves), func(ctx context.Context, i int) (*curve, error) {
		for at, p := range pairs {
			curves[i].add(jaccards[0][at], c.candidates(p[0], p[1], curves[i].bands))
		}
		return curves[i], ctx.Err()
	}, func(m *curve) error {
		m.show(s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.Plots = append(s.Plots, chosen, others)
	s.Text = append(s.Text, fmt.Sprintf("The S-curve is steepest at ((r − 1)/(br − 1))^(1/r). "+
		"FN is the area above the curve from a similarity of %v on, FP the area below it up to there, and bands are chosen for the least FN + FP of those that have the recall. "+
		"Missed are pairs at or above %v that are no candidates, in vain those below it that are, of the %s pairs.", index.DefaultThreshold, index.DefaultThreshold, terminal.Thousands(len(pairs))))
	t := s.AddTable("The bands beside each other", "bands", "steepest", "FN", "FP", "weighed", "missed, predicted", "missed", "in vain, predicted", "in vain")
	for _, m := range curves {
		t.Add(m.bands.String(), m.bands.Steepest(), m.bands.FalseNegatives(index.DefaultThreshold), m.bands.FalsePositives(index.DefaultThreshold),
			m.bands.Cost(index.DefaultThreshold), m.missed.predicted, m.missed.n, m.vain.predicted, m.vain.n)
	}
	s.Tables = append([]*report.Table{t}, s.Tables[:len(s.Tables)-1]...) // it is what is looked at first
	return s, nil
}

// otherBands returns the bands that were named, or some that use all positions.
func otherBands(c *Collection) []lsh.Bands {
	if c.o.Bands != nil {
		return c.o.Bands
	}
	var out []lsh.Bands
	for _, rows := range []int{2, 5, 8} {
		if c.Settings.Positions >= rows {
			out = append(out, lsh.Bands{Bands: c.Settings.Positions / rows, Rows: rows})
		}
	}
	return out
}

// ranges is the number of ranges of similarity of a curve.
const ranges = 20

// A curve is what bands find of pairs, by ranges of their similarity.
type curve struct {
	bands     lsh.Bands
	title     string
	on        *report.Plot
	in, hits  [ranges]int
	predicted [ranges]float64
	// Of pairs at or above the usual threshold, those that are no candidates, and of pairs below it, those
	// that are: predicted, and counted.
	missed, vain struct {
		predicted float64
		n         int
	}
}

// add counts a pair of similarity j.
func (m *curve) add(j float64, candidate bool) {
	at, probability := min(ranges-1, int(j*ranges)), m.bands.Probability(j)
	m.in[at]++
	m.predicted[at] += probability
	if candidate {
		m.hits[at]++
	}
	wrong := &m.vain
	if j >= index.DefaultThreshold {
		wrong, candidate, probability = &m.missed, !candidate, 1-probability
	}
	if wrong.predicted += probability; candidate {
		wrong.n++
	}
}

// show adds a table with a row for each range that has pairs, and a predicted and an observed curve.
func (m *curve) show(s *Section) {
	t := s.AddTable(m.title, "exact Jaccard", "pairs", "predicted", "observed")
	predicted, observed := report.Series{Name: "predicted, " + m.bands.String(), Line: true, Small: true}, report.Series{Name: "observed"}
	for i := range 101 {
		predicted.Points = append(predicted.Points, [2]float64{float64(i) / 100, m.bands.Probability(float64(i) / 100)})
	}
	for i, n := range m.in {
		if n > 0 {
			t.Add(fmt.Sprintf("%.2f to %.2f", float64(i)/ranges, float64(i+1)/ranges), n, m.predicted[i]/float64(n), truth.NewRate(m.hits[i], n))
			observed.Points = append(observed.Points, [2]float64{(float64(i) + .5) / ranges, float64(m.hits[i]) / float64(n)})
		}
	}
	m.on.Series = append(m.on.Series, predicted, observed)
}
