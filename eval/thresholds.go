package eval

import (
	"context"
	"fmt"
	"simsearch/internal/index"
)

// searched are the thresholds of Jaccard similarity that are searched for.
var searched = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

// byThreshold counts, for each threshold of a search by Jaccard similarity, the true and the false pairs found and
// the pairs missed.
func byThreshold(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Precision and recall by threshold"}
	s.Text = append(s.Text, fmt.Sprintf("Found are all pairs whose sets of %s, the features of the settings, have a Jaccard similarity of the threshold or more, verified exactly. %s", c.Settings.Features, aboutFalseRates))
	search, _, err := c.joiner().Search(ctx, c.Sets)
	if err != nil {
		return nil, err
	}
	t := newTally(truthsOf(c, thresholds...), len(searched))
	// One search at the lowest threshold finds what those at all others find.
	err = search(searched[0], func(a, b uint32, jaccard float64) error {
		reached := 0
		for reached < len(searched) && jaccard >= searched[reached] {
			reached++
		}
		t.add(a, b, 0, reached)
		return nil
	})
	if err != nil {
		return nil, err
	}
	addRates(s, "Precision against recall, thresholds from 0.5 to 0.95", "threshold", searched, index.DefaultThreshold, t)
	return s, nil
}
