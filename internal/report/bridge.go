package report

import (
	_ "embed"
	"html/template"
	"sync"

	"simsearch/internal/terminal"
)

//go:embed page.html.tmpl
var pageSource string

// A Templated page is one that templates write.
type Templated struct {
	Page
	Of any // what the page is of
}

// Templates returns templates for pages, in which source can call those of this package. They are made when they are first asked for.
func Templates(source string, functions template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		own := template.FuncMap{
			"head":   func(p *Templated) template.HTML { return template.HTML(p.head()) },
			"script": func(p *Templated) template.HTML { return template.HTML("<script>" + p.script() + "</script>") },
			"markup": func(of interface{ HTML() HTML }) template.HTML { return template.HTML(of.HTML()) },
			"bars":   func(width float64) template.HTML { return template.HTML(bars(width, "")) },
			"cell":   Cell, "plural": terminal.Plural, "verb": Verb, "is": Is, "share": Share,
		}
		t := template.Must(template.New("").Funcs(own).Parse(pageSource))
		return template.Must(t.Funcs(functions).Parse(source))
	})
}
