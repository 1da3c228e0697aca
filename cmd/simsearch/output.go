package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"simsearch/internal/idtext"
)

// A column is a value of a result with its JSON key, which is also its heading.
type column struct {
	key   string
	value any // string, int or float64
}

// rows prints results: tab-separated, aligned with a heading on a terminal, or as
// JSON objects.
type rows struct {
	w       *bufio.Writer
	json    bool
	objects io.Writer         // for JSON
	ids     idtext.Place      // what columns are
	table   *tabwriter.Writer // on a terminal
	n       int
}

func (env *environment) newRows(asJSON bool) *rows {
	r := env.newList(asJSON)
	if env.outIsTerminal && !asJSON {
		r.table = tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	}
	return r
}

// newList returns rows that are never aligned and have no heading, which are data.
func (env *environment) newList(asJSON bool) *rows {
	return &rows{w: env.stdout, json: asJSON, objects: env.objects(), ids: env.idPlace()}
}

// screen is how many rows are aligned together on a terminal, so that a long list
// begins to appear before it is complete.
const screen = 500

// print prints one result.
func (r *rows) print(columns ...column) error {
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
				names[i] = strings.ToUpper(c.key)
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
		if _, err := io.WriteString(w, cell(c.value, r.ids)); err != nil {
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
func (r *rows) printJSON(columns []column) error {
	line := []byte{'{'}
	if r.n == 1 {
		line = append(line, `"v":1,`...)
	}
	for i, c := range columns {
		if i > 0 {
			line = append(line, ',')
		}
		if text, ok := c.value.(string); ok {
			c.value = idtext.String.Text(text)
		}
		value, err := json.Marshal(c.value)
		if err != nil {
			return err
		}
		line = fmt.Appendf(line, "%q:%s", c.key, value)
	}
	_, err := r.objects.Write(append(line, '}', '\n'))
	return err
}

// flush shows what has been printed so far.
func (r *rows) flush() error {
	if r.table != nil {
		if err := r.table.Flush(); err != nil {
			return err
		}
	}
	return r.w.Flush()
}

// end prints what is left and returns errNothing if there was no result.
func (r *rows) end() error {
	if r.table != nil {
		if err := r.table.Flush(); err != nil {
			return err
		}
	}
	if r.n == 0 {
		return errNothing
	}
	return nil
}

// plain returns the text of a value for people, wherever it is printed.
func plain(value any) string { return cell(value, idtext.Terminal) }

// cell returns the text of a value in a place: similarities with four decimals, and ids as package
// idtext writes them there.
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
