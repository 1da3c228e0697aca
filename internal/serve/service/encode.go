package service

import (
	"encoding/json"
	"maps"
	"math"
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

// Append appends v as JSON in which <, > and & are as they are.
func Append(dst []byte, v any) ([]byte, error) {
	if a, ok := v.(*NearAnswer); ok {
		return appendNear(dst, a), nil
	}
	a := appender{dst}
	e := json.NewEncoder(&a)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return dst, err
	}
	return a.to[:len(a.to)-1], nil // without the line end
}

// appendNear appends what package json does, in a third of the time or less: an answer to a query is the most frequent one.
func appendNear(dst []byte, a *NearAnswer) []byte {
	dst = append(dst, `{"matches":[`...)
	for i := range a.Matches {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMatch(dst, &a.Matches[i])
	}
	dst = strconv.AppendInt(append(dst, `],"total":`...), int64(a.Total), 10)
	if a.Nearest != nil {
		dst = appendMatch(append(dst, `,"nearest":`...), a.Nearest)
	}
	if a.Empty {
		dst = append(dst, `,"empty":true`...)
	}
	return append(dst, '}')
}

func appendMatch(dst []byte, m *Match) []byte {
	dst = appendString(append(dst, `{"id":`...), m.ID)
	dst = appendShare(dst, `,"jaccard":`, m.Jaccard)
	if m.Distance != nil {
		dst = strconv.AppendInt(append(dst, `,"distance":`...), int64(*m.Distance), 10)
	}
	dst = appendShare(dst, `,"copy":`, m.Copy)
	dst = appendShare(dst, `,"contained":`, m.Contained)
	if len(m.Fields) > 0 {
		dst = append(dst, `,"fields":`...)
		before := byte('{')
		for _, name := range slices.Sorted(maps.Keys(m.Fields)) {
			dst = append(appendString(append(dst, before), name), ':')
			dst = appendString(dst, m.Fields[name])
			before = ','
		}
		dst = append(dst, '}')
	}
	if m.Text != "" {
		dst = appendString(append(dst, `,"text":`...), m.Text)
	}
	dst = appendShare(dst, `,"query_share":`, m.QueryShare)
	dst = appendShare(dst, `,"document_share":`, m.DocumentShare)
	if len(m.Passages) > 0 {
		dst, _ = Append(append(dst, `,"passages":`...), m.Passages) // integers cannot fail
	}
	return append(dst, '}')
}

// appendShare appends a number, if there is one, behind its name.
func appendShare(dst []byte, name string, x *float64) []byte {
	if x == nil {
		return dst
	}
	dst = append(dst, name...)
	if a := math.Abs(*x); a == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, *x, 'f', -1, 64)
	}
	number, err := json.Marshal(*x)
	if err != nil { // not a number, which is no share
		return append(dst, "null"...)
	}
	return append(dst, number...)
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
