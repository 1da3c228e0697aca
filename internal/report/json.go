package report

import (
	"encoding/json"
	"io"
	"math"

	"simsearch/internal/idtext"
)

// WriteJSON writes the report as indented JSON. NaN and infinity are null.
func (r *Report) WriteJSON(w io.Writer) error {
	r = Strings(r, idtext.Harmless)
	clean := *r
	clean.Sections = nil
	for _, s := range r.Sections {
		section := *s
		section.Tables = nil
		for _, t := range s.Tables {
			table := &Table{Title: t.Title, Columns: t.Columns, Rows: [][]any{}}
			for _, row := range t.Rows {
				var cells []any
				for _, cell := range row {
					if x, ok := cell.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
						cell = nil
					}
					cells = append(cells, cell)
				}
				table.Rows = append(table.Rows, cells)
			}
			section.Tables = append(section.Tables, table)
		}
		clean.Sections = append(clean.Sections, &section)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(&clean)
}
