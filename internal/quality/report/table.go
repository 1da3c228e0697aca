package report

import (
	"cmp"
	"fmt"
	"math"

	"simsearch/internal/ground/terminal"
)

// A Table has cells of string, int, float64 and, on pages, Styled, and of types with a method String.
type Table struct {
	Title   string   `json:"title,omitempty"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// NewTable returns a table without rows.
func NewTable(title string, columns ...string) *Table {
	return &Table{Title: title, Columns: columns, Rows: [][]any{}}
}

// Of returns the table of the first of so many things, of which report.json has all.
func (t *Table) Of(all int) HTML {
	return cmp.Or(If(all == 0, P("", "There are none.")), Goes(len(t.Rows), all, "report.json has")+t.InTwo("sources", 10, "row"))
}

// Add appends a row, a cell a column.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, cells) }

// A Styled is a cell of a class.
type Styled struct {
	Class string
	Of    HTML
}

// ID returns a cell with an id or a path.
func ID(id string) Styled { return Styled{"id", H("%s", Path(id))} }

// Number returns a cell with what stands below numbers.
func Number(text string) Styled { return Styled{"number", H("%s", text)} }

// Wide returns a cell with a bar, whose length is in per cent.
func Wide(markup HTML, bar float64) Styled { return Styled{"wide", markup + bars(bar, "")} }

// PartOf returns a cell with n of all. most marks it.
func PartOf(n, all int, most bool) Styled {
	class, sign := "", HTML("")
	if most {
		class, sign = " most", `<span aria-hidden="true">⚠ </span>`
	}
	return Styled{"wide", H(`<span class="percent%s">%s%s</span> %s%s%s`, class, sign, Percent(n, all), n,
		If(all > 0, H(` <span class="of">of %s</span>`, all)), bars(Bar(n, all), class))}
}

func bars(width float64, class string) HTML {
	return H(`<svg class="bar%s" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="%s"
height="10"/></svg>`,
		class, fmt.Sprintf("%.2f", width))
}

// cell returns a cell with its class as an attribute.
func cell(value any) (class, of HTML) {
	s, is := value.(Styled)
	if !is {
		s.Of = H("%s", value)
		if _, is := value.(string); !is {
			s.Class = "number"
		}
	}
	return If(s.Class != "", H(` class="%s"`, s.Class)), s.Of
}

// HTML returns the table, of a class. Columns are as their first cells are.
func (t *Table) HTML(class string) HTML {
	var head, rows Builder
	for i, name := range t.Columns {
		of := HTML("")
		if len(t.Rows) > 0 && i < len(t.Rows[0]) {
			of, _ = cell(t.Rows[0][i])
		}
		head.Add(`<th scope="col"%s>%s</th>`, If(of != ` class="id"`, of), name)
	}
	for _, row := range t.Rows {
		rows.Add("<tr>")
		for i, value := range row {
			if class, of := cell(value); i == 0 {
				rows.Add(`<th scope="row"%s>%s</th>`, class, of)
			} else {
				rows.Add("<td%s>%s</td>", class, of)
			}
		}
		rows.Add("</tr>\n")
	}
	return H(`<div class="scroll" tabindex="0" role="group" aria-label="%s"><table
class="%s"><caption><span>%s</span></caption>
<thead><tr>%s</tr></thead>
<tbody>
%s</tbody></table></div>
`, t.Title, class, t.Title, head.HTML(), rows.HTML())
}

// InTwo returns the table of which some rows are shown at once, and others on demand: more such things.
func (t *Table) InTwo(class string, shown int, thing string) HTML {
	if len(t.Rows) <= shown+1 {
		return t.HTML(class)
	}
	first, rest := *t, *t
	first.Rows, rest.Rows = t.Rows[:shown], t.Rows[shown:]
	return first.HTML(class) + Fold(false, terminal.Plural(len(rest.Rows), "more "+thing), rest.HTML(class))
}

// Cell returns the text of a cell. An int has commas between thousands. A float64 has three significant digits, or all
// digits before the point if there are more, with commas between thousands; one that is nearly 0 is a number times a
// power of ten. NaN, infinity and nil are a dash. Other values are as fmt.Sprint prints them.
func Cell(value any) string {
	if n, is := value.(int); is {
		return terminal.Thousands(n)
	}
	v, is := value.(float64)
	size := math.Abs(v)
	switch {
	case value == nil || !finite(v):
		return "–"
	case !is:
		return fmt.Sprint(value)
	case v == math.Trunc(v) && size < 1000:
		return fmt.Sprintf("%.0f", v)
	case size >= 999.5:
		return terminal.Thousands(int(math.RoundToEven(v)))
	case size < 1e-4:
		return power(v)
	}
	return fmt.Sprintf("%.3g", v)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
