package eval

import (
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/report"
)

// factsOf describes the collection, its settings, its truth and its labels.
func factsOf(c *Collection) (facts []report.Fact) {
	add := func(name, format string, args ...any) {
		facts = append(facts, report.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if c.o.Fingerprints {
		add("documents", "%s of %d bits, %s of them distinct", terminal.Plural(c.Len(), "ready-made fingerprint"), c.Settings.Bits, terminal.Thousands(len(distinctValues(c.Fingerprints))))
	} else {
		describe(c, add)
	}
	if l := c.Labels; l != nil {
		add("labels", "%s labelled near, %s not near", terminal.Plural(l.Near, "pair"), terminal.Thousands(l.Apart()))
	}
	return facts
}

// truthsAt are the other thresholds that a report counts near pairs at.
var truthsAt = []float64{0.5, 0.6, 0.7, 0.9}

// describe describes a collection of texts or sets.
func describe(c *Collection, add func(name, format string, args ...any)) {
	features := 0
	for _, n := range c.Words {
		features += n
	}
	s := c.Settings
	add("documents", "%s", terminal.Thousands(c.Len()))
	add("features", "%s, with repetitions; the median document has %s", terminal.Thousands(features), terminal.Thousands(median(c.Words)))
	if c.Fingerprints != nil {
		sets, language := setsOf(s)
		add("settings", "fingerprints of %s, weights %s, lang %s; sets of %s, lang %s; bits %d, hash %s, perms %d, seed %d, sketch %s", s.Features, s.Weights, s.Language, sets, language, s.Bits, s.Hash, s.Positions, s.Seed, s.Sketch)
	}
	var others []string
	for _, threshold := range truthsAt {
		others = append(others, fmt.Sprintf("%s of %v", terminal.Plural(c.Truth.AtLeast(threshold), "pair"), threshold))
	}
	add("truth", "%s of an exact Jaccard similarity of %v or more of %s", terminal.Plural(c.Truth.Near, "pair"), index.DefaultThreshold, c.TruthFeatures)
	add("thresholds", "%s or more", strings.Join(others, ", "))
}

// Limits of a collection that supports the figures.
const (
	fewPairs    = 50  // least number of near pairs
	shortText   = 20  // least number of features of the median document
	boilerplate = 0.5 // largest share of the documents that may be near a single one
)

// warningsOf returns a line for each way in which the data supports less than the figures suggest.
func warningsOf(c *Collection) []string {
	out := []string{}
	if t := c.texts; t.drawn {
		out = append(out, fmt.Sprintf("of %s documents, %s were drawn, and pairs of these are evaluated, since not all fit into %s of memory (--memory), or more than %s take long", terminal.Thousands(t.read), terminal.Thousands(c.Len()), terminal.Bytes(c.o.Memory), terminal.Thousands(manyTexts)))
	}
	if c.Labels != nil {
		out = append(out, c.Labels.Warnings()...)
	}
	if c.o.Fingerprints && c.Labels == nil {
		return append(out, "fingerprints have no exact similarity: name labels with --truth to see which pairs are near in truth")
	}
	if near := c.verdicts().Near; near < fewPairs {
		out = append(out, fmt.Sprintf("few pairs are near in truth, %d: recall is uncertain, see the intervals", near))
	}
	if m := median(c.Words); m < shortText && !c.o.Fingerprints {
		out = append(out, fmt.Sprintf("the texts are short, the median has %d features: a changed word moves a fingerprint by many bits", m))
	}
	partners := make([]int, c.Len())
	most := 0
	for _, p := range c.Truth.All {
		partners[p.A]++
		partners[p.B]++
		most = max(most, partners[p.A], partners[p.B])
	}
	if c.Len() > 1 && float64(most) >= boilerplate*float64(c.Len()-1) {
		out = append(out, fmt.Sprintf("one document is near %s of %s: boilerplate may glue the collection together", terminal.Thousands(most), terminal.Plural(c.Len()-1, "other")))
	}
	return out
}

// median returns the upper median of xs, or 0 if xs is empty.
func median(xs []int) int {
	if len(xs) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(xs))[len(xs)/2]
}
