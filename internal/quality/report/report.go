// Package report makes the pages that commands write for people to read in a browser, by templates that share their
// style: plots, and texts side by side.
//
// A Report holds what was measured, as text, tables and plots, and writes it as text for a
// terminal, as Markdown, as such a page and as JSON. What is measured is the caller's business.
//
//	r := &report.Report{Version: 1, Title: "Recall"}
//	s := &report.Section{Name: "recall", Title: "Recall by distance"}
//	r.Sections = append(r.Sections, s)
//	t := s.AddTable("", "k", "recall")
//	t.Add(3, 0.87)
//	err := r.WriteBrief(os.Stdout, 0, "")
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
)

// A Report has a title, a verdict, facts, warnings and sections. Its JSON form is the file report.json.
type Report struct {
	Version  int        `json:"v"` // 1
	Title    string     `json:"title"`
	First    *Table     `json:"first,omitempty"`   // stands above all else; nil: none
	Verdict  *Verdict   `json:"verdict,omitempty"` // nil: none
	Facts    []Fact     `json:"facts"`             // what was measured, with which settings
	Warnings []string   `json:"warnings"`
	Sections []*Section `json:"sections"`
}

// A Fact is a name and a value. Facts stand above the sections.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Facts returns facts of names, each of which has its value behind it.
func Facts(pairs ...any) (facts []Fact) {
	for i := 0; i+1 < len(pairs); i += 2 {
		facts = append(facts, Fact{pairs[i].(string), fmt.Sprint(pairs[i+1])})
	}
	return facts
}

// A Verdict opens a report: what to do, and what comes of it.
type Verdict struct {
	Commands []string `json:"commands,omitempty"` // to be typed, a line each
	Text     []string `json:"text"`               // what they are, what they find, and what they get wrong
	Notes    []string `json:"notes,omitempty"`    // what the figures are of
}

// A Section is the outcome of one experiment: paragraphs, tables, plots and pairs of texts.
type Section struct {
	Name   string   `json:"name"` // of the experiment; begins the names of the files of plots
	Title  string   `json:"title"`
	Text   []string `json:"text"` // paragraphs: what is measured, and what follows
	Tables []*Table `json:"tables"`
	Plots  []*Plot  `json:"plots,omitempty"`
	// Examples come last.
	Examples []*Examples `json:"examples,omitempty"`

	// What a page has besides: how its head calls the section, if not by the title, and what comes last.
	Link string                  `json:"-"`
	Body HTML                    `json:"-"`
	more bool                    // all below the title is shown on demand
	Rest func(w io.Writer) error `json:"-"` // writes what is behind Body, or nil
}

// AddTable appends an empty table with the given columns to the section.
func (s *Section) AddTable(title string, columns ...string) *Table {
	t := NewTable(title, columns...)
	s.Tables = append(s.Tables, t)
	return t
}

// WriteHTML writes the report as one page with its plots in it. The page needs no network and runs no scripts.
// Sections behind the first table unfold.
func (r *Report) WriteHTML(w io.Writer) error {
	p := &Page{Command: "simsearch eval", Title: r.Title, Warnings: r.Warnings}
	answered := r.First != nil
	for _, s := range r.Sections {
		of := *s
		of.more = answered
		answered = answered || len(s.Tables) > 0
		p.Sections = append(p.Sections, &of)
	}
	if r.First != nil {
		p.Lead = r.First.HTML("results")
	}
	if v := r.Verdict; v != nil {
		var text Builder
		if len(v.Commands) > 0 {
			text.Add("<pre><code>%s</code></pre>\n", Each("%s\n", v.Commands))
		}
		text.Add(Each("<p>%s</p>\n", v.Text))
		text.Add(Each("<p class=\"notes\">%s</p>\n", v.Notes))
		p.Lead += H(`<section class="use" id="verdict" aria-label="What to use">
<h2>What to use</h2>
%s</section>
`, whole(text.HTML()))
	}
	var facts Builder
	for _, f := range r.Facts {
		facts.Add("<dt>%s</dt><dd>%s</dd>", f.Name, f.Value)
	}
	p.Lead += H("<dl>%s</dl>\n", facts.HTML())
	return p.Write(w)
}

// longTable is the most rows of one of several tables that is shown without being asked for. Longer ones unfold,
// and are whole in print. The only table of a section is always shown.
const longTable = 10

// markup returns the section up to its end, or to its Rest.
func (s *Section) markup() HTML {
	head := H("<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n", s.Name, s.Name, s.Name, s.Title)
	var b Builder
	b.Add("%s", whole(Each("<p>%s</p>\n", s.Text)))
	for _, p := range s.Plots {
		b.Add(p.HTML())
	}
	for _, t := range s.Tables {
		of := *t
		of.Title = cmp.Or(t.Title, s.Title)
		table := of.HTML("results")
		if len(s.Tables) > 1 && len(t.Rows) > longTable {
			table = Fold(false, fmt.Sprintf("%s: %d rows", of.Title, len(t.Rows)), table)
		}
		b.Add(table)
	}
	for _, e := range s.Examples {
		b.Add(e.HTML())
	}
	b.Add(s.Body)
	if s.more {
		return head + Fold(false, s.summary(), H("<div id=\"%s-more\">\n%s</div>\n", s.Name, b.HTML()))
	}
	return head + b.HTML()
}

// summary says what the section has.
func (s *Section) summary() string {
	pairs := 0
	for _, e := range s.Examples {
		pairs += len(e.Pairs)
	}
	parts := slices.DeleteFunc([]string{terminal.Plural(len(s.Plots), "plot"), terminal.Plural(len(s.Tables), "table"),
		terminal.Plural(pairs, "example")}, func(part string) bool { return strings.HasPrefix(part, "0 ") })
	return "Show " + cmp.Or(strings.Join(parts, ", "), "more")
}
