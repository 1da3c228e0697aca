package terminal

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

// screen is how many rows and lines below them are laid out together. So a long list begins to appear
// before it is complete.
const screen = 500

const (
	gap     = 2 // columns of a terminal between those of a table
	leastID = 8 // columns of an id, however narrow the terminal is
)

// A table is rows laid out for a terminal, a screen at a time. Values come first, in their order, and ids last. Ids
// that are too long for a row lose their middle. All rows have the same columns.
type table struct {
	w       *bufio.Writer // keeps an error until it is flushed
	columns int           // of the terminal; 0 if not known
	rows    []row         // not printed yet
	lines   int           // of these rows
	keys    []string      // of the columns, in upper case, once there is a row
	headed  bool          // the heading is printed
	values  int           // how many columns are values and no ids
}

// A row has the text of each column, and lines below it.
type row struct{ cells, lines []string }

// add adds a row with lines below it.
func (t *table) add(columns []Column, lines []string) error {
	isID := func(c Column) bool { _, ok := c.Value.(ID); return ok }
	first := t.keys == nil
	r := row{lines: lines}
	for _, ids := range []bool{false, true} {
		for _, c := range columns {
			if isID(c) == ids {
				r.cells = append(r.cells, cell(c.Value, Terminal))
				if first {
					t.keys = append(t.keys, strings.ToUpper(c.Key))
				}
			}
		}
		if !ids {
			t.values = len(r.cells)
		}
	}
	t.rows = append(t.rows, r)
	if t.lines += 1 + len(lines); t.lines >= screen {
		return t.flush()
	}
	return nil
}

// flush prints the rows that are held. t may be nil.
func (t *table) flush() error {
	if t == nil || len(t.rows) == 0 {
		return nil
	}
	rows := t.rows
	t.rows, t.lines = nil, 0
	widths := t.widths(rows)
	if !t.headed {
		t.headed = true
		t.print(t.keys, widths)
	}
	for _, r := range rows {
		t.print(r.cells, widths)
		for _, line := range r.lines {
			fmt.Fprintln(t.w, line)
		}
	}
	_, err := t.w.WriteString("") // the first error of all
	return err
}

// widths returns how many columns of the terminal each column of the table takes.
func (t *table) widths(rows []row) []int {
	widths := make([]int, len(t.keys))
	for i, key := range t.keys {
		widths[i] = len(key)
		for _, r := range rows {
			widths[i] = max(widths[i], Columns(r.cells[i]))
		}
	}
	if t.columns == 0 {
		return widths
	}
	left := t.columns - gap*(len(widths)-1)
	for _, w := range widths[:t.values] {
		left -= w
	}
	share(widths[t.values:], left)
	return widths
}

// share makes the widest ones narrower until all together have no more than the given width.
func share(widths []int, all int) {
	order := slices.Clone(widths)
	slices.Sort(order)
	for i, w := range order {
		if most := all / (len(order) - i); w > most {
			for j := range widths {
				widths[j] = min(widths[j], max(most, leastID))
			}
			return
		}
		all -= w
	}
}

// print prints the cells of a row: values to the right of their columns, ids to the left.
func (t *table) print(cells []string, widths []int) {
	var line strings.Builder
	for i, c := range cells {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		if i >= t.values {
			c = Shorten(c, widths[i])
		}
		pad := strings.Repeat(" ", max(0, widths[i]-Columns(c)))
		switch {
		case i < t.values:
			line.WriteString(pad + c)
		case i < len(cells)-1:
			line.WriteString(c + pad)
		default:
			line.WriteString(c)
		}
	}
	fmt.Fprintln(t.w, line.String())
}
