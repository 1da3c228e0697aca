package eval

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
	"simsearch/preprocess"
)

// A chosen is the search that a verdict is on.
type chosen struct {
	Choice
	reached bool          // it has what was wanted; otherwise it has the best F1 of all
	wanted  truth.Demands // of the precision and the recall
	itself  bool          // it is what the truth is made by
	exact   *Choice       // what the truth is made by, if an index that is evaluated does not answer it; nil otherwise
	other   *Choice       // the one with the best F1 of those that make errors, if it is another; nil otherwise
	printed int           // pairs that it finds, judged or not
	found   []truth.Found // those that are judged
	groups  []truth.Group // of its pairs

	sets         [][]uint64 // of its settings
	fingerprints []uint64   // of its settings; nil for a search of sets
}

// nearness says how near a pair is by what is searched.
func (b *chosen) nearness(x, y uint32) string {
	if b.fingerprints != nil {
		return terminal.Plural(hamming.Distance(b.fingerprints[x], b.fingerprints[y]), "bit") + " apart"
	}
	features, _ := setsOf(b.Settings)
	return fmt.Sprintf("similarity of %s %.3f", features, ints.Jaccard(b.sets[x], b.sets[y]))
}

// bestSearch returns the search to use of those that the collection's settings allow, by distance and by Jaccard
// similarity. It takes a search of each kind. Its F1 is 0 if none finds anything.
func bestSearch(ctx context.Context, c *Collection) (_ *chosen, err error) {
	if c.best == nil {
		c.best, err = newAdviser(c, AdviceOptions{Tries: []analysis.Settings{c.Settings}}).advise(ctx)
	}
	return c.best, err
}

// verdict says in a few sentences what to use, what it finds and what it gets wrong.
func verdict(c *Collection, b *chosen) *report.Verdict {
	if b.F1 == 0 {
		return &report.Verdict{Text: []string{fmt.Sprintf("No search that was tried finds a pair that is near in truth (%s): these texts support no recommendation.", nearBy(c))}}
	}
	v, how := &report.Verdict{}, "Search"
	p, r := b.Precision, b.Recall
	if b.tooFew() {
		how = "Here it would be"
		v.Text = append(v.Text, fewGroups)
	} else {
		v.Commands = c.commands(b.Choice)
	}
	v.Text = append(v.Text, fmt.Sprintf("%s %s: %s.", how, b.described(c.o.Fingerprints), b.why()))
	if b.itself {
		v.Text = append(v.Text, fmt.Sprintf("It prints all %s that are near, and no other.", terminal.Plural(r.Trials, "pair")))
	} else {
		v.Text = append(v.Text, finds(b.Choice))
	}
	if unjudged := b.printed - p.Trials; unjudged > 0 {
		v.Text = append(v.Text, fmt.Sprintf("It prints %s more, which no label judges.", terminal.Plural(unjudged, "pair")))
	}
	if o := b.other; o != nil && !b.tooFew() {
		name := "The best F1"
		switch {
		case b.itself:
			name = "The best F1 of other ways"
		case c.o.Index != "" && !c.answers(o.Settings):
			name = "Another index would have the best F1"
		}
		bytes := ""
		if !c.o.Fingerprints {
			bytes = fmt.Sprintf(" (%s), of about %.0f bytes a document instead of %.0f", strings.TrimSpace(o.Flags+" "+o.Search), o.Bytes, b.Bytes)
		}
		v.Text = append(v.Text, fmt.Sprintf("%s, %s: %s%s. %s", name, report.Cell(o.F1), o.described(c.o.Fingerprints), bytes, finds(*o)))
	}
	if b.exact != nil {
		v.Text = append(v.Text, fmt.Sprintf("Another index, by %s, searched by %s, finds what near means here, without an error.", cmp.Or(b.exact.Flags, "no flags"), b.exact.Search))
	}
	v.Notes = append(v.Notes, "Near in truth means "+nearBy(c)+".")
	if b.tooFew() {
		return v
	}
	v.Notes = append(v.Notes, rangesOfGroups)
	if found, near := truth.LargestShare(b.groups); max(found, near) > dominant {
		v.Notes = append(v.Notes, fmt.Sprintf("One group of documents has %s %% of the pairs found and %s %% of those near in truth: the figures are mostly its own, and other texts may well have others.", truth.Percent(found), truth.Percent(near)))
	}
	return v
}

// why says why a search is advised.
func (b *chosen) why() string {
	demand := "the best F1"
	if b.wanted != (truth.Demands{}) {
		demand = fmt.Sprintf("the best F1 among those with %s", b.wanted)
	}
	switch {
	case b.itself:
		return "it is what near means here, so that it makes no error but those of the definition"
	case !b.reached:
		return fmt.Sprintf("none that was tried has %s, and this one has an F1 of %s", b.wanted, report.Cell(b.F1))
	case b.other != nil && b.other.Bytes > b.Bytes:
		return fmt.Sprintf("of the searches that were tried, it takes the fewest bytes a document, about %.0f, of those whose ranges overlap the ranges of the one with %s", b.Bytes, demand)
	}
	return fmt.Sprintf("of the searches that were tried, it has %s, %s", demand, report.Cell(b.F1))
}

// finds says what a search finds and what it gets wrong.
func finds(c Choice) string {
	p, r := c.Precision, c.Recall
	wrong := p.Trials - p.Hits
	return fmt.Sprintf("It finds %s of the %s that are near in truth, %s, and misses %s. Of the %s that it finds, %s not near, %s.",
		terminal.Thousands(r.Hits), terminal.Plural(r.Trials, "pair"), told(r), terminal.Thousands(r.Trials-r.Hits),
		terminal.Plural(p.Trials, "pair"), terminal.Thousands(wrong)+" "+report.Is(wrong), told(p.Complement()))
}

// fewGroups says why no command is advised.
const fewGroups = "Fewer than three groups of near documents have most of the pairs: no command is advised, since the figures say nothing of other texts. Give more documents, or labels of more of them."

// rangesOfGroups says what intervals are of.
const rangesOfGroups = "The ranges are where the figures of as many other texts of the same kind would lie in 95 % of cases. They count groups of documents, since pairs of one group are found or missed together."

// described says what is searched. Ready-made fingerprints are bare.
func (c Choice) described(bare bool) string {
	if c.Predicate.BySets() {
		features, _ := setsOf(c.Settings)
		return fmt.Sprintf("sets of %s for a Jaccard similarity of %.1f or more", features, c.Predicate.Threshold)
	}
	of := ""
	if !bare {
		of = fmt.Sprintf(" of %s", c.Settings.Features)
	}
	return fmt.Sprintf("fingerprints%s for a distance of at most %s", of, terminal.Plural(c.Predicate.Distance, "bit"))
}

// commands returns how to make an index of the inputs, and how to search it; of an index that is evaluated, how to
// search it.
func (c *Collection) commands(b Choice) []string {
	if c.o.Index != "" {
		search := b.Search
		if b.Predicate.BySets() {
			search += c.o.Exactly
		}
		return []string{fmt.Sprintf("simsearch pairs --index %s %s", c.o.Index, search)}
	}
	flags, usual := b.Flags, analysis.Classic()
	if flags != "" {
		flags = " " + flags
	}
	if s := b.Settings; !b.Predicate.BySets() && s.Bits != usual.Bits {
		flags += fmt.Sprintf(" --bits %d", s.Bits)
	}
	if s := b.Settings; !c.o.Fingerprints && s.Hash != usual.Hash {
		flags += fmt.Sprintf(" --hash %s", s.Hash)
	}
	return []string{
		fmt.Sprintf("simsearch index --index idx%s %s", flags, c.o.Inputs),
		fmt.Sprintf("simsearch pairs --index idx %s", b.Search),
	}
}

// nearBy says by what a pair is near in truth.
func nearBy(c *Collection) string {
	if c.Labels == nil {
		whose := "what --jaccard finds"
		if c.o.Truth != (preprocess.FeatureSpec{}).String() && c.Settings.Features.Kind != preprocess.Items {
			whose = "which is not what --jaccard finds"
		}
		return fmt.Sprintf("an exact Jaccard similarity of %.1f or more of %s, %s; labels of your own (--truth) say it better, also of the judge that decides without flags", index.DefaultThreshold, c.TruthFeatures, whose)
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
