package dedupreport

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"

	"simsearch/internal/page"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

var (
	//go:embed page.html.tmpl
	whole string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"head": func(title string, pictured bool) template.HTML {
		return page.Head{Title: title + " – simsearch dedup", Style: style, Script: script, Pictures: pictured}.HTML()
	},
	"script": func() template.HTML { return page.Script(script) },
	"groups": func(w wording, groups []groupView) any {
		return struct {
			Words  wording
			Groups []groupView
		}{w, groups}
	},
	"thousands": terminal.Thousands,
	"plural":    terminal.Plural,
	"plot": func(p *svg.Bars) (template.HTML, error) {
		var b bytes.Buffer
		err := p.Write(&b)
		return template.HTML(b.String()), err // svg escapes what it is given
	},
}).Parse(whole))

// WriteHTML writes the report as one page that needs no other file and no network. It shows at most 100
// sources, groups and pairs. What ids and texts have of markup and control characters is shown and has no
// effect. The error is that of w.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, r.harmless().view())
}
