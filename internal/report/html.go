package report

import (
	"cmp"
	"html/template"
	"io"

	"simsearch/internal/explain"
)

// WriteHTML writes the report as one page with its plots in it. The page needs no network and runs no
// scripts.
func (r *Report) WriteHTML(w io.Writer) error {
	r = Harmless(r)
	return pages().ExecuteTemplate(w, "report", &Page{Command: "simsearch eval", Title: r.Title, Of: r})
}

// longTable is the most rows of one of several tables that is shown without being asked for. Longer ones unfold, and are whole
// in print. The only table of a section is always shown.
const longTable = 10

// Folds reports whether a table of the section unfolds.
func (s *Section) Folds(t *Table) bool { return len(s.Tables) > 1 && len(t.Rows) > longTable }

// TitleOf returns the title of a table of the section.
func (s *Section) TitleOf(t *Table) string { return cmp.Or(t.Title, s.Title) }

// ColumnClass returns the class of a column, which is that of its first cell.
func (t *Table) ColumnClass(column int) string {
	if len(t.Rows) == 0 || column >= len(t.Rows[0]) {
		return ""
	}
	return cellClass(t.Rows[0][column])
}

// A Group is what a page shows of near documents.
type Group struct {
	ID, Title string
	Current   *Current // or nil
	Documents []Document
	More      string // on documents that are not in Documents; or ""
}

// Current says which document of a group is the current one, and why.
type Current struct{ Way, ID, Value string }

// A Document is what is shown of a document beside the one that it is compared with.
type Document struct {
	ID, Nearness, Mark string
	Picture            template.URL // a small copy, or ""
	Title              string
	Changes            []explain.Change
	Notes              []string
}

// Begin writes the beginning of a page of groups, without its end.
func (p *Page) Begin(w io.Writer) error { return pages().ExecuteTemplate(w, "groups", p) }

// Write writes the group.
func (g *Group) Write(w io.Writer) error { return pages().ExecuteTemplate(w, "group", g) }
