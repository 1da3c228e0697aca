package report

import (
	"slices"

	"simsearch/internal/idtext"
	"simsearch/internal/svg"
)

// harmless returns a copy of the report that is safe to show: each text is one line without control
// characters, as idtext.Harmless makes it. Texts hold names of files and ids, which may be any bytes.
func (r *Report) harmless() *Report {
	clean := &Report{Version: r.Version, Title: idtext.Harmless(r.Title), Verdict: r.Verdict.harmless(), Facts: slices.Clone(r.Facts), Warnings: harmlessAll(r.Warnings)}
	for i := range clean.Facts {
		f := &clean.Facts[i]
		f.Name, f.Value = idtext.Harmless(f.Name), idtext.Harmless(f.Value)
	}
	for _, s := range r.Sections {
		section := &Section{Name: s.Name, Title: idtext.Harmless(s.Title), Text: harmlessAll(s.Text), ShowText: s.ShowText}
		for _, t := range s.Tables {
			section.Tables = append(section.Tables, t.harmless())
		}
		for _, p := range s.Plots {
			section.Plots = append(section.Plots, harmlessPlot(p))
		}
		for _, e := range s.Examples {
			section.Examples = append(section.Examples, e.harmless())
		}
		clean.Sections = append(clean.Sections, section)
	}
	return clean
}

func (t *Table) harmless() *Table {
	clean := &Table{Title: idtext.Harmless(t.Title), Columns: harmlessAll(t.Columns), Rows: [][]any{}}
	for _, row := range t.Rows {
		row = slices.Clone(row)
		for i, cell := range row {
			if text, ok := cell.(string); ok {
				row[i] = idtext.Harmless(text)
			}
		}
		clean.Rows = append(clean.Rows, row)
	}
	return clean
}

func harmlessPlot(p *svg.Plot) *svg.Plot {
	clean := *p
	clean.Title, clean.X.Name, clean.Y.Name = idtext.Harmless(p.Title), idtext.Harmless(p.X.Name), idtext.Harmless(p.Y.Name)
	clean.Series = slices.Clone(p.Series)
	for i := range clean.Series {
		clean.Series[i].Labels = harmlessAll(clean.Series[i].Labels)
		clean.Series[i].Name = idtext.Harmless(clean.Series[i].Name)
	}
	return &clean
}

// harmlessAll returns harmless copies of texts. It keeps nil as nil, since JSON tells nil from an empty
// slice.
func harmlessAll(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = idtext.Harmless(text)
	}
	return texts
}
