package service

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"simsearch/internal/files/syntax"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
)

// UnknownMember begins the message of an error of Decode about a member that the type does not have.
const UnknownMember = "unknown member "

// A decoder reads requests. It is strict: a member that the type does not have, a value of another type or out of its
// bounds, and text that is no UTF-8 are errors, and so is a member that is null. Otherwise it says of JSON what
// encoding/json and a validation by the schema say together, which is its reference in tests, but reads each byte
// once or twice and makes nothing but the values.
type decoder struct {
	unquote syntax.Unquoter
	line    int // of a batch, from 1; 0 for a body that is one value
}

// raw is the type of a member that is kept as it is written, whatever it is.
var raw = reflect.TypeFor[json.RawMessage]()

// shapes are those of types that have been asked for.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	s, ok := shapes.Load(t)
	if !ok {
		s, _ = shapes.LoadOrStore(t, makeShape(t))
	}
	return s.(*shape) //nolint:forcetypeassert // nothing else is stored
}

// wrong returns the error of a part of a request.
func (d *decoder) wrong(where, format string, values ...any) error {
	if d.line > 0 {
		where = strings.TrimSuffix(fmt.Sprintf("line %d: %s", d.line, where), ": ")
	}
	return Errorf(BadRequest, where, format, values...)
}

// decode reads a request from text into to, a pointer to a struct.
func (d *decoder) decode(text []byte, to reflect.Value, s *shape) error {
	if !utf8.Valid(text) {
		return d.wrong("", "the text is not UTF-8")
	}
	if err := syntax.ValidateJSON(text); err != nil {
		return d.wrong("", "%v", err)
	}
	if text = syntax.SkipSpace(text); text[0] != '{' {
		return d.wrong("", "want a JSON object, and this is a value of the kind %s", syntax.JSONKind(text))
	}
	return d.members(text, to, s, "")
}

// members sets the fields of a struct by the members of an object, which lies within others of these names. After an
// error, to has the members that could be read.
func (d *decoder) members(object []byte, to reflect.Value, s *shape, within string) (err error) {
	var seen uint64 // bits of the fields that are there
	for key, value := range syntax.Members(object) {
		name := d.unquote.Unquote(key)
		f := s.fields[string(name)]
		var wrong error
		switch {
		case f == nil:
			wrong = d.wrong(within+syntax.Shorten(name), "%s", s.unknown(name))
		case f.typ == raw:
			to.FieldByIndex(f.index).SetBytes(value)
		case value[0] == 'n':
			wrong = d.wrong(within+f.name, "is null: leave it out")
		default:
			seen |= f.bit
			wrong = d.value(value, to, f, within)
		}
		err = cmp.Or(err, wrong)
	}
	for _, f := range s.inOrder {
		if err == nil && !f.optional && seen&f.bit == 0 {
			err = d.wrong(within+f.name, "is missing")
		}
	}
	return err
}

// unknown says that there is no member of a name, and which may have been meant.
func (s *shape) unknown(name []byte) string {
	near := ints.Closest(string(name), slices.Sorted(maps.Keys(s.fields)))
	return fmt.Sprintf("%s%q", UnknownMember, syntax.Shorten(name)) + terminal.If(near != "", ": did you mean %q?", near)
}

// value sets a field of to.
func (d *decoder) value(value []byte, to reflect.Value, f *field, within string) error {
	where, v := within+f.name, to
	for _, i := range f.index { // not FieldByIndex, which is slower
		v = v.Field(i)
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(f.typ))
		v = v.Elem()
	}
	kind, want, number := syntax.JSONKind(value), "an object", 0.0
	is := kind == "object"
	switch f.typ.Kind() {
	case reflect.String:
		if want, is = "a string", kind == "string"; is {
			v.SetString(string(d.unquote.Unquote(value)))
		}
		if is && f.enum != nil && !slices.Contains(f.enum, v.String()) {
			return d.wrong(where, "want one of %s", strings.Join(f.enum, ", "))
		}
	case reflect.Bool:
		want, is = "true or false", kind == "true" || kind == "false"
		v.SetBool(kind == "true")
	case reflect.Int:
		n, ok := whole(value)
		want, is, number = "a whole number", ok && kind == "number", float64(n)
		v.SetInt(int64(n))
	case reflect.Float64:
		x, err := strconv.ParseFloat(string(value), 64)
		want, is, number = "a number", err == nil && kind == "number", x
		v.SetFloat(x)
	case reflect.Slice:
		return d.strings(value, v, where)
	case reflect.Struct:
		if is {
			return d.members(value, v, f.shape, where+".")
		}
	default: // fields
		if is {
			v.Set(reflect.ValueOf(d.free(value)))
		}
	}
	switch {
	case !is:
		return d.wrong(where, "want %s", want)
	case f.least != nil && number < *f.least:
		return d.wrong(where, "want %v or more", *f.least)
	case f.most != nil && number > *f.most:
		return d.wrong(where, "want %v or less", *f.most)
	}
	return nil
}

// whole returns a whole number, which may be written as 3.0 or 3e2, too.
func whole(value []byte) (n int, ok bool) {
	n, err := strconv.Atoi(string(value))
	if err == nil {
		return n, true
	}
	const most = 1 << 53 // up to which numbers are exact
	x, err := strconv.ParseFloat(string(value), 64)
	return int(x), err == nil && x == math.Trunc(x) && math.Abs(x) <= most
}

// strings sets v, a []string.
func (d *decoder) strings(value []byte, v reflect.Value, where string) error {
	if value[0] != '[' {
		return d.wrong(where, "want an array of strings")
	}
	all := []string{}
	for item := range syntax.Items(value) {
		if item[0] != '"' {
			return d.wrong(fmt.Sprintf("%s[%d]", where, len(all)), "want a string")
		}
		all = append(all, string(d.unquote.Unquote(item)))
	}
	v.Set(reflect.ValueOf(all))
	return nil
}

// free returns a value of any kind. Numbers are as they are written.
func (d *decoder) free(value []byte) any {
	switch value[0] {
	case '{':
		all := map[string]any{}
		for key, v := range syntax.Members(value) {
			name := string(d.unquote.Unquote(key))
			all[name] = d.free(v)
		}
		return all
	case '[':
		all := []any{}
		for v := range syntax.Items(value) {
			all = append(all, d.free(v))
		}
		return all
	case '"':
		return string(d.unquote.Unquote(value))
	case 't', 'f':
		return value[0] == 't'
	case 'n':
		return nil
	}
	return json.Number(value)
}

// decoders are used again.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// Decode reads a request of an operation. If lines, text has one on each line, of which there are mostInBatch at
// most; empty lines are passed over. Otherwise text is one request, and no text stands for an empty object.
func Decode[T any](text []byte, lines bool) ([]T, error) {
	d, _ := decoders.Get().(*decoder)
	defer decoders.Put(d)
	s := shapeOf(reflect.TypeFor[T]())
	if d.line = 0; !lines {
		if len(syntax.SkipSpace(text)) == 0 {
			text = []byte("{}")
		}
		all := make([]T, 1)
		return all, d.decode(text, reflect.ValueOf(&all[0]).Elem(), s)
	}
	n := min(1+bytes.Count(text, []byte("\n")), mostInBatch)
	all := make([]T, 0, n)
	for line := range bytes.Lines(text) {
		d.line++
		if len(syntax.SkipSpace(line)) == 0 {
			continue
		}
		if len(all) == mostInBatch {
			return nil, Errorf(TooLarge, fmt.Sprintf("line %d", d.line), "a batch has %d lines at most: send several", mostInBatch)
		}
		var one T
		all = append(all, one)
		if err := d.decode(bytes.TrimSuffix(line, []byte("\n")), reflect.ValueOf(&all[len(all)-1]).Elem(), s); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// DecodeLine reads line n of an input into to, a pointer to a struct. Members that are raw are parts of text. After
// an error, to has the members that could be read.
func DecodeLine[T any](text []byte, n int, to *T) error {
	d, _ := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.line = n
	return d.decode(text, reflect.ValueOf(to).Elem(), shapeOf(reflect.TypeFor[T]()))
}

// ReadLine appends the next line to dst. If it is longer than it may be, only its beginning is kept.
func ReadLine(r *bufio.Reader, dst []byte, longest int) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if keep := min(len(part), longest+1-len(dst)); keep > 0 { // one more for the end of the line
			dst = append(dst, part[:keep]...)
			part = part[keep:]
		}
		tooLong = tooLong || len(part) > 0
		if !errors.Is(err, bufio.ErrBufferFull) {
			return dst, tooLong, err
		}
	}
}
