package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"

	"simsearch/internal/svg"
)

//go:embed report.html.tmpl
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"cell":         Cell,
	"verdictTitle": func() string { return verdictTitle },
	"isNumber": func(value any) bool {
		_, text := value.(string)
		return !text
	},
	"plot": func(p *svg.Plot) (template.HTML, error) {
		var b bytes.Buffer
		err := p.Write(&b)
		return template.HTML(b.String()), err // svg escapes what it is given
	},
}).Parse(page))

// WriteHTML writes the report as one page with its plots in it. The page needs no network and runs no
// scripts.
func (r *Report) WriteHTML(w io.Writer) error { return pageTemplate.Execute(w, r.harmless()) }
