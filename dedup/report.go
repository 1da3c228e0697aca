package dedup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"simsearch/internal/dedupreport"
	"simsearch/internal/join"
	"simsearch/internal/terminal"
)

// Names of the reports that Write makes in its directory.
const (
	ReportName = "report.json"
	PageName   = "report.html"
)

const (
	mostGroups = 100     // in a report
	mostIDs    = 20      // of a group
	mostPairs  = 40      // at the edge of what is near
	mostText   = 4 << 10 // bytes of one of their texts
)

// otherThresholds are those at which a report counts what would be removed. Below the threshold that was chosen, this
// is done for collections of up to fewSets distinct sets.
var otherThresholds = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

const fewSets = 20_000

// writeReport writes the report as JSON and as a page. texts are those of the documents that borderline has named.
func (d *Decisions) writeReport(ctx context.Context, clusters []cluster, texts *textsOf) error {
	r, err := d.report(ctx, clusters, texts)
	if err != nil {
		return err
	}
	return d.c.writeReport(r)
}

// A reporter writes a report.
type reporter interface {
	WriteJSON(w io.Writer) error
	WriteHTML(w io.Writer) error
}

// writeReport writes a report as JSON and as a page.
func (c *Collection) writeReport(r reporter) error {
	return errors.Join(
		c.writeFile(ReportName, func(w *bufio.Writer) error { return r.WriteJSON(w) }),
		c.writeFile(PageName, func(w *bufio.Writer) error { return r.WriteHTML(w) }),
	)
}

func (d *Decisions) report(ctx context.Context, clusters []cluster, texts *textsOf) (*dedupreport.Report, error) {
	c, is := d.c, d.Result()
	r := &dedupreport.Report{
		V: 1, Command: c.o.Command, Settings: d.settings(), Threshold: c.o.Threshold, Mode: string(is.Mode), Pictures: is.pictures,
		Files: is.Files.report(), Documents: is.Documents, Kept: is.Documents - is.Removed, Removed: is.Removed, Exact: is.Exact, Near: is.Removed - is.Exact, Contained: is.Contained,
		Bad: is.Bad, Empty: is.Empty, Bytes: is.Bytes, KeptBytes: is.KeptBytes, Groups: is.Groups, LargestGroup: is.Largest,
		Warnings: is.Warnings(),
	}
	for _, s := range is.Sources {
		r.Sources = append(r.Sources, dedupreport.Source{Path: s.Path, Documents: s.Documents, Removed: s.Removed, Exact: s.Exact, Near: s.Removed - s.Exact, Bad: s.Bad})
	}
	for _, g := range clusters {
		if n := len(r.Sizes); n == 0 || r.Sizes[n-1].Size != len(g.documents) {
			r.Sizes = append(r.Sizes, dedupreport.Size{Size: len(g.documents)})
		}
		r.Sizes[len(r.Sizes)-1].Groups++
	}
	slices.Reverse(r.Sizes)
	r.Histogram = is.histogram(c.o.Threshold)
	for _, g := range clusters[:min(len(clusters), mostGroups)] {
		r.Largest = append(r.Largest, d.shownGroup(g))
	}
	texts.showPictures(r, clusters)
	for _, p := range texts.pairs {
		if !texts.isShown(c, d.kept[p]) {
			continue
		}
		a, b := texts.of[p], texts.of[d.kept[p]]
		r.Borderline = append(r.Borderline, dedupreport.Pair{
			ID: string(c.id(p)), Kept: string(c.id(d.kept[p])), Similarity: d.similarity(p), Distance: c.distanceOf(d.similarity(p)),
			A: a.text, B: b.text, Cut: a.cut || b.cut, PictureA: a.picture, PictureB: b.picture,
		})
	}
	at := c.reportedAt()
	if err := d.countAt(ctx, at); err != nil {
		return nil, err
	}
	r.Thresholds = append(r.Thresholds, dedupreport.AtThreshold{Threshold: c.o.Threshold, Removed: is.Removed, Chosen: true})
	for _, t := range at {
		r.Thresholds = append(r.Thresholds, dedupreport.AtThreshold{Threshold: t, Removed: d.counted[t]})
	}
	slices.SortFunc(r.Thresholds, func(a, b dedupreport.AtThreshold) int { return cmp.Compare(a.Threshold, b.Threshold) })
	if c.o.byDistance() {
		is.reportDistances(r, join.DistanceAt(c.o.Threshold))
	}
	return r, nil
}

// reportedAt returns the thresholds, other than the one chosen, at which a report counts what would be removed.
func (c *Collection) reportedAt() (at []float64) {
	for _, t := range c.o.otherThresholds() {
		if t > c.o.Threshold || t < c.o.Threshold && len(c.sizes) <= fewSets {
			at = append(at, t)
		}
	}
	return at
}

// settings returns the options that decide what is removed, as flags name them.
func (d *Decisions) settings() []dedupreport.Setting {
	c := d.c
	group := "star"
	if c.o.Chain {
		group = "components"
	}
	settings := append(c.criterion(), []dedupreport.Setting{
		{Name: "group", Value: group},
		{Name: "keep", Value: c.o.Keep.String()},
		{Name: "files", Value: fmt.Sprint(len(c.files) - c.refs)},
		{Name: "files of the reference", Value: fmt.Sprint(c.refs)},
	}...)
	if c.o.Contained > 0 {
		settings = append(settings, dedupreport.Setting{Name: "contained", Value: fmt.Sprint(c.o.Contained)})
	}
	if c.o.MaxDF > 0 {
		value := fmt.Sprintf("%v: %d features that more than %d different documents have", c.o.MaxDF, c.out.Frequent, c.out.More)
		if names := d.glue.leftOut(); len(names) > 0 {
			value += ", such as " + quoted(names)
		}
		settings = append(settings, dedupreport.Setting{Name: "max-df", Value: value})
	}
	if c.o.Ignore != "" {
		settings = append(settings, dedupreport.Setting{Name: "ignore", Value: fmt.Sprintf("%s: %d features", c.o.Ignore, c.out.Ignored)})
	}
	if c.o.MaxDF > 0 || c.o.Ignore != "" {
		settings = append(settings, dedupreport.Setting{Name: "documents with nothing left", Value: fmt.Sprint(c.out.Emptied)})
	}
	for _, p := range c.o.Prefer {
		settings = append(settings, dedupreport.Setting{Name: "prefer", Value: p})
	}
	return settings
}

// histogram returns bins of a hundredth from the threshold on, or from the least similarity that occurs, and one of 1.
func (r *Result) histogram(threshold float64) (bins []dedupreport.Bin) {
	from := int(math.Floor(100 * threshold))
	for i, n := range r.Similarities[:from] {
		if n > 0 {
			from = i
			break
		}
	}
	for i := from; i < 100; i++ {
		bins = append(bins, dedupreport.Bin{From: float64(i) / 100, To: float64(i+1) / 100, Documents: r.Similarities[i]})
	}
	return append(bins, dedupreport.Bin{From: 1, To: 1, Documents: r.Similarities[100]})
}

// Warnings returns what should make one look at the result before using it, a sentence each.
func (r *Result) Warnings() []string {
	return r.warnings
}

// warnings returns what should be looked at beside counts, a sentence each.
func (d *Decisions) warnings(largest int) (warnings []string) {
	for _, w := range []string{d.c.keysWarning(), d.c.out.warning(d.c.Len())} {
		if w != "" {
			warnings = append(warnings, w)
		}
	}
	if d.c.Len() == 0 && d.c.badDocuments() == 0 {
		warnings = append(warnings, noDocuments)
	}
	switch {
	case d.glue != nil:
		warnings = append(warnings, d.glue.warnings()...)
	case largest >= giant:
		warnings = append(warnings, fmt.Sprintf("The largest group has %s documents: look at its texts, which may be a template or an empty page.", terminal.Thousands(largest)))
	}
	return warnings
}

// shownGroup returns a cluster as a report shows it.
func (d *Decisions) shownGroup(g cluster) dedupreport.Group {
	shown := dedupreport.Group{Kept: string(d.c.id(g.kept)), Size: len(g.documents), Similarity: 1}
	for _, doc := range g.documents {
		if doc == g.kept {
			continue
		}
		shown.Similarity = min(shown.Similarity, d.similarity(doc))
		if len(shown.IDs) < mostIDs {
			shown.IDs = append(shown.IDs, string(d.c.id(doc)))
		}
	}
	shown.Distance = d.c.distanceOf(shown.Similarity)
	shown.More = len(g.documents) - 1 - len(shown.IDs)
	shown.Glue = d.glue.of(g.kept)
	return shown
}

// borderline returns up to mostPairs removed documents that are least near the ones kept for them, the least near
// first.
func (d *Decisions) borderline() []uint32 {
	return leastNear(func(yield func(uint32) bool) {
		for i, kept := range d.kept {
			if doc := uint32(i); kept != doc && !d.exact(doc) && d.contained(doc) == 0 && !yield(doc) {
				return
			}
		}
	}, d.similarity)
}
