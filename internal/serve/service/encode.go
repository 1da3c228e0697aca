package service

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// An appender is what json.Encoder writes to.
type appender struct{ to []byte }

func (a *appender) Write(b []byte) (int, error) {
	a.to = append(a.to, b...)
	return len(b), nil
}

var nearShape = makeShape(reflect.TypeFor[NearAnswer]())

// Append appends v as JSON in which <, > and & are as they are.
func Append(dst []byte, v any) ([]byte, error) {
	if a, ok := v.(*NearAnswer); ok {
		return appendValue(dst, reflect.ValueOf(a).Elem(), nearShape), nil
	}
	a := appender{dst}
	e := json.NewEncoder(&a)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return dst, err
	}
	return a.to[:len(a.to)-1], nil // without the line end
}

// appendValue appends what package json does, in half of the time or less, of a value that cannot fail, with the
// shape of its structs: an answer to a query is the most frequent one.
func appendValue(dst []byte, v reflect.Value, s *shape) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		return appendValue(dst, v.Elem(), s)
	case reflect.String:
		return appendString(dst, v.String())
	case reflect.Int:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.Float64:
		if a := math.Abs(v.Float()); a == 0 || a >= 1e-6 && a < 1e21 {
			return strconv.AppendFloat(dst, v.Float(), 'f', -1, 64)
		}
	case reflect.Struct:
		dst = append(dst, '{')
		comma := 1 // is left out before the first
		for _, f := range s.inOrder {
			of := v.Field(f.index[0]) // of answers, no struct is in another one
			if f.optional && (of.IsZero() || (of.Kind() == reflect.Slice || of.Kind() == reflect.Map) && of.Len() == 0) {
				continue
			}
			dst = appendValue(append(dst, f.key[comma:]...), of, f.shape)
			comma = 0
		}
		return append(dst, '}')
	case reflect.Map:
		fields, before := v.Interface().(map[string]string), byte('{') //nolint:forcetypeassert // there is no other map
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			dst = append(appendString(append(dst, before), name), ':')
			dst, before = appendString(dst, fields[name]), ','
		}
		return append(dst, '}')
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.Index(i), s)
		}
		return append(dst, ']')
	}
	dst, _ = Append(dst, v.Interface()) // which is of strings and numbers
	return dst
}

// appendString appends a string in quotes. What is not plain is left to package json.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			dst, _ = Append(dst, s) // a string cannot fail
			return dst
		}
	}
	dst = append(append(dst, '"'), s...)
	return append(dst, '"')
}
