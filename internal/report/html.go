package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"

	"simsearch/internal/page"
	"simsearch/internal/svg"
)

var (
	//go:embed report.html.tmpl
	whole string
	//go:embed report.css
	style string
)

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"head":         func(title string) template.HTML { return page.Head{Title: title, Style: style}.HTML() },
	"cell":         Cell,
	"verdictTitle": func() string { return verdictTitle },
	"long":         func(s *Section, t *Table) bool { return len(s.Tables) > 1 && len(t.Rows) > longTable },
	"tableName": func(s *Section, t *Table) string {
		if t.Title == "" {
			return s.Title
		}
		return t.Title
	},
	"isNumber": func(value any) bool {
		_, text := value.(string)
		return !text
	},
	"plot": func(p *svg.Plot) (template.HTML, error) {
		var b bytes.Buffer
		err := p.Write(&b)
		return template.HTML(b.String()), err // svg escapes what it is given
	},
}).Parse(whole))

// longTable is the most rows of one of several tables that is shown without being asked for. Longer ones unfold, and are whole
// in print. The only table of a section is always shown.
const longTable = 10

// WriteHTML writes the report as one page with its plots in it. The page needs no network and runs no
// scripts.
func (r *Report) WriteHTML(w io.Writer) error { return pageTemplate.Execute(w, r.harmless()) }
