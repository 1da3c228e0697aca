package terminal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A Column is a value of a result and its JSON key. The key is also the heading of the column.
type Column struct {
	Key   string
	Value any // ID, string, int, float64 or, in JSON alone, anything that has a JSON form
}

// Keyed returns columns of keys, each of which has its value behind it.
func Keyed(pairs ...any) (columns []Column) {
	for i := 0; i+1 < len(pairs); i += 2 {
		columns = append(columns, Column{pairs[i].(string), pairs[i+1]})
	}
	return columns
}

// An ID is a value that names a document.
type ID string

// Rows prints results as tab-separated values, as a table on a terminal, or as JSON objects. In a table,
// what says how near documents are comes first, and ids come last; see table.
type Rows struct {
	w       *bufio.Writer
	json    bool
	objects io.Writer // for JSON
	ids     Place     // the place of columns
	table   *table    // on a terminal
	n       int       // objects or rows
	nothing int       // those that are no results
}

// NewRows returns rows that are written to w. onTerminal says that w is a terminal, which has the given
// number of columns, or 0 if that is not known.
func NewRows(w *bufio.Writer, onTerminal bool, columns int, asJSON bool) *Rows {
	r := NewList(w, onTerminal, asJSON)
	if onTerminal && !asJSON {
		r.table = &table{w: w, columns: columns}
	}
	return r
}

// NewList returns rows of data. They are never aligned and have no heading.
func NewList(w *bufio.Writer, onTerminal, asJSON bool) *Rows {
	r := &Rows{w: w, json: asJSON, objects: Objects(w, onTerminal), ids: List}
	if onTerminal {
		r.ids = Terminal
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

// Print prints a result.
func (r *Rows) Print(columns ...Column) error { return r.PrintWith(nil, columns...) }

// PrintWith prints a result and some lines below it. JSON objects have no lines. The lines must not be
// able to control a terminal.
func (r *Rows) PrintWith(lines []string, columns ...Column) error {
	r.n++
	switch {
	case r.json:
		return r.printJSON(columns)
	case r.table != nil:
		return r.table.add(columns, lines)
	}
	for i, c := range columns {
		if i > 0 {
			_ = r.w.WriteByte('\t') // which keeps the error for the end
		}
		_, _ = r.w.WriteString(cell(c.Value, r.ids))
	}
	err := r.w.WriteByte('\n')
	for _, line := range lines {
		_, err = fmt.Fprintln(r.w, line)
	}
	return err
}

// printJSON prints an object with the keys in the order of the columns.
func (r *Rows) printJSON(columns Object) error {
	if r.n == 1 {
		columns = slices.Concat(Object{{"v", 1}}, columns)
	}
	line, err := columns.MarshalJSON()
	if err == nil {
		_, err = r.objects.Write(append(line, '\n'))
	}
	return err
}

// An Object is a JSON object with the keys in the order of its columns.
type Object []Column

// MarshalJSON returns the object. Texts are those of rows: what is no UTF-8 shows.
func (o Object) MarshalJSON() ([]byte, error) {
	object := []byte{'{'}
	for i, c := range o {
		if i > 0 {
			object = append(object, ',')
		}
		switch text := c.Value.(type) {
		case string:
			c.Value = String.Text(text)
		case ID:
			c.Value = String.Text(string(text))
		}
		value, err := json.Marshal(c.Value)
		if err != nil {
			return nil, err
		}
		object = fmt.Appendf(object, "%q:%s", c.Key, value)
	}
	return append(object, '}'), nil
}

// Flush shows the rows that have been printed so far.
func (r *Rows) Flush() error {
	if err := r.table.flush(); err != nil {
		return err
	}
	return r.w.Flush()
}

// End prints the remaining rows. found reports whether there was a result.
func (r *Rows) End() (found bool, err error) {
	err = r.table.flush()
	return err == nil && r.Count() > 0, err
}

// Plain returns the text of a value for people.
func Plain(value any) string { return cell(value, Terminal) }

// cell returns the text of a value in a place. Similarities have four decimals. Ids are written as
// package idtext writes them in p.
func cell(value any, p Place) string {
	switch v := value.(type) {
	case float64:
		return Similarity(v)
	case string:
		return p.Text(v)
	case ID:
		return p.Text(string(v))
	case int:
		return strconv.Itoa(v)
	default:
		return fmt.Sprint(v)
	}
}
