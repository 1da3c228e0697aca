package report

import (
	"fmt"
	"io"
)

// longTable is the most rows of one of several tables that is shown without being asked for. Longer ones unfold, and are whole
// in print. The only table of a section is always shown.
const longTable = 10

// WriteHTML writes the report as one page with its plots in it. The page needs no network and runs no
// scripts.
func (r *Report) WriteHTML(w io.Writer) error { return Harmless(r).page().Write(w) }

// page returns the page of a report, which must be harmless.
func (r *Report) page() *Page {
	p := &Page{Command: "simsearch eval", Title: r.Title}
	if r.Verdict != nil {
		p.Opening = append(p.Opening, r.Verdict)
	}
	p.Opening = append(append(p.Opening, Facts(r.Facts)), Paragraphs("warning", r.Warnings...)...)
	for _, s := range r.Sections {
		part := &Part{ID: s.Name, Title: s.Title, Body: Paragraphs("", s.Text...)}
		for _, plot := range s.Plots {
			part.Add(Plot{plot.Title, []Drawing{plot}})
		}
		for _, t := range s.Tables {
			shown := &Table{Title: t.Title, Columns: t.Columns, Rows: t.Rows, Class: "results"}
			if t.Title == "" {
				shown.Title = s.Title
			}
			if len(s.Tables) > 1 && len(t.Rows) > longTable {
				part.Add(Folded{fmt.Sprintf("%s: %d rows", shown.Title, len(t.Rows)), []Element{shown}})
			} else {
				part.Add(shown)
			}
		}
		for _, e := range s.Examples {
			part.Add(e)
		}
		p.Parts = append(p.Parts, part)
	}
	return p
}
