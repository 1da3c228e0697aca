package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// WriteText writes a report for a terminal: its tables, aligned.
func (r *Report) WriteText(w io.Writer) error {
	r = r.harmless()
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, r.Title)
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
		if s.Name == "recommend" {
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

// WriteMarkdown writes a report as Markdown. Headings begin at the given level; plot returns the name
// of the file that a plot is drawn in, "" to leave plots out. No text of the report is taken for
// Markdown.
func (r *Report) WriteMarkdown(w io.Writer, level int, plot func(s *Section, i int) string) error {
	r = r.harmless()
	out := bufio.NewWriter(w)
	heading := strings.Repeat("#", level)
	fmt.Fprintf(out, "%s %s\n", heading, escapeMarkdown(r.Title))
	if len(r.Facts)+len(r.Warnings) > 0 {
		fmt.Fprintln(out)
	}
	for _, f := range r.Facts {
		fmt.Fprintf(out, "- %s: %s\n", f.Name, escapeMarkdown(f.Value))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(out, "- **warning:** %s\n", escapeMarkdown(warning))
	}
	for _, s := range r.Sections {
		if s.Title != r.Title {
			fmt.Fprintf(out, "\n%s# %s\n", heading, escapeMarkdown(s.Title))
		}
		for _, paragraph := range s.Text {
			fmt.Fprintf(out, "\n%s\n", escapeMarkdown(paragraph))
		}
		for _, table := range s.Tables {
			if table.Title != "" {
				fmt.Fprintf(out, "\n**%s**\n", escapeMarkdown(table.Title))
			}
			fmt.Fprintf(out, "\n| %s |\n|%s\n", markdownRow(table.Columns), strings.Repeat("---|", len(table.Columns)))
			for _, row := range table.Rows {
				fmt.Fprintf(out, "| %s |\n", markdownRow(cells(row)))
			}
		}
		for i, p := range s.Plots {
			if name := plot(s, i); name != "" {
				fmt.Fprintf(out, "\n![%s](%s)\n", escapeMarkdown(p.Title), name)
			}
		}
	}
	return out.Flush()
}

// WriteJSON writes a report as JSON, numbers that are none as null.
func (r *Report) WriteJSON(w io.Writer) error {
	r = r.harmless()
	clean := *r
	clean.Sections = nil
	for _, s := range r.Sections {
		section := *s
		section.Tables = nil
		for _, t := range s.Tables {
			table := &Table{t.Title, t.Columns, [][]any{}}
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
