package eval

import (
	"fmt"
	"slices"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// factsOf describes the collection, its settings, its truth and its labels.
func factsOf(c *Collection) []report.Fact {
	if c.bare {
		return fingerprintFacts(c)
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
		{Name: "documents", Value: fmt.Sprintf("%s, %s of them without features", terminal.Thousands(c.Len()), terminal.Thousands(empty))},
		{Name: "features", Value: fmt.Sprintf("%s, with repetitions; the median document has %s", terminal.Thousands(features), terminal.Thousands(median(c.Words)))},
		{Name: "settings", Value: fmt.Sprintf("features %s, weights %s, lang %s, bits %d, hash %s, perms %d, seed %d, sketch %s", s.Features, s.Weights, s.Language, s.Bits, s.Hash, s.Positions, s.Seed, s.Sketch)},
		{Name: "truth", Value: fmt.Sprintf("%s with an exact Jaccard similarity of %.2f or more of %s; %s of 0.8 or more", terminal.Plural(len(c.Truth), "pair"), c.Floor, c.TruthFeatures, terminal.Thousands(c.near()))},
	}
	if c.Sampled != nil {
		n := 0
		for _, in := range c.Sampled {
			if in {
				n++
			}
		}
		facts = append(facts, report.Fact{Name: "sample", Value: fmt.Sprintf("%s, each with all others: all pairs below have one of them", terminal.Plural(n, "document"))})
	}
	if l := c.Labels; l != nil {
		facts = append(facts, report.Fact{Name: "labels", Value: fmt.Sprintf("%s labelled near, %s not near", terminal.Plural(l.Near, "pair"), terminal.Thousands(l.Apart))})
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
