package decontaminate

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

//go:embed page.html.tmpl
var pageSource string

var pages = report.Templates(pageSource, template.FuncMap{
	"first": func(list any) any { return report.Elements(list, 0, mostRows) },
	"share": func(x float64) string { return report.Percent(int(x*1e4), 1e4) },
	"size":  terminal.Bytes,
})

// mostRows is how many benchmarks, items and sources a page shows of each.
const mostRows = 100

// WriteHTML writes the report as one page that needs no other file and no network. It shows at most 100 benchmarks, items and sources.
func (r *Report) WriteHTML(w io.Writer) error {
	r = report.Harmless(r)
	return pages().ExecuteTemplate(w, "decontaminate", &report.Page{
		Command: "simsearch decontaminate", Title: r.title(), Foot: "report.json has these figures for programs, and hits.jsonl all that is found.", Script: true, Of: r,
	})
}

// title returns the title of the page.
func (r *Report) title() string {
	all := terminal.Plural(r.Judged(), "test item")
	if r.Found == 0 {
		return fmt.Sprintf("None of %s found", all)
	}
	return fmt.Sprintf("%s of %s found", terminal.Thousands(r.Found), all)
}

// Least returns the share from which on an item counts as found.
func (r *Report) Least() string { return fmt.Sprint(math.Round(1e4*r.MinShare)/100, " %") }

// Part returns how many of the found items have less than half of each field in one document.
func (c *Counts) Part() int { return c.Found - c.Half }

// Most returns how many of the found items have half of a field or more, but no whole one, in one document.
func (c *Counts) Most() int { return c.Half - c.Whole }

// PartOrMost returns how many of the found items have no whole field in one document.
func (c *Counts) PartOrMost() int { return c.Found - c.Whole }

// Clean returns how many items are judged and not found.
func (c *Counts) Clean() int { return c.Judged() - c.Found }

// Examples are the items that are shown with their texts.
func (r *Report) Examples() (list []Item) {
	for _, is := range r.Best {
		if is.Shown != nil {
			list = append(list, is)
		}
	}
	return list
}
