package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"sync"

	"simsearch/internal/terminal"
)

// A Page is what commands write for people to read in a browser. It needs no other file and no network. Its strings are
// shown as they are, without control characters: nothing in them is markup.
type Page struct {
	Command  string // that writes the page, such as "simsearch dedup"
	Title    string
	Foot     string // or ""
	Pictures bool   // the page shows pictures, which are inside it
	Style    string // of this page, beside that of all; or ""
	Script   bool   // the page runs its script, which Pairs and a command to copy need
	More     string // of the script of this page, or ""
	Served   bool   // the page comes from a server, to which its forms send
	Of       any    // what the page is of
}

var (
	//go:embed page.html.tmpl
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// Templates returns templates for pages, in which source can call those of this package. They are made when they are first asked for.
func Templates(source string, functions template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		own := template.FuncMap{
			"head": (*Page).head, "script": func(p *Page) template.HTML { return template.HTML("<script>" + p.script() + "</script>") },
			"cell": Cell, "class": cellClass, "drawing": drawing,
			"plural": terminal.Plural, "percent": Percent, "bar": Bar, "verb": Verb, "is": is, "inTwo": inTwo, "shares": Shares,
			"share": func(x float64) string { return Percent(int(x*1e4+.5), 1e4) }, "part": placedPart, "panes": newPanes, "linked": linkTo,
		}
		t := template.Must(template.New("").Funcs(own).Parse(pageSource))
		return template.Must(t.Funcs(functions).Parse(source))
	})
}

var pages = Templates("", nil)

// A link is a text that may lead to another page.
type link struct{ Text, Link string }

func linkTo(text, to string) link { return link{text, to} }

// A Drawing is what draws itself as SVG, and escapes what it is given.
type Drawing interface{ Write(w io.Writer) error }

func drawing(d Drawing) (template.HTML, error) {
	var b bytes.Buffer
	err := d.Write(&b)
	return template.HTML(b.String()), err
}

// cellClass returns the class of a cell of a table.
func cellClass(cell any) string {
	if _, is := cell.(string); is {
		return ""
	}
	return "number"
}

// directions keeps texts from outside apart from what stands beside them, and gives each paragraph the direction of its first
// letter. So a text in Arabic or Hebrew does not rearrange the numbers and words around it.
const directions = `bdi,code,del,ins{unicode-bidi:isolate}p,li,dd,td,th,summary,h1,h2,h3,h4,caption,.row>div{unicode-bidi:plaintext}
`

func (p *Page) script() string { return "\n" + pageScript + p.More }

func (p *Page) style() string { return "\n" + directions + pageStyle + p.Style }

// hashOf returns the source of a policy that allows an element with this text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Policy returns what the page may load and send: nothing that is not in it, and forms to the server that it comes from.
func (p *Page) Policy() string {
	policy := []string{"default-src 'none'", "style-src " + hashOf(p.style()) + " " + hashOf(plotStyle)}
	if p.Script {
		policy = append(policy, "script-src "+hashOf(p.script()))
	}
	if p.Pictures {
		policy = append(policy, "img-src data:")
	}
	forms := "'none'"
	if p.Served {
		forms = "'self'"
	}
	return strings.Join(append(policy, "base-uri 'none'", "form-action "+forms), "; ")
}

// head returns the beginning of the page, until its body begins.
func (p *Page) head() template.HTML {
	return template.HTML(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="` + p.Policy() + `">
<meta name="color-scheme" content="light dark">
<title>` + template.HTMLEscapeString(p.Title+" – "+p.Command) + `</title>
<style>` + p.style() + `</style>
</head>
<body>
`)
}
