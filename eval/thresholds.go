package eval

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/index"
	"simsearch/internal/lsh"
	"simsearch/internal/truth"
)

// searched are the thresholds of Jaccard similarity that are searched for.
var searched = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

// byThreshold counts, for each threshold of a search by Jaccard similarity, the true and the false pairs found and
// the pairs missed.
func byThreshold(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Precision and recall by threshold"}
	s.Text = append(s.Text, fmt.Sprintf("Found are all pairs whose sets of %s, the features of the settings, have a Jaccard similarity of the threshold or more, verified exactly. %s", c.Settings.Features, aboutFalseRates))
	search, _, err := c.joiner().Search(ctx, c.Sets, searched[0])
	if err != nil {
		return nil, err
	}
	count := func(of []int, jaccard float64) {
		for at, threshold := range searched {
			if jaccard >= threshold {
				of[at]++
			}
		}
	}
	found, judged := make([]int, len(searched)), make([]int, len(searched))
	// One search at the lowest threshold finds what those at all others find.
	err = search(searched[0], func(a, b uint32, jaccard float64) error {
		count(found, jaccard)
		if c.Labels != nil {
			if _, known := c.Labels.Judge(a, b); known {
				count(judged, jaccard)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	addRates(s, "Precision against recall, thresholds from 0.5 to 0.95", "threshold", truthsOf(c), searched, found, judged, func(of []int, a, b uint32) {
		count(of, c.jaccard(a, b))
	})
	return s, nil
}

// recall compares the pairs that a search by Jaccard similarity finds with those of an exact join of the
// same features.
func recall(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Search by Jaccard similarity against an exact join"}
	s.Text = append(s.Text, "Pairs as pairs --jaccard finds and verifies them, against all pairs there are by the features of the settings. Precision must be 1. Recall must be at least what is wanted, which is promised at the threshold. "+aboutFalseRates)
	all, err := c.joiner().Pairs(ctx, c.Sets, thresholds[0])
	if err != nil {
		return nil, err
	}
	near, beyond := truth.NewVerdicts(all, true), false
	t := s.AddTable("", columnsOfRates("threshold", "pairs", "recall wanted")...)
	for _, threshold := range thresholds {
		want := near.AtLeast(threshold)
		search := func(by index.Predicate, wanted any) error {
			found, right := 0, 0
			err := c.searched(ctx, by, func(a, b uint32) {
				found++
				if p, ok := near.Find(a, b); ok && p.Jaccard >= threshold {
					right++
				}
			})
			switch {
			case errors.Is(err, lsh.ErrRecall):
				beyond = true
			case err == nil:
				t.Add(append([]any{threshold, want, wanted}, cells(found, right, want, pairsEvaluated(c)-want)...)...)
			}
			return err
		}
		for _, wanted := range []float64{0.95, 0.99} {
			if err := search(index.Predicate{Kind: index.Jaccard, Threshold: threshold, Recall: wanted}, wanted); err != nil && !errors.Is(err, lsh.ErrRecall) {
				return nil, err
			}
		}
		if c.Sampled != nil {
			continue // queries look up the bands of the index
		}
		for _, b := range c.bands {
			if err := search(index.Predicate{Kind: index.Jaccard, Threshold: threshold, Bands: b}, fmt.Sprintf("%.3g, %v", b.Probability(threshold), b)); err != nil {
				return nil, err
			}
		}
	}
	if beyond {
		s.Text = append(s.Text, "A recall that signatures of so few positions do not reach is left out.")
	}
	return s, nil
}
