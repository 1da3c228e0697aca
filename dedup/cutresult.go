package dedup

import (
	"fmt"

	"simsearch/internal/dedupreport"
	"simsearch/internal/terminal"
)

// A CutResult says what Cut has cut.
type CutResult struct {
	By        Level
	Mode      Mode // Removing or Rehearsal
	Documents int  // from which parts may be cut
	Changed   int  // documents from which some parts are cut
	Halved    int  // of Changed: they lose more than half of their texts
	Removed   int  // documents of which nothing is left
	Bad       int  // documents that cannot be read, which stay as they are
	Parts     int  // with a word
	Short     int  // of Parts: too short to be cut
	Exact     int  // cut, since they occur before
	Near      int  // cut, since they are near one that stays
	Bytes     int64
	CutBytes  int64 // of texts
	Files     Files
	Sources   []CutSource
}

// A CutSource is a file.
type CutSource struct {
	Path                                     string
	Documents, Changed, Halved, Removed, Bad int
	Parts, Short, Exact, Near                int
	CutBytes                                 int64
}

func (r *CutResult) add(s CutSource) {
	r.Halved += s.Halved
	r.Documents, r.Changed, r.Removed, r.Bad = r.Documents+s.Documents, r.Changed+s.Changed, r.Removed+s.Removed, r.Bad+s.Bad
	r.Parts, r.Short, r.Exact, r.Near, r.CutBytes = r.Parts+s.Parts, r.Short+s.Short, r.Exact+s.Exact, r.Near+s.Near, r.CutBytes+s.CutBytes
	r.Sources = append(r.Sources, s)
}

// Warnings returns what should make one look at the result before using it, a sentence each.
func (r *CutResult) Warnings() (warnings []string) {
	if r.Documents == 0 && r.Bad == 0 {
		warnings = append(warnings, noDocuments)
	}
	for _, s := range r.Sources {
		if cut := s.Exact + s.Near; s.Documents >= leastSource && float64(cut) > nearlyAll*float64(s.Parts) {
			warnings = append(warnings, fmt.Sprintf("%s %s %d of its %d %ss.", called(s.Path), r.Mode.loses(), cut, s.Parts, r.By))
		}
	}
	if r.Halved >= leastSource && float64(r.Halved) > manyHalved*float64(r.Documents) {
		warnings = append(warnings, fmt.Sprintf("%d documents lose more than half of their texts and stay. They may be near others: remove near documents first.", r.Halved))
	}
	return warnings
}

// manyHalved is a share of documents that lose more than half of their texts that is told of.
const manyHalved = 0.05

// Summary returns what was cut, on one line.
func (r *CutResult) Summary() string {
	return fmt.Sprintf("%s of %s %s, %s of %s: %s with the words of one that stays, %s near one; %s of %s changed, %s removed",
		terminal.Thousands(r.Exact+r.Near), terminal.Plural(r.Parts, r.By.String()), r.Mode.done("cut"), terminal.Bytes(r.CutBytes), terminal.Bytes(r.Bytes), terminal.Thousands(r.Exact), terminal.Thousands(r.Near),
		terminal.Thousands(r.Changed), terminal.Plural(r.Documents, "document"), terminal.Thousands(r.Removed))
}

// report returns the report on what is cut. texts are those that wantTexts has asked for.
func (p *cuts) report(is CutResult, texts *textsOf) *dedupreport.Cuts {
	r := &dedupreport.Cuts{
		V: 1, Command: p.o.Command, Settings: p.settings(), By: p.o.By.String(), Mode: string(is.Mode), Threshold: p.o.Threshold,
		Files: is.Files.report(), Documents: is.Documents, Changed: is.Changed, Removed: is.Removed, Bad: is.Bad, Parts: is.Parts, Short: is.Short,
		Exact: is.Exact, Near: is.Near, Bytes: is.Bytes, CutBytes: is.CutBytes, Warnings: is.Warnings(),
	}
	for _, s := range is.Sources {
		r.Sources = append(r.Sources, dedupreport.CutSource{
			Path: s.Path, Documents: s.Documents, Changed: s.Changed, Removed: s.Removed, Bad: s.Bad,
			Parts: s.Parts, Exact: s.Exact, Near: s.Near, CutBytes: s.CutBytes,
		})
	}
	for _, of := range p.repeated {
		doc, part := p.place(of.part)
		text := texts.of[of.part]
		r.Repeated = append(r.Repeated, dedupreport.Repeated{Times: of.times, ID: string(p.id(doc)), Part: part, Text: text.text, Cut: text.cut})
	}
	for _, i := range texts.pairs {
		of, to := p.near[i].part, p.near[i].to
		a, b := texts.of[of], texts.of[to]
		r.Borderline = append(r.Borderline, dedupreport.Pair{
			ID: p.named(of), Kept: p.named(to), Similarity: p.near[i].similarity, A: a.text, B: b.text, Cut: a.cut || b.cut,
		})
	}
	return r
}

// named returns what a part is called in a report.
func (p *cuts) named(part uint32) string {
	doc, number := p.place(part)
	return fmt.Sprintf("%s, %s %d", p.id(doc), p.o.By, number)
}

// settings returns the options that decide what is cut, as flags name them.
func (p *cuts) settings() []dedupreport.Setting {
	return []dedupreport.Setting{
		{Name: "by", Value: p.o.By.String()},
		{Name: "min-words", Value: fmt.Sprint(p.o.MinWords)},
		{Name: "jaccard", Value: fmt.Sprint(p.o.Threshold)},
		{Name: "features", Value: p.o.Settings.SetFeatures.String()},
		{Name: "files", Value: fmt.Sprint(len(p.files) - p.refs)},
		{Name: "files of the reference", Value: fmt.Sprint(p.refs)},
	}
}
