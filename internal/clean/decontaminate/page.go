package decontaminate

import (
	"fmt"
	"io"
	"math"
	"strings"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// mostRows is how many benchmarks, items and sources a page shows of each.
const mostRows = 100

// WriteHTML writes the report as one page that needs no other file and no network. It shows at most 100 benchmarks,
// items and sources.
func (r *Report) WriteHTML(w io.Writer) error {
	p := report.Result("simsearch decontaminate", ", and hits.jsonl all that is found", r.Warnings, r.Settings, r.Command)
	p.Title = fmt.Sprintf("%s of %s found", report.Either(r.Found > 0, "None", terminal.Thousands(r.Found)),
		terminal.Plural(r.judged(), "test item"))
	p.Lead = r.lead()
	p.Figure(r.Found, report.Verb(r.Found, "item", "items")+" found", report.PercentOf(r.Found,
		r.judged())+" that can be judged")
	p.Figure(r.Whole, "with a whole field", "such as the question, in one document")
	p.Figure(r.most(), "with half of one or more", "and "+terminal.Thousands(r.Found-r.Half)+" with less than half")
	p.Shares = report.Shares(r.judged(), "not found", r.judged()-r.Found, "whole field", r.Whole, "a part",
		r.Found-r.Whole)
	p.Notes = report.If(r.Less > 0,
		report.P("notes", "%s %s words in a row in common with a document, but a phrase alone "+
			"or less than %s of a field: mostly what anybody writes. %s not count here, and less.jsonl lists %s.",
			terminal.Plural(r.Less, "item"), report.Verb(r.Less, "has", "have"), r.least(),
			report.Verb(r.Less, "It does", "They do"), report.Verb(r.Less, "it", "them"))) +
		report.If(r.Short > 0, report.P("notes", "%s %s too short to be judged.",
			terminal.Plural(r.Short, "item"), report.Is(r.Short))) +
		report.If(r.Form > 0, report.P("notes", "%s of words %s in many items and %s not count: %s the form of the tests.",
			terminal.Plural(r.Form, "sequence"), report.Verb(r.Form, "stands", "stand"), report.Verb(r.Form, "does", "do"),
			report.Verb(r.Form, "it is", "they are")))
	p.Section("Benchmarks", r.benchmarks())
	if r.Found > 0 {
		p.Section("Items", r.items())
		p.Section("Sources", r.sources())
		p.Section("Texts", r.texts())
	}
	return p.Write(w)
}

// lead returns what is found, and what has become of it.
func (r *Report) lead() report.HTML {
	var b report.Builder
	least := report.H("%s or more of the ", r.least())
	if r.Found > 0 {
		b.P("verdict", "These items have %swords of a field, %s or more in a row, in common with a training document. "+
			"%s of %s %s something of them.", least, r.Words,
			terminal.Plural(r.FoundIn, "document"), r.Documents, report.Verb(r.FoundIn, "has", "have"))
	} else {
		b.P("verdict", "No training document has %swords of a field of a test item, %s or more in a row. "+
			"%s %s compared with %s.", least, r.Words,
			terminal.Plural(r.Documents, "document"), report.Verb(r.Documents, "was", "were"),
			terminal.Plural(r.judged(), "item"))
	}
	switch r.Purify {
	case Documents.String():
		b.P("verdict", "The directory kept has the training files without %s: %s %s removed.",
			report.Verb(r.Removed, "this document", "these documents"), r.Removed, report.Is(r.Removed))
	case Passages.String():
		b.P("verdict", "The directory kept has the training files without what is found: %s are cut, %s %s changed and %s "+
			"removed, since nothing else was in them.", terminal.Bytes(r.CutBytes), terminal.Plural(r.Changed, "document"),
			report.Is(r.Changed), r.Removed)
	}
	return b.HTML()
}

func (r *Report) benchmarks() report.HTML {
	t := report.NewTable("How many items of each benchmark are found.",
		"benchmark", "found", "whole field", "half or more", "less than half", "only listed", "too short")
	for _, b := range r.Benchmarks[:min(len(r.Benchmarks), mostRows)] {
		t.Add(report.ID(b.Name), report.PartOf(b.Found, b.judged(), false), b.Whole, b.most(), b.Found-b.Half, b.Less,
			b.Short)
	}
	return t.Of(len(r.Benchmarks))
}

func (r *Report) items() report.HTML {
	t := report.NewTable("Items that are found, and the document that has the most of each.",
		"item", "field", "share", "document", "documents")
	shown := 0
	for _, is := range r.Best[:min(len(r.Best), mostRows)] {
		to := ""
		if is.Shown != nil {
			shown++
			to = fmt.Sprint("#pair-", shown)
		}
		id := report.Styled{Class: "id", Of: report.Link(is.Item, to)}
		id.Of += report.If(len(r.Benchmarks) > 1 && !strings.HasPrefix(is.Item, is.Benchmark), report.H(` <span class="of">%s</span>`, is.Benchmark))
		t.Add(id, is.Field, report.Number(report.Share(is.Share)), report.ID(is.Document), is.Documents)
	}
	return report.P("", "The item of which the most is found comes first. The share is that of the words of its field that "+
		"the document has, without words that are the form of the tests. An item with a link has both texts below.") +
		report.First(len(t.Rows), r.Found, "These are the first %s of %s items; hits.jsonl has all.") +
		t.InTwo("sources", 20, "item")
}

func (r *Report) sources() report.HTML {
	t := report.NewTable("Training files in which something is found.", "source", "documents with something of an item")
	switch r.Purify {
	case Documents.String():
		t.Columns = append(t.Columns, "removed")
	case Passages.String():
		t.Columns = append(t.Columns, "removed", "changed", "cut")
	}
	for _, s := range r.Sources[:min(len(r.Sources), mostRows)] {
		t.Add([]any{report.ID(s.Path), report.PartOf(s.Found, s.Documents, false), s.Removed, s.Changed,
			report.Number(terminal.Bytes(s.CutBytes))}[:len(t.Columns)]...)
	}
	return t.Of(len(r.Sources))
}

// texts returns the items that are shown beside the documents that have them.
func (r *Report) texts() report.HTML {
	var pairs report.Pairs
	side := func(name, label string, parts []report.Part) report.Side {
		return report.Side{Name: name, Label: label, Documents: []report.ShownText{{ID: name, Parts: parts}}}
	}
	for _, is := range r.Best {
		if is.Shown != nil {
			pairs = append(pairs, &report.Pair{Nearness: report.Share(is.Share), Title: is.Item + ", " + is.Field,
				Sides: []report.Side{
					side(is.Item, is.Benchmark+", "+is.Field, is.Shown.Item), side(is.Document, is.Source, is.Shown.Document)}})
		}
	}
	if len(pairs) == 0 {
		return report.P("", "The documents can be read only once, so that their texts are not shown.")
	}
	return report.First(len(pairs), r.Found,
		"These are %s of %s items, from those with the largest share to those with the "+
			"smallest of the list above.") + pairs.HTML()
}

// least returns the share from which on an item counts as found.
func (r *Report) least() string { return fmt.Sprint(math.Round(1e4*r.MinShare)/100, " %") }

// most returns how many of the found items have half of a field or more, but no whole one, in one document.
func (c *Counts) most() int { return c.Half - c.Whole }
