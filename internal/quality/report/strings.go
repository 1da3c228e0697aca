package report

import (
	"reflect"
	"strings"

	"simsearch/internal/ground/terminal"
)

// Filled returns a copy of v, which is made of structs, lists and pointers, in which do has changed each string. A list
// that is nil in v is empty in the copy, and a cell that is NaN or infinite is nil. A list of bytes is no string.
func Filled[T any](v T, do func(string) string) T {
	return copyOf(reflect.ValueOf(&v).Elem(), do, true).Interface().(T)
}

// harmless is like Filled, but leaves lists nil, and has strings that are as terminal.Harmless returns them.
func (r *Report) harmless() *Report {
	return copyOf(reflect.ValueOf(r), terminal.Harmless, false).Interface().(*Report)
}

func copyOf(v reflect.Value, do func(string) string, lists bool) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(do(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(copyOf(v.Elem(), do, lists))
		}
	case reflect.Interface:
		if x, is := v.Interface().(float64); is && !finite(x) {
			out.SetZero()
		} else if !v.IsNil() {
			out.Set(copyOf(v.Elem(), do, lists))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(copyOf(v.Field(i), do, lists))
			}
		}
	case reflect.Slice:
		if v.IsNil() && !lists {
			break
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(copyOf(v.Index(i), do, lists))
		}
	}
	return out
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// harmlessText is like terminal.Harmless, but keeps lines and tabs.
func harmlessText(text string) string {
	var harmless strings.Builder
	text = lineEnds.Replace(text)
	for end := strings.IndexAny(text, "\n\t"); end >= 0; end = strings.IndexAny(text, "\n\t") {
		harmless.WriteString(terminal.Harmless(text[:end]) + text[end:end+1])
		text = text[end+1:]
	}
	return harmless.String() + terminal.Harmless(text)
}
