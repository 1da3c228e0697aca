package eval

import (
	"context"
	"fmt"

	"simsearch/index"
	"simsearch/lsh"
)

// recall compares the pairs that a search by Jaccard similarity finds with those of an exact join of the
// same features.
func recall(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Search by Jaccard similarity against an exact join"}
	s.Text = append(s.Text, "Pairs as pairs --jaccard finds and verifies them, against all pairs there are by the features of the settings. Precision must be 1. Recall must be at least what is wanted, which is promised at the threshold. "+aboutFalseRates)
	all, err := c.join(ctx, c.Sets, thresholds[0])
	if err != nil {
		return nil, err
	}
	near := map[[2]uint32]float64{}
	for _, p := range all {
		near[[2]uint32{p.A, p.B}] = p.Jaccard
	}
	t := s.AddTable("", "threshold", "pairs", "recall wanted", "found", "false positives", "false negatives", "precision", "recall", falsePositiveRate, falseNegativeRate, "F1")
	for _, threshold := range thresholds {
		want := 0
		for _, p := range all {
			if p.Jaccard >= threshold {
				want++
			}
		}
		searches := []index.Predicate{{Threshold: threshold, Recall: 0.95}, {Threshold: threshold, Recall: 0.99}}
		for _, b := range c.bands {
			searches = append(searches, index.Predicate{Threshold: threshold, Bands: b})
		}
		for _, by := range searches {
			if by.Bands != (lsh.Bands{}) && c.Sampled != nil {
				continue // queries look up the bands of the index
			}
			var wanted any = by.Recall
			if by.Bands != (lsh.Bands{}) {
				wanted = fmt.Sprintf("%.3g, %v", by.Bands.Probability(threshold), by.Bands)
			}
			found, right := 0, 0
			err := c.searched(ctx, by, func(a, b uint32) {
				found++
				if near[[2]uint32{a, b}] >= threshold {
					right++
				}
			})
			if err != nil {
				return nil, err
			}
			precision, recall := NewRate(right, found), NewRate(right, want)
			t.Add(threshold, want, wanted, found, found-right, want-right, precision, recall, NewRate(found-right, pairsEvaluated(c)-want), NewRate(want-right, want), F1(precision.Share, recall.Share))
		}
	}
	return s, nil
}
