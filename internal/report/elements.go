package report

import (
	"bytes"
	"html/template"
	"io"

	"simsearch/internal/show"
)

// A Paragraph is a text of a class, which is "", or "verdict", "notes", "notice" or "warning".
type Paragraph struct{ Class, Text string }

// Paragraphs returns a paragraph of a class for each text.
func Paragraphs(class string, texts ...string) (out []Element) {
	for _, text := range texts {
		out = append(out, Paragraph{class, text})
	}
	return out
}

// A Heading stands above elements of a part.
type Heading string

// Facts are names with values.
type Facts []Fact

// Figures are large numbers, each with a word on what it counts and a few more.
type Figures []Figure

// A Figure is one of Figures.
type Figure struct{ Value, Name, Text string }

// Shares are the parts of a whole, drawn as a bar.
type Shares []Share

// A Share is one of Shares. From and Width are in per cent of the whole.
type Share struct {
	Text, Class string
	From, Width float64
}

// Add appends a share of n of all, unless it is none. The class says its colour: "kept", "exact" or "near".
func (s Shares) Add(name, class string, n, all int) Shares {
	if n <= 0 {
		return s
	}
	from := 0.0
	if len(s) > 0 {
		from = s[len(s)-1].From + s[len(s)-1].Width
	}
	return append(s, Share{name + " " + Percent(n, all), class, from, 100 * share(n, all)})
}

// Folded has elements that are shown on demand.
type Folded struct {
	Summary string
	Body    []Element
}

// A Drawing is what draws itself as SVG, and escapes what it is given.
type Drawing interface{ Write(w io.Writer) error }

// A Plot is a drawing, or the same drawing for wide screens and for narrow ones.
type Plot struct {
	Title    string
	Drawings []Drawing
}

func drawing(d Drawing) (template.HTML, error) {
	var b bytes.Buffer
	err := d.Write(&b)
	return template.HTML(b.String()), err
}

// A Command is what is typed to repeat something.
type Command string

// Amount is a cell of a table: a number with a bar.
type Amount struct {
	N       int
	Of      int     // shown as "of 20", unless it is 0
	Percent string  // or ""
	Bar     float64 // its length in per cent, as Bar returns it
	Warn    bool    // the number is so large that a reader should look at it
}

// A Number is a cell that stands in a column of numbers.
type Number string

// A Name is a cell with the id of a document or the path of a file. It is the head of its row.
type Name string

// Members is a cell with a document of a group that stays, and others that are below it. It is the head of its row.
type Members struct {
	ID       string
	Others   []string
	More     int // that are not in Others
	Shared   []string
	Pictures []template.URL
}

// A Quote is a cell with a text of several lines, and where it is from.
type Quote struct{ Text, From string }

// content returns what stands in a cell. A string is escaped by the template.
func content(cell any) (any, error) {
	switch cell.(type) {
	case Amount, Members, Quote:
		return elements([]Element{cell})
	}
	return Cell(cell), nil
}

// cellClass returns the class of a cell.
func cellClass(cell any) string {
	switch cell.(type) {
	case string, Quote:
		return ""
	case Name, Members:
		return "id"
	case Amount:
		return "wide"
	}
	return "number"
}

// Head returns which cell of a row is its head.
func (t *Table) Head(row []any) int {
	for i, cell := range row {
		if cellClass(cell) == "id" {
			return i
		}
	}
	return 0
}

// IsChosen reports whether a row, counted from 0, is the one chosen.
func (t *Table) IsChosen(row int) bool { return row == t.Chosen-1 }

// ColumnClass returns the class of a column, which is that of its first cell.
func (t *Table) ColumnClass(column int) string {
	if len(t.Rows) == 0 || column >= len(t.Rows[0]) {
		return ""
	}
	if class := cellClass(t.Rows[0][column]); class != "id" {
		return class
	}
	return ""
}

// Current says which document of a group is the current one, and why.
type Current struct{ Way, ID, Value string }

// Documents are those of a group, as a list.
type Documents struct {
	List []Document
	More string // on documents that are not in List; or ""
}

// A Document is what is shown of a document beside the one that it is compared with.
type Document struct {
	ID, Nearness, Mark string
	Picture            template.URL // a small copy, or ""
	Title              string
	Changes            []show.Change
	Notes              []string
}
