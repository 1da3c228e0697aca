package report

import (
	"math"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"simsearch/internal/terminal"
)

// Harmless returns a copy of v, which is made of structs, lists and pointers, whose strings are as terminal.Harmless returns them. The
// strings of fields with the tag text:"lines" keep lines and tabs. A list of bytes is no string.
func Harmless[T any](v T) T { return copyOf(v, copier{do: terminal.Harmless, lines: HarmlessText}) }

// Filled returns a copy of v, as Harmless does, in which do has changed each string. A list that is nil in v is empty in the copy.
func Filled[T any](v T, do func(string) string) T {
	return copyOf(v, copier{do: do, lines: do, lists: true})
}

func copyOf[T any](v T, c copier) T { return c.copy(reflect.ValueOf(&v).Elem()).Interface().(T) }

type copier struct {
	do, lines func(string) string // of most strings, and of those that have lines
	lists     bool                // none is nil
	finite    bool                // a cell that is NaN or infinite is nil
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
			of := c
			if v.Type().Field(i).Tag.Get("text") == "lines" {
				of.do = c.lines
			}
			if out.Field(i).CanSet() {
				out.Field(i).Set(of.copy(v.Field(i)))
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

// HarmlessText is like terminal.Harmless, but keeps lines and tabs.
func HarmlessText(text string) string {
	return inLine().ReplaceAllStringFunc(lineEnds.Replace(text), terminal.Harmless)
}
