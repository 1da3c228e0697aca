package rewrite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"simsearch/internal/files/columns"
	"simsearch/internal/ground/terminal"
)

// fieldOf returns the number of the field of a name, or -1.
func (w *rewriting) fieldOf(name string) int {
	return slices.IndexFunc(w.o.Fields, func(f columns.NewColumn) bool { return f.Name == name })
}

// appendValue appends the text of a value to dst, as a cell of a table has it: nothing for nil.
func appendValue(dst []byte, v any) []byte {
	if v == nil {
		return dst
	}
	return fmt.Append(dst, v)
}

// appendJSON appends a value to dst as JSON, which has no number for infinity. Bytes that are not UTF-8 are escaped as
// terminal.String escapes them.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(dst, terminal.String.AppendText(nil, []byte(v)))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(dst, "null"...)
		}
	case nil:
		return append(dst, "null"...)
	}
	return appendValue(dst, v)
}

// appendString appends text to dst as a string of JSON. Bytes that are not UTF-8 become U+FFFD.
func appendString(dst, text []byte) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(text)) // a string has no errors
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
