package report

import (
	"math"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"simsearch/internal/terminal"
)

// Filled returns a copy of v, which is made of structs, lists and pointers, in which do has changed each string. A list that is nil in v
// is empty in the copy. A list of bytes is no string.
func Filled[T any](v T, do func(string) string) T { return copyOf(v, copier{do: do, lists: true}) }

// harmless returns a copy of the report whose strings are as terminal.Harmless returns them.
func (r *Report) harmless() *Report { return copyOf(r, copier{do: terminal.Harmless}) }

func copyOf[T any](v T, c copier) T { return c.copy(reflect.ValueOf(&v).Elem()).Interface().(T) }

type copier struct {
	do     func(string) string
	lists  bool // none is nil
	finite bool // a cell that is NaN or infinite is nil
}

func (c copier) copy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(c.do(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(c.copy(v.Elem()))
		}
	case reflect.Interface:
		if x, is := v.Interface().(float64); c.finite && is && (math.IsNaN(x) || math.IsInf(x, 0)) {
			out.SetZero()
		} else if !v.IsNil() {
			out.Set(c.copy(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(c.copy(v.Field(i)))
			}
		}
	case reflect.Slice:
		if v.IsNil() && !c.lists {
			break
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
	}
	return out
}

var (
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	inLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\n\t]+`) })
)

// harmlessText is like terminal.Harmless, but keeps lines and tabs.
func harmlessText(text string) string {
	return inLine().ReplaceAllStringFunc(lineEnds.Replace(text), terminal.Harmless)
}
