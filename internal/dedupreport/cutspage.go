package dedupreport

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// openRepeated is how many parts are shown at once, and the others on demand.
const openRepeated = 20

// WriteHTML writes the report as Report.WriteHTML does.
func (c *Cuts) WriteHTML(w io.Writer) error { return report.Harmless(c).page().Write(w) }

// page returns the page of a report, which must be harmless.
func (c *Cuts) page() *report.Page {
	p := c.beginning().page()
	pairs, _ := borderline(fmt.Sprintf("These %ss were cut though they have not the words of the one that stays. If they do not say the same, raise the threshold.", c.By), c.Borderline)
	p.Parts = append(p.Parts, c.repeated(), c.sources(), pairs, settings(c.Settings, c.Command))
	return p
}

func (c *Cuts) beginning() *beginning {
	b := &beginning{warnings: c.Warnings}
	cut, all := c.Exact+c.Near, terminal.Plural(c.Parts, c.By)
	switch {
	case c.Parts == 0:
		b.title = fmt.Sprintf("There were no %ss", c.By)
		b.verdict = []string{"The inputs have no words, so that nothing is cut."}
	case cut == 0:
		b.title = fmt.Sprintf("None of %s cut", all)
		b.verdict = []string{fmt.Sprintf("No %s that is long enough occurs again.", c.By)}
	default:
		b.title = fmt.Sprintf("%s of %s %scut", terminal.Thousands(cut), all, map[bool]string{true: "would be "}[c.Mode != ""])
		b.verdict = []string{fmt.Sprintf("The first occurrence of each %s stays. The others are cut, and so is what is like one before it at a similarity of %s or more.", c.By, threshold(c.Threshold))}
		if c.Threshold >= 1 {
			b.verdict = []string{fmt.Sprintf("The first occurrence of each %s stays, and the others are cut.", c.By)}
		}
		took := fmt.Sprintf("This takes %s out of %s. %s %s changed", size(c.CutBytes), size(c.Bytes), documents(c.Changed), verb(c.Changed, "is", "are"))
		if c.Removed > 0 {
			took += fmt.Sprintf(", and %s removed, since nothing of %s is left", verb(c.Removed, "1 is", terminal.Thousands(c.Removed)+" are"), verb(c.Removed, "it", "them"))
		}
		b.verdict = append(b.verdict, took+".")
		if c.Mode != "" {
			b.verdict = append(b.verdict, "This was a trial: nothing was cut.")
		}
	}
	b.figures = report.Figures{
		{Value: terminal.Thousands(cut), Name: "cut", Text: fmt.Sprintf("%s of %s", report.Percent(cut, c.Parts), terminal.Thousands(c.Parts))},
		{Value: terminal.Thousands(c.Exact), Name: "occur again", Text: "the same words in the same order"},
		{Value: terminal.Thousands(c.Near), Name: "near", Text: "almost the words of one that stays"},
	}
	b.shares = b.shares.Add("stay", "kept", c.Parts-cut, c.Parts).Add("occur again", "exact", c.Exact, c.Parts).Add("near", "near", c.Near, c.Parts)
	if c.Short > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s %s too short to be cut.", terminal.Plural(c.Short, c.By), verb(c.Short, "is", "are")))
	}
	b.notes = append(append(b.notes, c.Files.notes()...), bad(c.Bad)...)
	return b
}

func (c *Cuts) repeated() *report.Part {
	part := &report.Part{ID: "repeated", Link: "Most repeated", Title: fmt.Sprintf("The most repeated %ss", c.By)}
	if len(c.Repeated) == 0 {
		part.Add(report.Paragraph{Text: "There are none."})
		return part
	}
	most, others := 1, c.Exact+c.Near
	for _, r := range c.Repeated {
		most = max(most, r.Times)
	}
	t := table("repeated", "How often it was cut, and where it stays.", "cut", "text")
	for _, r := range first(c.Repeated) {
		text := r.Text
		if r.Cut {
			text += " …"
		}
		t.Add(report.Amount{N: r.Times, Bar: report.Bar(r.Times, most)}, report.Quote{Text: text, From: fmt.Sprintf("%s, %s %d", r.ID, c.By, r.Part)})
		others -= r.Times
	}
	about := "Look at these first: they are what the collection has too much of."
	if others > 0 {
		about += fmt.Sprintf(" For all others together, %s %s cut; cut.jsonl has each.", terminal.Plural(others, c.By), verb(others, "was", "were"))
	}
	part.Add(report.Paragraph{Text: about})
	part.Add(inTwo(t, openRepeated, func(n int) string { return fmt.Sprintf("%d more", n) })...)
	return part
}

func (c *Cuts) sources() *report.Part {
	byLoss := slices.SortedStableFunc(slices.Values(c.Sources), func(a, b CutSource) int {
		return cmp.Or(cmp.Compare(b.CutBytes, a.CutBytes), cmp.Compare(b.Exact+b.Near, a.Exact+a.Near))
	})
	t := table("", "What was cut from each source. The one that lost most comes first.", "source", c.By+"s cut", "bytes", "exact", "near", "documents removed")
	for _, s := range first(byLoss) {
		t.Add(report.Name(s.Path), lost(s.Exact+s.Near, s.Parts), report.Number(size(s.CutBytes)), s.Exact, s.Near, s.Removed)
	}
	return sources(t, len(byLoss))
}
