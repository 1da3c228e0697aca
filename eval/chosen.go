package eval

import (
	"cmp"
	"context"
	"fmt"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/analysis"
	"simsearch/internal/index"
	"simsearch/internal/ints"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
	"simsearch/internal/truth"
)

// A chosen is the search that a verdict is on.
type chosen struct {
	Choice
	reached bool          // it has what was wanted; otherwise it has the best F1 of all
	wanted  truth.Demands // of the precision and the recall
	itself  bool          // a choice that is the truth itself was left out
	found   []truth.Found // judged pairs that it finds
	grouped bool          // the intervals count groups
	groups  []truth.Group // of its pairs

	sets         [][]uint64 // of its settings
	fingerprints []uint64   // of its settings; nil for a search of sets
}

// nearness says how near a pair is by what is searched.
func (b *chosen) nearness(x, y uint32) string {
	switch {
	case len(b.sets[x]) == 0 || len(b.sets[y]) == 0:
		return "one has no features"
	case b.fingerprints != nil:
		return terminal.Plural(hamming.Distance(b.fingerprints[x], b.fingerprints[y]), "bit") + " apart"
	}
	return fmt.Sprintf("similarity of %s %.3f", b.Settings.Features, ints.Jaccard(b.sets[x], b.sets[y]))
}

// bestSearch returns the search with the best F1 of those that the collection's settings allow, by distance and by Jaccard
// similarity. It takes a search of each kind. Its F1 is 0 if none finds anything.
func bestSearch(ctx context.Context, c *Collection) (*chosen, error) {
	if c.best == nil {
		a := newAdviser(c, AdviceOptions{})
		err := a.tryFeatures(ctx, source{c.Settings, []fingerprint.Weighting{c.Settings.Weights}}, features{sets: c.Sets, fingerprints: [][]uint64{c.Fingerprints}})
		if err != nil {
			return nil, err
		}
		c.best = a.chosen()
	}
	return c.best, nil
}

// verdict says in three sentences what to use, what it finds and what it gets wrong.
func verdict(c *Collection, b *chosen) *report.Verdict {
	v := verdictOn(b, c.inputs, nearBy(c))
	if b.itself && b.F1 > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("So simsearch index --mode minhash --features %s --lang none, searched by --jaccard %.1f, finds the truth itself, without an error, and is no choice here.", c.truthSpec, index.DefaultThreshold))
	}
	return v
}

// verdictOn says what to use. inputs names the inputs as a command line does, or is empty, and nearBy is what nearBy returns.
func verdictOn(b *chosen, inputs, nearBy string) *report.Verdict {
	if b.F1 == 0 {
		return &report.Verdict{Text: []string{fmt.Sprintf("No search that was tried finds a pair that is near in truth (%s): these texts support no recommendation.", nearBy)}}
	}
	v := &report.Verdict{Commands: commands(b.Choice, inputs)}
	demand := "the best F1"
	if b.wanted != (truth.Demands{}) {
		demand = fmt.Sprintf("the best F1 among those with %s", b.wanted)
	}
	reached := fmt.Sprintf("of the searches that were tried, it has %s, %s", demand, report.Cell(b.F1))
	if !b.reached {
		reached = fmt.Sprintf("none that was tried has %s, and this one has the best F1, %s", b.wanted, report.Cell(b.F1))
	}
	p, r := b.Precision, b.Recall
	v.Text = append(v.Text,
		fmt.Sprintf("Search %s: %s.", b.described(), reached),
		fmt.Sprintf("It finds %s of the %s that are near in truth, %s, and misses %s.", terminal.Thousands(r.Hits), terminal.Plural(r.Trials, "pair"), told(r), terminal.Thousands(r.Trials-r.Hits)),
		fmt.Sprintf("Of the %s that it finds, %s not near, %s.", terminal.Plural(p.Trials, "pair"), are(p.Trials-p.Hits), told(p.Complement())))
	v.Notes = append(v.Notes, "Near in truth means "+nearBy+".")
	if b.grouped {
		v.Notes = append(v.Notes, rangesOfGroups)
		if found, near := truth.LargestShare(b.groups); max(found, near) > dominant {
			v.Notes = append(v.Notes, fmt.Sprintf("One group of documents has %s %% of the pairs found and %s %% of those near in truth: the figures are mostly its own, and other texts may well have others.", truth.Percent(found), truth.Percent(near)))
		}
	}
	return v
}

// rangesOfGroups says what intervals are of.
const rangesOfGroups = "The ranges are where the figures of as many other texts of the same kind would lie in 95 % of cases. They count groups of documents, since pairs of one group are found or missed together."

// described says what is searched.
func (b Choice) described() string {
	if b.Predicate.BySets() {
		return fmt.Sprintf("sets of %s for a Jaccard similarity of %.1f or more", b.Settings.Features, b.Predicate.Threshold)
	}
	of := ""
	if b.Flags != "" {
		of = fmt.Sprintf(" of %s", b.Settings.Features)
	}
	return fmt.Sprintf("fingerprints%s for a distance of at most %s", of, terminal.Plural(b.Predicate.Distance, "bit"))
}

// commands returns how to make an index of the inputs, and how to search it.
func commands(b Choice, inputs string) []string {
	flags, usual := b.Flags, analysis.Classic()
	inputs = cmp.Or(inputs, map[bool]string{true: "--format fingerprints INPUT", false: "INPUT"}[flags == ""])
	if flags != "" {
		flags = " " + flags
	}
	if s := b.Settings; !b.Predicate.BySets() {
		if s.Bits != usual.Bits {
			flags += fmt.Sprintf(" --bits %d", s.Bits)
		}
		if b.Flags != "" && s.Hash != usual.Hash {
			flags += fmt.Sprintf(" --hash %s", s.Hash)
		}
	}
	return []string{
		fmt.Sprintf("simsearch index --index idx%s %s", flags, inputs),
		fmt.Sprintf("simsearch pairs --index idx %s", b.Search),
	}
}

// nearBy says by what a pair is near in truth.
func nearBy(c *Collection) string {
	if c.Labels == nil {
		return fmt.Sprintf("an exact Jaccard similarity of %.1f or more of %s; labels of your own (--truth) say it better", index.DefaultThreshold, c.TruthFeatures)
	}
	if !c.Labels.Complete {
		return "a label that says so; pairs without a label are left out"
	}
	return "a label that says so"
}

// told returns a rate as a part of a sentence that has its counts.
func told(r truth.Rate) string {
	if r.TooFew() {
		return "too few groups for a figure"
	}
	return r.String()
}

// are returns how many there are of something.
func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return terminal.Thousands(n) + " are"
}
