package eval

import (
	"context"
	"fmt"

	"simsearch/internal/index"
	"simsearch/internal/report"
	"simsearch/internal/truth"
)

// farthest is the largest distance that is evaluated, in bits.
const farthest = 16

// firstTable returns what a report begins with: how often a search by fingerprints is wrong. s is what distances
// returned.
func firstTable(c *Collection, s *Section) *report.Table {
	k, truths := c.firstDistance, truthsOf(c)
	if len(truths) == 0 {
		return nil
	}
	t := &report.Table{Title: fmt.Sprintf("Fingerprints within %d bits (--k %[1]d): how often they are wrong", k)}
	t.Columns = []string{"near in truth", "pairs", "found", "false positives", "false negatives", "precision", "recall"}
	for i, of := range truths {
		row := append([]any{of.short, of.near}, s.Tables[i].Rows[k][1:4]...)
		for _, rate := range s.Tables[i].Rows[k][4:6] {
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
	g, v := truth.NewGrowth(c.Len(), farthest), c.verdicts()
	var known [farthest + 1]int // pairs at each distance that are judged
	err := c.within(ctx, farthest, func(a, b uint32, d int) {
		near, judged := v.Judge(a, b)
		g.Add(a, b, d, near)
		if judged {
			known[d]++
		}
	})
	if err != nil {
		return nil, err
	}
	var levels, found, judged []int
	sum, sumKnown := 0, 0
	for k := range farthest + 1 {
		sum, sumKnown = sum+g.Near[k]+g.Apart[k], sumKnown+known[k]
		levels, found, judged = append(levels, k), append(found, sum), append(judged, sumKnown)
	}
	truths := truthsOf(c)
	for i := range truths {
		if truths[i].labels {
			truths[i].name += ", which judge only some pairs, others being left out"
		}
	}
	addRates(s, "Precision against recall, k = 0 to 16", "k", truths, levels, found, judged, func(of []int, a, b uint32) {
		if len(c.Features[a]) > 0 && len(c.Features[b]) > 0 {
			for k := c.distance(a, b); k <= farthest; k++ {
				of[k]++
			}
		}
	})
	by := fmt.Sprintf("an exact Jaccard similarity of %.1f or more", index.DefaultThreshold)
	if c.Labels != nil {
		by = "their labels"
	}
	showGrowth(s, g, c.Len(), by)
	return s, nil
}
