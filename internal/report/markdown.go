package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// WriteMarkdown writes the report as Markdown. The title is a heading of the given level, sections are
// headings of the next. plot returns the name of the file of plot i of section s, or "" to leave the
// plot out. All text of the report is escaped: none of it can be markup.
func (r *Report) WriteMarkdown(w io.Writer, level int, plot func(s *Section, i int) string) error {
	r = Harmless(r)
	out := bufio.NewWriter(w)
	heading := strings.Repeat("#", level)
	fmt.Fprintf(out, "%s %s\n", heading, escapeMarkdown(r.Title))
	if r.Verdict != nil {
		r.Verdict.markdown(out, heading+"#")
	}
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
		for _, e := range s.Examples {
			e.markdown(out)
		}
	}
	return out.Flush()
}

var (
	// markdownEscapes escapes what is markup within a line or a cell, in GitHub's dialect, too.
	markdownEscapes = strings.NewReplacer("<", "&lt;", "&", "&amp;", `\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "://", `\://`)
	// bareAddress is the beginning of an address that the dialect turns into a link without "://".
	bareAddress = regexp.MustCompile(`(?i)(www)\.`)
)

// escapeMarkdown returns Markdown that shows s, a text of one line, as it is.
func escapeMarkdown(s string) string {
	return bareAddress.ReplaceAllString(markdownEscapes.Replace(s), `$1\.`)
}

// markdownRow escapes the cells of a row and joins them with bars.
func markdownRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = escapeMarkdown(c)
	}
	return strings.Join(escaped, " | ")
}
