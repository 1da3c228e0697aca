package eval

import (
	"fmt"
	"slices"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// factsOf describes the collection, its settings, its truth and its labels.
func factsOf(c *Collection) (facts []report.Fact) {
	add := func(name, format string, args ...any) {
		facts = append(facts, report.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if c.bare {
		add("documents", "%s of %d bits, %s of them distinct", terminal.Plural(c.Len(), "ready-made fingerprint"), c.Settings.Bits, terminal.Thousands(len(distinctOf(c))))
	} else {
		describe(c, add)
	}
	if c.Sampled != nil {
		add("sample", "%s, each with all others: all pairs below have one of them", terminal.Plural(countTrue(c.Sampled), "document"))
	}
	if l := c.Labels; l != nil {
		add("labels", "%s labelled near, %s not near", terminal.Plural(l.Near, "pair"), terminal.Thousands(l.Apart()))
	}
	return facts
}

// describe describes a collection of texts or sets.
func describe(c *Collection, add func(name, format string, args ...any)) {
	empty, features := 0, 0
	for i, set := range c.Sets {
		if len(set) == 0 {
			empty++
		}
		features += c.Words[i]
	}
	s := c.Settings
	add("documents", "%s, %s of them without features", terminal.Thousands(c.Len()), terminal.Thousands(empty))
	add("features", "%s, with repetitions; the median document has %s", terminal.Thousands(features), terminal.Thousands(median(c.Words)))
	add("settings", "features %s, weights %s, lang %s, bits %d, hash %s, perms %d, seed %d, sketch %s", s.Features, s.Weights, s.Language, s.Bits, s.Hash, s.Positions, s.Seed, s.Sketch)
	add("truth", "%s with an exact Jaccard similarity of %.2f or more of %s; %s of 0.8 or more", terminal.Plural(len(c.Truth.All), "pair"), c.Floor, c.TruthFeatures, terminal.Thousands(c.Truth.Near))
}

// countTrue returns how many are true.
func countTrue(in []bool) (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

// median returns the upper median of xs, or 0 if xs is empty.
func median(xs []int) int {
	if len(xs) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(xs))[len(xs)/2]
}
