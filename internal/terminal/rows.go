package terminal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"simsearch/internal/idtext"
)

// A Column is a value of a result and its JSON key. The key is also the heading of the column.
type Column struct {
	Key   string
	Value any // string, int or float64; nil, in JSON alone, for what there is not
}

// Rows prints results as tab-separated values, aligned with a heading on a terminal, or as JSON
// objects.
type Rows struct {
	w       *bufio.Writer
	json    bool
	objects io.Writer         // for JSON
	ids     idtext.Place      // the place of columns
	table   *tabwriter.Writer // on a terminal
	n       int               // objects or rows
	nothing int               // those that are no results
}

// NewRows returns rows that are written to w. onTerminal says that w is a terminal.
func NewRows(w *bufio.Writer, onTerminal, asJSON bool) *Rows {
	r := NewList(w, onTerminal, asJSON)
	if onTerminal && !asJSON {
		r.table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	}
	return r
}

// NewList returns rows of data. They are never aligned and have no heading.
func NewList(w *bufio.Writer, onTerminal, asJSON bool) *Rows {
	r := &Rows{w: w, json: asJSON, objects: Objects(w, onTerminal), ids: idtext.List}
	if onTerminal {
		r.ids = idtext.Terminal
	}
	return r
}

// Objects returns the writer for JSON.
func Objects(w io.Writer, onTerminal bool) io.Writer {
	if onTerminal {
		return JSON{w}
	}
	return w
}

// Count returns how many results have been printed.
func (r *Rows) Count() int { return r.n - r.nothing }

// JSON reports whether the results are printed as JSON objects.
func (r *Rows) JSON() bool { return r.json }

// Printed counts a result that the caller has printed.
func (r *Rows) Printed() { r.n++ }

// PrintNothing prints an object that stands for no result: End does not count it. Only JSON has room for
// such objects; otherwise nothing is printed.
func (r *Rows) PrintNothing(columns ...Column) error {
	if !r.json {
		return nil
	}
	r.n++
	r.nothing++
	return r.printJSON(columns)
}

// screen is how many rows are aligned together on a terminal. So a long list begins to appear
// before it is complete.
const screen = 500

// Print prints a result.
func (r *Rows) Print(columns ...Column) error {
	r.n++
	if r.json {
		return r.printJSON(columns)
	}
	var w io.Writer = r.w
	if r.table != nil {
		w = r.table
		if r.n == 1 {
			names := make([]string, len(columns))
			for i, c := range columns {
				names[i] = strings.ToUpper(c.Key)
			}
			fmt.Fprintln(w, strings.Join(names, "\t"))
		}
	}
	for i, c := range columns {
		if i > 0 {
			if _, err := io.WriteString(w, "\t"); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, cell(c.Value, r.ids)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	if r.table != nil && r.n%screen == 0 && err == nil {
		err = r.table.Flush()
	}
	return err
}

// printJSON prints an object with the keys in the order of the columns.
func (r *Rows) printJSON(columns []Column) error {
	line := []byte{'{'}
	if r.n == 1 {
		line = append(line, `"v":1,`...)
	}
	for i, c := range columns {
		if i > 0 {
			line = append(line, ',')
		}
		if text, ok := c.Value.(string); ok {
			c.Value = idtext.String.Text(text)
		}
		value, err := json.Marshal(c.Value)
		if err != nil {
			return err
		}
		line = fmt.Appendf(line, "%q:%s", c.Key, value)
	}
	_, err := r.objects.Write(append(line, '}', '\n'))
	return err
}

// Flush shows the rows that have been printed so far.
func (r *Rows) Flush() error {
	if r.table != nil {
		if err := r.table.Flush(); err != nil {
			return err
		}
	}
	return r.w.Flush()
}

// End prints the remaining rows. found reports whether there was a result.
func (r *Rows) End() (found bool, err error) {
	if r.table != nil {
		if err := r.table.Flush(); err != nil {
			return false, err
		}
	}
	return r.n > r.nothing, nil
}

// Plain returns the text of a value for people.
func Plain(value any) string { return cell(value, idtext.Terminal) }

// cell returns the text of a value in a place. Similarities have four decimals. Ids are written as
// package idtext writes them in p.
func cell(value any, p idtext.Place) string {
	switch v := value.(type) {
	case float64:
		return fmt.Sprintf("%.4f", v)
	case string:
		return p.Text(v)
	default:
		return fmt.Sprint(v)
	}
}
