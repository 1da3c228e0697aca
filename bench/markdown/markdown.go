// Package markdown writes reports as Markdown, for pages of the repository.
package markdown

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

// NoPlots leaves all plots out.
func NoPlots(*report.Section, int) string { return "" }

// PlotName returns the name of the file of plot i of section s, such as "recall-1.svg" for plot 0.
func PlotName(s *report.Section, i int) string { return fmt.Sprintf("%s-%d.svg", s.Name, i+1) }

// Write writes a report as Markdown. The title is a heading of the given level, sections are
// headings of the next. plot returns the name of the file of plot i of section s, or "" to leave the
// plot out. All text of the report is escaped: none of it can be markup.
func Write(w io.Writer, r *report.Report, level int, plot func(s *report.Section, i int) string) error {
	var b markdown
	heading := strings.Repeat("#", level)
	b.say(heading+" %s\n", r.Title)
	if r.First != nil {
		b.table(r.First)
	}
	if v := r.Verdict; v != nil {
		b.WriteString("\n" + heading + "# What to use\n")
		for i, c := range v.Commands {
			b.WriteString(strings.Repeat("\n", 1-min(i, 1)) + "    " + c + "\n")
		}
		for _, text := range slices.Concat(v.Text, v.Notes) {
			b.say("\n%s\n", text)
		}
	}
	if len(r.Facts)+len(r.Warnings) > 0 {
		b.WriteString("\n")
	}
	for _, f := range r.Facts {
		b.WriteString("- " + f.Name + ": ")
		b.say("%s\n", f.Value)
	}
	for _, text := range r.Warnings {
		b.say("- **warning:** %s\n", text)
	}
	for _, s := range r.Sections {
		if s.Title != r.Title {
			b.say("\n"+heading+"# %s\n", s.Title)
		}
		b.section(s, plot)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A markdown is a text in Markdown, as far as it is written.
type markdown struct{ strings.Builder }

// say appends texts, escaped, as format says, which is Markdown.
func (b *markdown) say(format string, texts ...string) {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = escapeMarkdown(text)
	}
	fmt.Fprintf(b, format, values...)
}

// table appends a table.
func (b *markdown) table(t *report.Table) {
	if t.Title != "" {
		b.say("\n**%s**\n", t.Title)
	}
	b.WriteString("\n")
	var headings []any
	for _, c := range t.Columns {
		headings = append(headings, c)
	}
	for i, row := range append([][]any{headings}, t.Rows...) {
		b.WriteString("|")
		for _, c := range row {
			b.say(" %s |", report.Cell(c))
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
}

// section appends what stands below the title of a section.
func (b *markdown) section(s *report.Section, plot func(s *report.Section, i int) string) {
	for _, text := range s.Text {
		b.say("\n%s\n", text)
	}
	for _, t := range s.Tables {
		b.table(t)
	}
	for i, p := range s.Plots {
		if name := plot(s, i); name != "" {
			b.say("\n![%s]", p.Title)
			b.WriteString("(" + name + ")\n")
		}
	}
	for _, e := range s.Examples {
		b.say("\n**%s**\n", e.Title)
		if e.About != "" {
			b.say("\n%s\n", e.About)
		}
		for _, p := range e.Pairs {
			b.say("\n- %s · %s: %s\n", p.A, p.B, p.Figures)
			if len(p.Changes) == 0 {
				b.say("  - A: %s\n  - B: %s\n", p.StartA, p.StartB)
			}
			for _, c := range p.Changes {
				b.WriteString("  - " + markedChange(c) + "\n")
			}
			for _, note := range p.Notes() {
				b.say("  - %s\n", note)
			}
		}
	}
}

// markedChange returns a change on one line of Markdown.
func markedChange(c explain.Change) string {
	words := []string{escapeMarkdown(c.Before)}
	if c.A != "" {
		words = append(words, "~~"+escapeMarkdown(c.A)+"~~")
	}
	if c.B != "" {
		words = append(words, "**"+escapeMarkdown(c.B)+"**")
	}
	return strings.Join(strings.Fields(strings.Join(append(words, escapeMarkdown(c.After)), " ")), " ")
}

var (
	// markdownEscapes escapes what is markup within a line or a cell, in GitHub's dialect, too.
	markdownEscapes = strings.NewReplacer("<", "&lt;", "&", "&amp;", `\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`",
		"[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "://", `\://`)
	// bareAddress is the beginning of an address that the dialect turns into a link without "://".
	bareAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(www)\.`) })
)

// escapeMarkdown returns Markdown that shows s, a text of one line, as it is.
func escapeMarkdown(s string) string {
	return bareAddress().ReplaceAllString(markdownEscapes.Replace(terminal.Harmless(s)), `$1\.`)
}
