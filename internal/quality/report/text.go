package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"simsearch/internal/quality/explain"
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
			say("%s", wrapped(text))
		}
		for _, note := range v.Notes {
			say("%s", wrapped("("+note+")"))
		}
		say("\n")
	}
	var facts [][]any
	for _, f := range r.Facts {
		facts = append(facts, []any{f.Name, f.Value})
	}
	say("%s", aligned(facts))
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

// wrapped returns a paragraph on lines that are indented.
func wrapped(text string) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		if n := len([]rune(word)); at == 0 || at+1+n > column {
			if at > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("  " + word)
			at = 2 + n
		} else {
			b.WriteString(" " + word)
			at += 1 + n
		}
	}
	return b.String() + "\n"
}

// WriteMarkdown writes the report as Markdown. The title is a heading of the given level, sections are
// headings of the next. plot returns the name of the file of plot i of section s, or "" to leave the
// plot out. All text of the report is escaped: none of it can be markup.
func (r *Report) WriteMarkdown(w io.Writer, level int, plot func(s *Section, i int) string) error {
	r = r.harmless()
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
func (b *markdown) table(t *Table) {
	if t.Title != "" {
		b.say("\n**%s**\n", t.Title)
	}
	b.WriteString("\n")
	for i, row := range t.withHeadings() {
		b.WriteString("|")
		for _, c := range row {
			b.say(" %s |", Cell(c))
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
}

// section appends what stands below the title of a section.
func (b *markdown) section(s *Section, plot func(s *Section, i int) string) {
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

// withHeadings returns the rows of the table, below one with the names of its columns.
func (t *Table) withHeadings() [][]any {
	var headings []any
	for _, c := range t.Columns {
		headings = append(headings, c)
	}
	return append([][]any{headings}, t.Rows...)
}

func (t *Table) aligned() string { return aligned(t.withHeadings()) }

// aligned returns rows with their cells below each other.
func aligned(rows [][]any) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, Cell(c))
		}
		fmt.Fprintf(t, "  %s\n", strings.Join(cells, "\t"))
	}
	_ = t.Flush() // a builder takes all
	return b.String()
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
	return bareAddress().ReplaceAllString(markdownEscapes.Replace(s), `$1\.`)
}
