package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A column is a value of a result with its JSON key, which is also its heading.
type column struct {
	key   string
	value any // string, int or float64
}

// rows prints results: tab-separated, aligned with a heading on a terminal, or as
// JSON objects.
type rows struct {
	w     *bufio.Writer
	json  bool
	table *tabwriter.Writer // on a terminal
	n     int
}

func (env *environment) newRows(asJSON bool) *rows {
	r := &rows{w: env.stdout, json: asJSON}
	if env.outIsTerminal && !asJSON {
		r.table = tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	}
	return r
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
		if _, err := io.WriteString(w, plain(c.value)); err != nil {
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
		value, err := json.Marshal(c.value)
		if err != nil {
			return err
		}
		line = fmt.Appendf(line, "%q:%s", c.key, value)
	}
	_, err := r.w.Write(append(line, '}', '\n'))
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

var escapes = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`)

// plain returns the text of a value: similarities with four decimals, and ids
// without the characters that would break a line or a column.
func plain(value any) string {
	switch v := value.(type) {
	case float64:
		return fmt.Sprintf("%.4f", v)
	case string:
		return escapes.Replace(v)
	default:
		return fmt.Sprint(v)
	}
}
