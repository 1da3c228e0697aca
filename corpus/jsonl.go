package corpus

import (
	"errors"
	"fmt"

	"simsearch/document"
)

const (
	defaultIDField   = "id"
	defaultTextField = "text"
)

// A jsonSource is a file with one JSON object a line.
type jsonSource struct {
	lineSource
	unquoter
	guessed bool // the format follows from the content
}

func (j *jsonSource) next(doc *document.Document) error {
	line, err := j.readRecord()
	if err != nil {
		return err
	}
	return j.record(doc, line)
}

// record fills doc with a record, which must not be empty.
func (j *jsonSource) record(doc *document.Document, line []byte) error {
	// A record that other parsers refuse must not enter an index unnoticed.
	if err := validate(line); err != nil {
		return bad(j.path, j.line, err)
	}
	record := skipSpace(line)
	if record[0] != '{' {
		return bad(j.path, j.line, fmt.Errorf("a JSON %s, want an object", kindOf(record)))
	}
	text := j.field(record, j.r.o.TextField)
	if text == nil {
		return j.missing(record, j.r.o.TextField, "TextField")
	}
	if text[0] != '"' {
		return bad(j.path, j.line, fmt.Errorf("field %q is a %s, want a string", j.r.o.TextField, kindOf(text)))
	}
	id, err := j.id(doc.ID, record)
	if err != nil {
		return err
	}
	*doc = document.Document{ID: id, Text: j.unquote(text), Line: j.line}
	return nil
}

// id writes the id of a record over buf.
func (j *jsonSource) id(buf []byte, record []byte) ([]byte, error) {
	name := j.r.o.IDField
	if name == "" {
		name = defaultIDField
	}
	v := j.field(record, name)
	switch {
	case v == nil && j.r.o.IDField == "":
		return j.place(buf), nil
	case v == nil:
		return nil, j.missing(record, name, "IDField")
	case v[0] == '"' && len(v) > len(`""`):
		return append(buf[:0], j.unquote(v)...), nil
	case kindOf(v) == "number":
		return append(buf[:0], v...), nil
	default:
		return nil, bad(j.path, j.line, fmt.Errorf("field %q is %s, want a string or a number", name, shorten(v)))
	}
}

// missing returns the error for a field that a record lacks: a *FieldError if no record has been
// read before, since the name is then likely to be wrong, else a *BadError.
func (j *jsonSource) missing(record []byte, name, option string) error {
	if j.r.read || j.r.o.Lenient {
		return bad(j.path, j.line, fmt.Errorf("no field %q", name))
	}
	names := j.names(record)
	if len(names) == 0 {
		return bad(j.path, j.line, errors.New("an object without fields"))
	}
	return &FieldError{Path: j.path, Line: j.line, Field: name, Option: option, Fields: names, Guessed: j.guessed}
}
