package dedupreport

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

var (
	//go:embed page.html.tmpl
	page string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":  func() template.HTML { return template.HTML("<style>\n" + style + "</style>") },
	"script": func() template.HTML { return template.HTML("<script>\n" + script + "</script>") },
	// The browser runs the script with this checksum and no other.
	"checksum": func() string {
		sum := sha256.Sum256([]byte("\n" + script))
		return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	},
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
}).Parse(page))

// WriteHTML writes the report as one page that needs no other file and no network. It shows at most 100
// sources, groups and pairs. What ids and texts have of markup and control characters is shown and has no
// effect. The error is that of w.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, r.harmless().view())
}
