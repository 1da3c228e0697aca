package report

import (
	"cmp"
	"html/template"
	"io"

	"simsearch/internal/explain"
	"simsearch/internal/terminal"
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

// Groups are what a page says of groups of near documents, beside each of them.
type Groups struct {
	Near       string // how near documents are to be
	ByDistance bool
	Chain      bool // whatever near pairs connect is a group
	Limited    bool // there may be more groups

	Groups, Documents, All int // groups, the documents in them, and all that were compared
	Same                   int // documents that have the features of the first one of their group
	Largest                int // documents of a group
	Sizes                  Sizes
	Bins                   *Bins // how near documents are to the first one, or nil
	Far                    int   // documents of Bins that are not near the first one
	Pairs                  Pairs // the least near documents
	Pictures               bool
	Settings               []Fact
	Command                string
}

// Others returns how many documents there are beside the first of each group.
func (g *Groups) Others() int { return g.Documents - g.Groups }

// Alone returns how many documents are in no group.
func (g *Groups) Alone() int { return max(0, g.All-g.Documents) }

// Elsewhere returns what is said of the documents that are in none of the groups.
func (g *Groups) Elsewhere() string {
	if g.Limited {
		return "not in these groups"
	}
	return "in no group"
}

// Title returns the title of the page.
func (g *Groups) Title() string { return terminal.Plural(g.Groups, "group") + " of near documents" }

// Write writes the page. groups writes each of the groups, by Group.Write. Settings and the command may have any bytes, and the other
// strings no control characters.
func (g *Groups) Write(w io.Writer, groups func(w io.Writer) error) error {
	g.Settings, g.Command = Harmless(g.Settings), HarmlessText(g.Command)
	page := &Page{Command: "simsearch groups", Title: g.Title(), Pictures: g.Pictures, Script: true, Of: g,
		Foot: "simsearch groups --as json has these groups for programs."}
	if err := pages().ExecuteTemplate(w, "groups", page); err != nil {
		return err
	}
	if err := groups(w); err != nil {
		return err
	}
	return pages().ExecuteTemplate(w, "groups-end", page)
}

// A Group is what a page shows of near documents.
type Group struct {
	ID, Title string
	Name      string   // what the group is known by: a title of its first document, or the id
	Open      bool     // the group is shown without being asked for
	Pictured  bool     // there are pictures, which stand side by side
	Current   *Current // or nil
	Documents []Document
	More      string // on documents that are not in Documents; or ""
	Link      string // to a page about the group, or ""
}

// Current says which document of a group is the current one, and why.
type Current struct{ Way, ID, Value string }

// A Document is what is shown of a document beside the one that it is compared with.
type Document struct {
	ID, Nearness, Mark string
	Link               string       // to a page about the document, or ""
	Picture            template.URL // a small copy, or ""
	Title              string
	Changes            []explain.Change
	Notes              []string
}

// Class says how the documents stand: pictures side by side, and ids alone in columns.
func (g *Group) Class() string {
	for _, d := range g.Documents {
		switch {
		case g.Pictured:
			return "pictured"
		case d.Title != "" || d.Nearness != "" || len(d.Changes)+len(d.Notes) > 0:
			return ""
		}
	}
	return "ids"
}

// Write writes the group.
func (g *Group) Write(w io.Writer) error { return pages().ExecuteTemplate(w, "group", g) }
