// Package report makes the pages that commands write for people to read in a browser, by templates that share their style:
// plots, and texts side by side.
//
// A Report holds what was measured, as text, tables and plots, and writes it as text for a
// terminal, as Markdown, as such a page and as JSON. What is measured is the caller's business.
//
//	r := &report.Report{Version: 1, Title: "Recall"}
//	s := &report.Section{Name: "recall", Title: "Recall by distance"}
//	r.Sections = append(r.Sections, s)
//	t := s.AddTable("", "k", "recall")
//	t.Add(3, 0.87)
//	err := r.WriteText(os.Stdout)
package report

import (
	"fmt"
	"math"
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

	// ShowText makes WriteText print Text, too.
	ShowText bool `json:"-"`
}

// A Table has cells of string, int and float64, and of types with a method String.
type Table struct {
	Title   string   `json:"title,omitempty"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// AddTable appends an empty table with the given columns to the section.
func (s *Section) AddTable(title string, columns ...string) *Table {
	t := &Table{Title: title, Columns: columns, Rows: [][]any{}}
	s.Tables = append(s.Tables, t)
	return t
}

// Add appends a row, a cell a column.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, cells) }

// Cell returns the text of a cell. An int has commas between thousands. A float64 has three significant digits, or all digits before the point if there
// are more, with commas between thousands; one that is nearly 0 is a number times a power of ten. NaN and infinity are
// a dash. Other values are as fmt.Sprint prints them.
func Cell(value any) string {
	if n, is := value.(int); is {
		return Commas(float64(n))
	}
	v, ok := value.(float64)
	size := math.Abs(v)
	switch {
	case !ok:
		return fmt.Sprint(value)
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v == math.Trunc(v) && size < 1000:
		return fmt.Sprintf("%.0f", v)
	case size >= 999.5:
		return Commas(v)
	case size < 1e-4:
		return Power(v)
	}
	return fmt.Sprintf("%.3g", v)
}

// Times returns how many times as much something is, such as "1,180 ×".
func Times(x float64) string {
	if x >= 100 {
		return Commas(x) + " ×"
	}
	return fmt.Sprintf("%.3g ×", x)
}
