package dedup

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/join"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/setjoin"
	"simsearch/internal/quality/report"
)

const (
	mostGroups = 100     // in a report
	mostIDs    = 20      // of a group
	mostPairs  = 40      // at the edge of what is near
	mostText   = 4 << 10 // bytes of one of their texts
	giant      = 1000    // documents of a group that is told of
	chained    = 0.5     // of the threshold: the smallest similarity of a chain is below it
)

// writeReports writes the report as JSON and as a page.
func (d *Decisions) writeReports(o *outputs) error {
	if d.c.Ends != nil {
		d.cut.Files = d.c.filesOf(func(file int) bool {
			s := d.cut.Sources[file-d.c.Refs]
			return s.Documents > 0 && s.Removed == s.Documents && s.Bad == 0
		})
		r := d.cutReport(o)
		return run.WriteReport(d.c.to, r, r.WriteHTML)
	}
	r := d.report(o)
	return errors.Join(run.WriteReport(d.c.to, r, r.WriteHTML), writeReview(d, o.texts))
}

func (d *Decisions) report(o *outputs) *Report {
	c, clusters, r := d.c, o.clusters, d.Result()
	for _, g := range clusters {
		if n := len(r.Sizes); n == 0 || r.Sizes[n-1].Size != len(g.Documents) {
			r.Sizes = append(r.Sizes, report.Size{Size: len(g.Documents)})
		}
		r.Sizes[len(r.Sizes)-1].Groups++
	}
	slices.Reverse(r.Sizes)
	for _, g := range clusters[:min(len(clusters), mostGroups)] {
		r.Largest = append(r.Largest, d.shownGroup(g))
	}
	o.showPictures(r)
	for _, p := range o.pairs {
		if !o.isShown(d.kept[p]) {
			continue
		}
		a, b := o.texts.at(p), o.texts.at(d.kept[p])
		r.Borderline = append(r.Borderline, Pair{
			ID: string(c.ID(p)), Kept: string(c.ID(d.kept[p])), Similarity: d.similarity(p), Distance: distanceOf(&c.Options, d.similarity(p)),
			A: string(a.Text), B: string(b.Text), Cut: a.More || b.More, PictureA: a.picture, PictureB: b.picture,
		})
	}
	return r
}

// settings returns the options that decide what is removed, as flags name them.
func (d *Decisions) settings() []report.Fact {
	c := d.c
	settings := criterion(&c.Options)
	add := func(pairs ...any) { settings = append(settings, report.Facts(pairs...)...) }
	add("group", report.Either(c.Options.Chain, "star", "components"), "keep", c.Options.Keep,
		"files", len(c.Files)-c.Refs, "files of the reference", c.Refs)
	if c.Options.Spare != 0 {
		add("spare", c.Options.Spare)
	}
	if c.Options.Lossless {
		add("lossless", "what is removed stands in what is kept for it")
	}
	if c.Options.Append {
		add("append", "what was decided before stays")
	}
	if c.Options.Contained > 0 {
		add("contained", c.Options.Contained)
	}
	if c.Options.MaxDF > 0 {
		add("max-df", fmt.Sprintf("%v: %d features that more than %d different documents have", c.Options.MaxDF, c.Boilerplate.Frequent, c.Boilerplate.More))
	}
	if c.Options.Ignore != "" {
		add("ignore", fmt.Sprintf("%s: %d features", c.Options.Ignore, c.Boilerplate.Ignored))
	}
	if c.Options.MaxDF > 0 || c.Options.Ignore != "" {
		add("documents with nothing left", c.Boilerplate.Emptied)
	}
	return settings
}

// criterion returns the settings that say what is near.
func criterion(o *Options) []report.Fact {
	s := o.Settings
	switch k := join.DistanceAt(o.Threshold, s.Bits); {
	case s.Image != 0:
		return report.Facts("k", k, "image hash", s.Image)
	case o.ByDistance():
		return report.Facts("k", k, "features", s.Features, "weights", s.Weights, "lang", s.Language)
	}
	if o.Copy > 0 {
		return report.Facts("copy", o.Copy, "features", s.SetFeatures)
	}
	return report.Facts("jaccard", o.Threshold, "features", s.SetFeatures)
}

// warnings returns what should be looked at beside counts, a sentence each.
func (d *Decisions) warnings(r *Report) (warnings []string) {
	for _, w := range []string{d.c.keysWarning(), d.emptiedWarning(), boilerplateWarning(d)} {
		if w != "" {
			warnings = append(warnings, w)
		}
	}
	if r.Documents == 0 && r.Bad == 0 {
		warnings = append(warnings, noDocuments)
	}
	if r.LargestGroup >= giant {
		warnings = append(warnings, fmt.Sprintf("The largest group has %s documents: look at its texts, which may be a template or an "+
			"empty page. If that is boilerplate, leave it out with max-df or ignore.", terminal.Thousands(r.LargestGroup)))
	}
	if d.crowded {
		warnings = append(warnings, fmt.Sprintf("More than %s pairs of texts may be copies, too many to be judged: "+
			"documents are near from a similarity of %v on, and copies with more changes stay.",
			terminal.Thousands(setjoin.MostListed(len(d.c.Sizes))), judge.Alike))
	}
	return append(warnings, d.chainWarning()...)
}

// chainWarning says which document is least like the one that is kept for it, if near documents connect them that
// have hardly anything of each other.
func (d *Decisions) chainWarning() []string {
	least := chained * d.c.Options.Threshold
	if !d.c.Options.Chain || d.c.Options.ByDistance() {
		return nil
	}
	far := -1
	for doc, kept := range d.kept {
		if similarity := d.similarity(uint32(doc)); kept != uint32(doc) && similarity < least {
			far, least = doc, similarity
		}
	}
	if far < 0 {
		return nil
	}
	return []string{fmt.Sprintf("One group is a chain: %s is kept for %s with a similarity of %.2f to it; group star makes no chains.",
		d.c.ID(d.kept[far]), d.c.ID(uint32(far)), least)}
}

// shownGroup returns a cluster as a report shows it.
func (d *Decisions) shownGroup(g join.Group) Group {
	shown := Group{Kept: string(d.c.ID(g.Representative)), Size: len(g.Documents), Similarity: 1}
	for _, doc := range g.Documents {
		if doc == g.Representative {
			continue
		}
		shown.Similarity = min(shown.Similarity, d.similarity(doc))
		if len(shown.IDs) < mostIDs {
			shown.IDs = append(shown.IDs, string(d.c.ID(doc)))
		}
	}
	shown.Distance = distanceOf(&d.c.Options, shown.Similarity)
	shown.More = len(g.Documents) - 1 - len(shown.IDs)
	return shown
}

// borderline returns up to mostPairs removed units that are least near the ones kept for them, the least near first.
// Of equal parts, it is the first.
func (d *Decisions) borderline() []uint32 {
	least := run.Top[uint32]{Most: mostPairs, Order: func(a, b uint32) int {
		return cmp.Or(cmp.Compare(d.similarity(a), d.similarity(b)), cmp.Compare(a, b))
	}}
	for i, kept := range d.kept {
		unit := uint32(i)
		switch {
		case kept == unit:
		case d.c.Ends != nil && d.best[d.c.SetOf[unit]] == unit,
			d.c.Ends == nil && !d.exact(unit) && d.contained(unit) == 0:
			least.Add(unit)
		}
	}
	least.Trim()
	return least.Rows
}

// manyEmptied is the share of the documents with nothing left that is told of.
const manyEmptied = 0.1

// emptiedWarning says how many documents have nothing left, or returns "".
func (d *Decisions) emptiedWarning() string {
	documents, emptied := d.c.Len(), d.c.Boilerplate.Emptied
	if float64(emptied) <= manyEmptied*float64(documents) {
		return ""
	}
	return fmt.Sprintf("%s of %s have nothing left to compare without the features that are left out, and are near those with the same "+
		"features only.", terminal.Thousands(emptied), terminal.Plural(documents, "document"))
}
