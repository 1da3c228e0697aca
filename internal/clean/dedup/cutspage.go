package dedup

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// WriteHTML writes the report as Report.WriteHTML does.
func (c *Cuts) WriteHTML(w io.Writer) error {
	p := report.Result("simsearch dedup", "", c.Warnings, c.Settings, c.Command)
	p.Title, p.Lead = c.lead()
	p.Figure(c.Cut(), "cut", report.PercentOf(c.Cut(), c.Parts))
	p.Figure(c.Exact, "occur again", "the same words in the same order")
	p.Figure(c.Near, "near", "almost the words of one that stays")
	p.Shares = report.Shares(c.Parts, "stay", c.Parts-c.Cut(), "occur again", c.Exact, "near", c.Near)
	p.Notes = report.If(c.Short > 0, report.P("notes", "%s %s too short to be cut.", terminal.Plural(c.Short, c.By),
		report.Is(c.Short))) + notes(&c.Files, c.Bad)
	sources := report.NewTable("What was cut from each source. The one that lost most comes first.",
		"source", c.By+"s cut", "bytes", "exact", "near", "documents removed")
	byLoss := slices.SortedStableFunc(slices.Values(c.Sources), func(a, b cutSource) int {
		return cmp.Or(cmp.Compare(b.CutBytes, a.CutBytes), cmp.Compare(b.Exact+b.Near, a.Exact+a.Near))
	})
	for _, s := range shown(byLoss) {
		sources.Add(report.ID(s.Path), partOf(s.Exact+s.Near, s.Parts), report.Number(size(s.CutBytes)), s.Exact, s.Near,
			s.Removed)
	}
	p.Sections = []*report.Section{{Name: "repeated", Title: "The most repeated " + c.By + "s", Link: "Most repeated",
		Body: c.repeated()}}
	p.Section("Sources", sources.Of(len(c.Sources)))
	p.Sections = append(p.Sections, borderline(c.Borderline, report.P("",
		"These %ss were cut though they have not the words "+
			"of the one that stays. If they do not say the same, raise the threshold.", c.By)))
	return p.Write(w)
}

// Cut returns how many parts were cut.
func (c *Cuts) Cut() int { return c.Exact + c.Near }

// lead returns the title of the page, and what was cut.
func (c *Cuts) lead() (title string, said report.HTML) {
	all := terminal.Plural(c.Parts, c.By)
	switch {
	case c.Parts == 0:
		return fmt.Sprintf("There were no %ss", c.By), report.P("verdict",
			"The inputs have no words, so that nothing is cut.")
	case c.Cut() == 0:
		return fmt.Sprintf("None of %s cut", all), report.P("verdict", "No %s that is long enough occurs again.", c.By)
	}
	rest := ", and the others are cut."
	if c.Threshold < 1 {
		rest = fmt.Sprintf(". The others are cut, and so is what is like one before it at a similarity of %s or more.",
			report.Threshold(c.Threshold))
	}
	said = report.P("verdict", "The first occurrence of each %s stays%s", c.By, rest) +
		report.P("verdict", "This takes %s out of %s. %s %s changed%s.", size(c.CutBytes), size(c.Bytes),
			terminal.Plural(c.Changed, "document"), report.Is(c.Changed),
			report.If(c.Removed > 0, report.H(", and %s %s removed, since nothing of %s is left", c.Removed,
				report.Is(c.Removed), report.Verb(c.Removed, "it", "them")))) +
		report.If(c.Mode != "", report.P("verdict", "This was a trial: nothing was cut."))
	return fmt.Sprintf("%s of %s %s", terminal.Thousands(c.Cut()), all,
		report.Either(c.Mode != "", "cut", "would be cut")), said
}

func (c *Cuts) repeated() report.HTML {
	if len(c.Repeated) == 0 {
		return report.P("", "There are none.")
	}
	t, others := report.NewTable("How often it was cut, and where it stays.", "cut", "text"), c.Cut()
	for _, r := range shown(c.Repeated) {
		others -= r.Times
		t.Add(report.Wide(report.H("%s", r.Times), report.Bar(r.Times, c.Repeated[0].Times)),
			report.Styled{Of: report.H(`<p class="text">%s%s</p><p class="id">%s, %s %s</p>`,
				report.Text(r.Text), report.If(r.Cut, " …"), r.ID, c.By, r.Part)})
	}
	return report.P("", "Look at these first: they are what the collection has too much of.%s", report.If(others > 0,
		report.H(" For all others together, %s %s cut; cut.jsonl has each.", terminal.Plural(others, c.By),
			report.Verb(others, "was", "were")))) +
		t.InTwo("repeated", 10, c.By)
}
