package eval

import (
	"context"
	"fmt"
	"slices"

	"simsearch/internal/index"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// farthest is the largest distance that is evaluated, in bits.
const farthest = 16

// firstTable returns what a report begins with: how often a search by fingerprints is wrong. s is what distances
// returned.
func firstTable(c *Collection, s *Section) *report.Table {
	k, truths := c.o.Distance, truthsOf(c, thresholds...)
	if len(truths) == 0 {
		return nil
	}
	t := &report.Table{Title: fmt.Sprintf("Fingerprints within %d bits (--k %[1]d): how often they are wrong", k)}
	t.Columns = []string{"near in truth", "pairs", "found", "false positives", "false negatives", "precision", "recall"}
	for i, of := range truths {
		cells := s.Tables[i].Rows[k]
		row := append([]any{of.short, of.near}, cells[1:4]...)
		for _, rate := range cells[4:6] {
			share := rate.(truth.Rate).Share //nolint:forcetypeassert // as cells makes it
			row = append(row, fmt.Sprintf("%.1f %%", 100*share))
		}
		t.Add(row...)
	}
	return t
}

// distances counts, for each distance, the true and the false pairs found and the pairs missed.
func distances(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Precision and recall by distance"}
	s.Text = append(s.Text, fmt.Sprintf("A pair is near in truth if its exact Jaccard similarity is at or above a threshold, or if the labels say so. Found are all pairs within k bits, before any verification; false positives are those of them that are not near, false negatives "+
		"near pairs farther apart. %s Precision and recall have Wilson's intervals of 95 %%. Pairs share documents, so that in clusters of near duplicates the true intervals are wider.", aboutFalseRates))
	truths := truthsOf(c, thresholds...)
	for i, by := range truths {
		if !by.of.Complete {
			truths[i].name += ", which judge only some pairs, others being left out"
		}
	}
	t, levels := newTally(truths, farthest+1), make([]int, farthest+1)
	for k := range levels {
		levels[k] = k
	}
	err := c.within(ctx, farthest, func(a, b uint32, d int) { t.add(a, b, d, farthest+1) })
	if err != nil {
		return nil, err
	}
	addRates(s, "Precision against recall, k = 0 to 16", "k", levels, c.o.Distance, t)
	showPairsByDistance(s, c, t)
	return s, nil
}

// showPairsByDistance shows how many pairs are at each distance.
func showPairsByDistance(s *Section, c *Collection, counts *tally) {
	by := fmt.Sprintf("an exact Jaccard similarity of %.1f or more", index.DefaultThreshold)
	judge := slices.IndexFunc(counts.truths, func(r reference) bool { return r.threshold == index.DefaultThreshold })
	if c.Labels != nil {
		by = "their labels"
	}
	near, apart := report.Series{Name: "near in truth", Bars: true}, report.Series{Name: "not near", Bars: true}
	before, rightBefore := 0, 0
	for k, all := range counts.all {
		right := 0
		if judge >= 0 {
			right = counts.right[judge][k]
		}
		near.Points = append(near.Points, [2]float64{float64(k), float64(right - rightBefore)})
		apart.Points = append(apart.Points, [2]float64{float64(k), float64(all - right - before + rightBefore)})
		before, rightBefore = all, right
	}
	s.Plots = append(s.Plots, &report.Plot{Title: "Pairs at each distance", Series: []report.Series{near, apart},
		X: report.Axis{Name: "distance in bits", Min: -0.6, Max: farthest + 0.6}, Y: report.Axis{Name: "pairs", Log: true}})
	s.Text = append(s.Text, fmt.Sprintf("Pairs at each distance are near in truth by %s; pairs without a label are not near.", by))
}
