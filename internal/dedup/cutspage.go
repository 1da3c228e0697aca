package dedup

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// WriteHTML writes the report as Report.WriteHTML does.
func (c *Cuts) WriteHTML(w io.Writer) error {
	p := report.Page{Command: "simsearch dedup", Foot: "report.json has these figures for programs.", Script: true, Warnings: c.Warnings,
		Settings: c.Settings, Repeat: c.Command}
	p.Title, p.Lead = c.lead()
	p.Figures = []report.Figure{
		{Of: c.Cut(), Name: "cut", Text: fmt.Sprintf("%s of %s", report.Percent(c.Cut(), c.Parts), terminal.Thousands(c.Parts))},
		{Of: c.Exact, Name: "occur again", Text: "the same words in the same order"},
		{Of: c.Near, Name: "near", Text: "almost the words of one that stays"},
	}
	p.Shares = report.Shares(c.Parts, "stay", c.Parts-c.Cut(), "occur again", c.Exact, "near", c.Near)
	p.Notes = report.If(c.Short > 0, report.P("notes", "%s %s too short to be cut.", terminal.Plural(c.Short, c.By), report.Is(c.Short))) + notes(&c.Files, c.Bad)
	sources := report.Table{Title: "What was cut from each source. The one that lost most comes first.", Columns: []string{"source", c.By + "s cut", "bytes", "exact", "near", "documents removed"}}
	byLoss := slices.SortedStableFunc(slices.Values(c.Sources), func(a, b CutSource) int {
		return cmp.Or(cmp.Compare(b.CutBytes, a.CutBytes), cmp.Compare(b.Exact+b.Near, a.Exact+a.Near))
	})
	for _, s := range shown(byLoss) {
		sources.Add(report.ID(s.Path), partOf(s.Exact+s.Near, s.Parts), report.Number(size(s.CutBytes)), s.Exact, s.Near, s.Removed)
	}
	p.Sections = []*report.Section{
		{Name: "repeated", Title: "The most repeated " + c.By + "s", Link: "Most repeated", Body: c.repeated()}, sourcesOf(&sources, len(c.Sources)),
		borderline(c.Borderline, report.P("", "These %ss were cut though they have not the words of the one that stays. If they do not say the same, raise the threshold.", c.By)),
	}
	return p.Write(w)
}

// Cut returns how many parts were cut.
func (c *Cuts) Cut() int { return c.Exact + c.Near }

// lead returns the title of the page, and what was cut.
func (c *Cuts) lead() (title string, said report.HTML) {
	all := terminal.Plural(c.Parts, c.By)
	say := func(markup report.HTML, values ...any) { said += report.P("verdict", markup, values...) }
	switch {
	case c.Parts == 0:
		title = fmt.Sprintf("There were no %ss", c.By)
		say("The inputs have no words, so that nothing is cut.")
		return title, said
	case c.Cut() == 0:
		say("No %s that is long enough occurs again.", c.By)
		return fmt.Sprintf("None of %s cut", all), said
	}
	rest := ", and the others are cut."
	if c.Threshold < 1 {
		rest = fmt.Sprintf(". The others are cut, and so is what is like one before it at a similarity of %s or more.", report.Threshold(c.Threshold))
	}
	say("The first occurrence of each %s stays%s", c.By, rest)
	say("This takes %s out of %s. %s %s changed%s.", size(c.CutBytes), size(c.Bytes), terminal.Plural(c.Changed, "document"), report.Is(c.Changed),
		report.If(c.Removed > 0, report.H(", and %s %s removed, since nothing of %s is left", c.Removed, report.Is(c.Removed), report.Verb(c.Removed, "it", "them"))))
	title = fmt.Sprintf("%s of %s cut", terminal.Thousands(c.Cut()), all)
	if c.Mode != "" {
		say("This was a trial: nothing was cut.")
		title = fmt.Sprintf("%s of %s would be cut", terminal.Thousands(c.Cut()), all)
	}
	return title, said
}

func (c *Cuts) repeated() report.HTML {
	if len(c.Repeated) == 0 {
		return report.P("", "There are none.")
	}
	t, others := report.Table{Title: "How often it was cut, and where it stays.", Columns: []string{"cut", "text"}}, c.Cut()
	for _, r := range shown(c.Repeated) {
		others -= r.Times
		t.Add(report.Wide(report.H("%s", r.Times), report.Bar(r.Times, c.Repeated[0].Times)), report.Styled{Of: report.H(`<p class="text">%s%s</p><p class="id">%s, %s %s</p>`,
			report.Text(r.Text), report.If(r.Cut, " …"), r.ID, c.By, r.Part)})
	}
	return report.P("", "Look at these first: they are what the collection has too much of.%s", report.If(others > 0,
		report.H(" For all others together, %s %s cut; cut.jsonl has each.", terminal.Plural(others, c.By), report.Verb(others, "was", "were")))) +
		t.InTwo("repeated", 20, c.By)
}
