package rewrite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"simsearch/internal/idtext"
	"simsearch/internal/parquetfile"
)

// A Field is added to the documents of a file.
type Field struct {
	Name string
	Kind Kind
}

// A Kind is the type of the values of a field.
type Kind = parquetfile.Kind

// The kinds. Their values are of the types string, int64, float64 and bool.
const (
	String = parquetfile.String
	Int    = parquetfile.Int
	Float  = parquetfile.Float
	Bool   = parquetfile.Bool
)

// checkValues returns an error unless values are those of the fields.
func (w *rewriting) checkValues(values []any) error {
	if len(values) != len(w.o.Fields) {
		return fmt.Errorf("rewrite: %d values for %d fields", len(values), len(w.o.Fields))
	}
	for i, v := range values {
		var kind Kind
		switch v.(type) {
		case nil:
			continue
		case string:
			kind = String
		case int64:
			kind = Int
		case float64:
			kind = Float
		case bool:
			kind = Bool
		default:
			return fmt.Errorf("rewrite: a value of type %T", v)
		}
		if f := w.o.Fields[i]; f.Kind != kind {
			return fmt.Errorf("rewrite: a value of type %T for the field %q", v, f.Name)
		}
	}
	return nil
}

// appendValue appends the text of a value to dst, as a cell of a table has it: nothing for nil.
func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(dst, v...)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return dst
}

// appendJSON appends a value to dst as JSON, which has no number for infinity. Bytes that are not UTF-8 are escaped as
// idtext.String escapes them.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(dst, idtext.String.AppendText(nil, []byte(v)))
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
