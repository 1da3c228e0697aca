package eval

import (
	"fmt"
	"slices"

	"simsearch/internal/report"
)

// facts describes the collection, its settings, its truth and its labels.
func (c *Collection) facts() []report.Fact {
	if c.bare {
		return c.fingerprintFacts()
	}
	empty, features := 0, 0
	for i, set := range c.Sets {
		if len(set) == 0 {
			empty++
		}
		features += c.Words[i]
	}
	s := c.Settings
	facts := []report.Fact{
		{Name: "documents", Value: fmt.Sprintf("%d, %d of them without features", c.Len(), empty)},
		{Name: "features", Value: fmt.Sprintf("%d, with repetitions; the median document has %d", features, median(c.Words))},
		{Name: "settings", Value: fmt.Sprintf("features %s, weights %s, lang %s, bits %d, hash %s, perms %d, seed %d, sketch %s", s.Features, s.Weights, s.Language, s.Bits, s.Hash, s.Positions, s.Seed, s.Sketch)},
		{Name: "truth", Value: fmt.Sprintf("%d pairs with an exact Jaccard similarity of %.2f or more of %s; %d of 0.8 or more", len(c.Truth), c.Floor, c.TruthFeatures, c.near())},
	}
	if c.Sampled != nil {
		n := 0
		for _, in := range c.Sampled {
			if in {
				n++
			}
		}
		facts = append(facts, report.Fact{Name: "sample", Value: fmt.Sprintf("%d documents, each with all others: all pairs below have one of them", n)})
	}
	if l := c.Labels; l != nil {
		facts = append(facts, report.Fact{Name: "labels", Value: fmt.Sprintf("%d pairs labelled near, %d not near", l.Near, l.Apart)})
	}
	return facts
}

// median returns the upper median of xs, or 0 if xs is empty.
func median(xs []int) int {
	if len(xs) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(xs))[len(xs)/2]
}
