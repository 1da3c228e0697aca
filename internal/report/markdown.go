package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

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

var (
	// markdownEscapes are for what has a meaning within a line of Markdown or of a cell, in
	// GitHub's dialect, too.
	markdownEscapes = strings.NewReplacer("<", "&lt;", "&", "&amp;", `\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "://", `\://`)
	// bareAddress is the beginning of one that the dialect makes a link of without "://".
	bareAddress = regexp.MustCompile(`(?i)(www)\.`)
)

// escapeMarkdown returns Markdown that shows a text of one line as it is.
func escapeMarkdown(s string) string {
	return bareAddress.ReplaceAllString(markdownEscapes.Replace(s), `$1\.`)
}

// markdownRow returns the cells of a row with what stands between them.
func markdownRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = escapeMarkdown(c)
	}
	return strings.Join(escaped, " | ")
}
