package report

import (
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"

	"simsearch/internal/explain"
)

//go:embed text.txt.tmpl
var textSource string

var texts = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{
		"aligned": aligned, "cell": Cell, "change": change, "md": escapeMarkdown, "escaped": escapedChange, "wrapped": wrapped,
		"underline": func(title string) string { return strings.Repeat("=", len([]rune(title))) },
	}
	return template.Must(template.New("").Funcs(functions).Parse(textSource))
})

// WriteText writes the report for a terminal: the verdict, facts, warnings, aligned tables and pairs of texts. It leaves out plots, and
// the paragraphs of sections without ShowText.
func (r *Report) WriteText(w io.Writer) error { return texts().ExecuteTemplate(w, "text", Harmless(r)) }

// WriteBrief writes the verdict, facts and warnings, and as much of the tables as goes into so many lines. If that is not all, the last
// line says so, and where the rest is.
func (r *Report) WriteBrief(w io.Writer, most int, rest string) error {
	var b strings.Builder
	if err := texts().ExecuteTemplate(&b, "brief", Harmless(r)); err != nil {
		return err
	}
	lines := strings.SplitAfter(strings.TrimRight(b.String(), "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	whole := len(lines) < most
	for _, s := range r.Sections {
		whole = whole && len(s.Plots)+len(s.Examples)+len(s.Text) == 0
	}
	if !whole {
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
	return texts().ExecuteTemplate(w, "markdown", map[string]any{"Heading": strings.Repeat("#", level), "Of": Harmless(r), "Plot": plot})
}

// FactRows returns the facts as rows of a table.
func (r *Report) FactRows() (rows [][]any) {
	for _, f := range r.Facts {
		rows = append(rows, []any{f.Name, f.Value})
	}
	return rows
}

// WithHeadings returns the rows of the table, below one with the names of its columns.
func (t *Table) WithHeadings() [][]any {
	var headings []any
	for _, c := range t.Columns {
		headings = append(headings, c)
	}
	return append([][]any{headings}, t.Rows...)
}

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

// change returns a change on one line, with signs around what one of the texts has.
func change(c explain.Change, beforeA, behindA, beforeB, behindB string) string {
	words := []string{c.Before}
	if c.A != "" {
		words = append(words, beforeA+c.A+behindA)
	}
	if c.B != "" {
		words = append(words, beforeB+c.B+behindB)
	}
	return strings.Join(strings.Fields(strings.Join(append(words, c.After), " ")), " ")
}

func escapedChange(c explain.Change) explain.Change {
	return explain.Change{Before: escapeMarkdown(c.Before), A: escapeMarkdown(c.A), B: escapeMarkdown(c.B), After: escapeMarkdown(c.After)}
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
