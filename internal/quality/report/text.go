package report

import (
	"cmp"
	"fmt"
	"io"
	"simsearch/internal/ground/terminal"
	"strings"
	"text/tabwriter"
)

// WriteBrief writes the report for a terminal: the verdict, facts and warnings, and as much of the tables as goes
// into so many lines; 0 is any number. If that is not all, the last line is rest, which says where it is.
func (r *Report) WriteBrief(w io.Writer, most int, rest string) error {
	r = r.harmless()
	var b strings.Builder
	say := func(format string, values ...any) { fmt.Fprintf(&b, format, values...) }
	say("%s\n", r.Title)
	if r.First != nil {
		say("\n%s\n%s", r.First.Title, r.First.aligned())
	}
	if v := r.Verdict; v != nil {
		say("\nWhat to use\n")
		for _, c := range v.Commands {
			say("  %s\n", c)
		}
		if len(v.Commands) > 0 {
			say("\n")
		}
		for _, text := range v.Text {
			say("  %s\n", terminal.Wrapped(text, 2, column))
		}
		for _, note := range v.Notes {
			say("  %s\n", terminal.Wrapped("("+note+")", 2, column))
		}
		say("\n")
	}
	var facts Table
	for _, f := range r.Facts {
		facts.Add(f.Name, f.Value)
	}
	say("%s", facts.aligned())
	for _, text := range r.Warnings {
		say("warning: %s\n", text)
	}
	whole := true
	for _, s := range r.Sections {
		whole = whole && len(s.Plots)+len(s.Examples)+len(s.Text) == 0
		for _, t := range s.Tables {
			say("\n%s\n%s", cmp.Or(t.Title, s.Title), t.aligned())
		}
	}
	lines := strings.SplitAfter(strings.TrimRight(b.String(), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	if most > 0 && (!whole || len(lines) >= most) {
		lines = append(lines[:min(len(lines), most-1)], rest+"\n")
	}
	_, err := io.WriteString(w, strings.Join(lines, ""))
	return err
}

// column is where lines of prose are wrapped.
const column = 110

// aligned returns the table with its cells below each other, and with the names of its columns, if it has them.
func (t *Table) aligned() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells []string) { fmt.Fprintf(w, "  %s\n", strings.Join(cells, "\t")) }
	if len(t.Columns) > 0 {
		line(t.Columns)
	}
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, Cell(c))
		}
		line(cells)
	}
	_ = w.Flush() // a builder takes all
	return b.String()
}
