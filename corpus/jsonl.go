package corpus

import (
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fastjson"
)

const (
	defaultIDField   = "id"
	defaultTextField = "text"
)

// A jsonSource is a file with a JSON object a line.
type jsonSource struct {
	lineSource
	parser fastjson.Parser
}

func (j *jsonSource) next(doc *Document) error {
	line, err := j.readRecord()
	if err != nil {
		return err
	}
	// The parser forgives what is no JSON, such as control characters in strings;
	// a record others refuse must not enter an index unnoticed.
	if err := fastjson.ValidateBytes(line); err != nil {
		return bad(j.path, j.line, notJSON(err))
	}
	record, err := j.parser.ParseBytes(line)
	if err != nil {
		return bad(j.path, j.line, notJSON(err))
	}
	if record.Type() != fastjson.TypeObject {
		return bad(j.path, j.line, fmt.Errorf("a JSON %v, want an object", record.Type()))
	}
	text := field(record, j.r.o.TextField)
	if text == nil {
		return j.missing(record, j.r.o.TextField, "--text-field")
	}
	if text.Type() != fastjson.TypeString {
		return bad(j.path, j.line, fmt.Errorf("field %q is a %v, want a string", j.r.o.TextField, text.Type()))
	}
	id, err := j.id(doc.ID, record)
	if err != nil {
		return err
	}
	*doc = Document{ID: id, Text: text.GetStringBytes(), Line: j.line}
	return nil
}

// id writes the id of a record over buf.
func (j *jsonSource) id(buf []byte, record *fastjson.Value) ([]byte, error) {
	name := j.r.o.IDField
	if name == "" {
		name = defaultIDField
	}
	v := field(record, name)
	switch {
	case v == nil && j.r.o.IDField == "":
		return j.place(buf), nil
	case v == nil:
		return nil, j.missing(record, name, "--id-field")
	case v.Type() == fastjson.TypeString && len(v.GetStringBytes()) > 0:
		return append(buf[:0], v.GetStringBytes()...), nil
	case v.Type() == fastjson.TypeNumber:
		return v.MarshalTo(buf[:0]), nil
	default:
		return nil, bad(j.path, j.line, fmt.Errorf("field %q is %s, want a string or a number", name, shorten(v.String())))
	}
}

// missing reports a field that a record lacks: a bad record, or a wrong name if
// no record has been read before.
func (j *jsonSource) missing(record *fastjson.Value, name, flag string) error {
	if j.r.read || j.r.o.Lenient {
		return bad(j.path, j.line, fmt.Errorf("no field %q", name))
	}
	var names []string
	record.GetObject().Visit(func(key []byte, _ *fastjson.Value) { names = append(names, string(key)) })
	if len(names) == 0 {
		return bad(j.path, j.line, errors.New("an object without fields"))
	}
	return &FieldError{Path: j.path, Line: j.line, Field: name, Flag: flag, Fields: names}
}

// field returns the member called name, dots reaching into nested objects; a member
// whose own name has dots goes first. It returns nil if there is none.
func field(v *fastjson.Value, name string) *fastjson.Value {
	if m := v.Get(name); m != nil {
		return m
	}
	if !strings.Contains(name, ".") {
		return nil
	}
	return v.Get(strings.Split(name, ".")...)
}

// notJSON keeps what the parser says is wrong and leaves out the rest of the line,
// which it quotes, too.
func notJSON(err error) error {
	what, _, _ := strings.Cut(err.Error(), "; unparsed tail")
	return fmt.Errorf("not JSON: %s", shorten(strings.TrimPrefix(what, "cannot parse JSON: ")))
}

// shorten keeps an error message on one line of reasonable length.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "") + "…"
	}
	return s
}
