package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report for a terminal: the verdict, facts, warnings, aligned tables and pairs of texts. It leaves out plots, and
// the paragraphs of sections without ShowText.
func (r *Report) WriteText(w io.Writer) error {
	r = Harmless(r)
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, r.Title)
	if r.Verdict != nil {
		r.Verdict.text(out)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range r.Facts {
		fmt.Fprintf(t, "  %s\t%s\n", f.Name, f.Value)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(out, "warning: "+warning)
	}
	for _, s := range r.Sections {
		fmt.Fprintf(out, "\n%s\n%s\n", s.Title, strings.Repeat("=", len([]rune(s.Title))))
		if s.ShowText {
			fmt.Fprintln(out, strings.Join(s.Text, "\n"))
		}
		for _, table := range s.Tables {
			if table.Title != "" {
				fmt.Fprintf(out, "\n%s\n", table.Title)
			}
			t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, row := range append([][]any{headings(table)}, table.Rows...) {
				fmt.Fprintf(t, "  %s\n", strings.Join(cells(row), "\t"))
			}
			if err := t.Flush(); err != nil {
				return err
			}
		}
		for _, e := range s.Examples {
			e.text(out)
		}
	}
	return out.Flush()
}

func headings(t *Table) (out []any) {
	for _, c := range t.Columns {
		out = append(out, c)
	}
	return out
}

func cells(row []any) (out []string) {
	for _, c := range row {
		out = append(out, Cell(c))
	}
	return out
}
