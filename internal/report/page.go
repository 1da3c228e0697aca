package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// A Page is what commands write for people to read in a browser. It needs no other file and no network. Its strings are
// shown as they are, without control characters: nothing in them is markup.
type Page struct {
	Command  string // that writes the page, such as "simsearch dedup"
	Title    string
	Opening  []Element // what stands below the title
	Parts    []*Part
	Foot     string // or ""
	Pictures bool   // the page shows pictures, which are inside it
	Script   bool   // the page runs its script, which Pairs and Command need
}

// A Part is a section of a page.
type Part struct {
	ID    string // in links to it
	Link  string // what a link to it says; "": the title
	Title string
	Body  []Element
}

// Add appends elements.
func (p *Part) Add(elements ...Element) { p.Body = append(p.Body, elements...) }

// An Element is one of the types in elements.go, or a *Table, *Verdict or *Examples. The template of its name draws it.
type Element any

var (
	//go:embed page.html.tmpl
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	pages *template.Template
)

// init makes the templates, one of which calls the others by the types of elements.
func init() {
	pages = template.Must(template.New("").Funcs(template.FuncMap{
		"head": (*Page).head, "script": func() template.HTML { return template.HTML("<script>\n" + pageScript + "</script>") },
		"elements": elements, "content": content, "class": cellClass, "cell": Cell, "drawing": drawing, "verdictTitle": func() string { return verdictTitle },
	}).Parse(pageSource))
}

// Write writes the page. The error is that of w.
func (p *Page) Write(w io.Writer) error { return pages.ExecuteTemplate(w, "page", p) }

// Begin writes the page without its end, so that parts can follow.
func (p *Page) Begin(w io.Writer) error { return pages.ExecuteTemplate(w, "begin", p) }

// Write writes the part.
func (p *Part) Write(w io.Writer) error { return pages.ExecuteTemplate(w, "part", p) }

// elements draws elements, one after another.
func elements(list []Element) (template.HTML, error) {
	var b strings.Builder
	for _, e := range list {
		if err := pages.ExecuteTemplate(&b, fmt.Sprintf("%T", e), e); err != nil {
			return "", err
		}
	}
	return template.HTML(b.String()), nil // which the template has escaped
}

// directions keeps texts from outside apart from what stands beside them, and gives each paragraph the direction of its first
// letter. So a text in Arabic or Hebrew does not rearrange the numbers and words around it.
const directions = `bdi,code,del,ins{unicode-bidi:isolate}p,li,dd,td,th,summary,h1,h2,h3,h4,caption,.row>div{unicode-bidi:plaintext}
`

// head returns the beginning of the page, until its body begins. The page may load nothing and send nothing.
func (p *Page) head() template.HTML {
	policy := []string{"default-src 'none'", "style-src 'unsafe-inline'"}
	if p.Script {
		sum := sha256.Sum256([]byte("\n" + pageScript))
		policy = append(policy, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	if p.Pictures {
		policy = append(policy, "img-src data:")
	}
	policy = append(policy, "base-uri 'none'", "form-action 'none'")
	return template.HTML(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="` + strings.Join(policy, "; ") + `">
<meta name="color-scheme" content="light dark">
<title>` + template.HTMLEscapeString(p.Title+" – "+p.Command) + `</title>
<style>
` + directions + pageStyle + `</style>
</head>
<body>
`)
}
