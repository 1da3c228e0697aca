package eval

import (
	"context"
	"fmt"
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
