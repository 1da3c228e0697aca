package corpus

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/document"
	"simsearch/internal/fingerprinttext"
	"simsearch/internal/jsontext"
)

const (
	defaultIDField   = "id"
	defaultTextField = "text"

	defaultUserField = "user" // of Options.Pairs
	defaultItemField = "item"
)

// A jsonSource is a file with one JSON object a line.
type jsonSource struct {
	lineSource
	texts   recordTexts
	others  jsontext.Unquoter // of what is not the text
	last    jsontext.Record   // that of the last document
	guessed bool              // the format follows from the content
}

func (r *Reader) newJSONSource(l lineSource, guessed bool) jsonSource {
	return jsonSource{lineSource: l, texts: r.recordTexts(), guessed: guessed}
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
	record := &j.last
	if err := parseObject(record, line); err != nil {
		return bad(j.path, j.line, err)
	}
	text, found, err := j.texts.text(record)
	if err != nil {
		return bad(j.path, j.line, err)
	}
	if !found {
		return j.withoutText(doc, record)
	}
	id, err := j.id(doc.ID, record)
	if err != nil {
		return err
	}
	*doc = document.Document{ID: id, Text: text, Line: j.line, Origin: j.origin()}
	return nil
}

// withoutText fills doc with a record that has no text, and may have a ready-made fingerprint.
func (j *jsonSource) withoutText(doc *document.Document, record *jsontext.Record) error {
	wanted := j.r.textFields
	if name := j.r.o.FingerprintField; name != "" {
		if v := record.Field(name); v != nil {
			return j.ready(doc, record, v)
		}
		wanted = append(slices.Clone(wanted), name)
	}
	return j.missing(record, wanted, "TextField")
}

// ready fills doc with a record whose fingerprint is the value v.
func (j *jsonSource) ready(doc *document.Document, record *jsontext.Record, v []byte) error {
	id, err := j.id(doc.ID, record)
	if err != nil {
		return err
	}
	var fp uint64
	switch jsontext.KindOf(v) {
	case "string":
		fp, _, err = fingerprinttext.Parse(j.others.Unquote(v), j.r.bits)
	case "number":
		// A number is decimal in JSON, whatever its length.
		var scratch [32]byte
		text := scratch[:0]
		if v[0] != '-' {
			text = append(text, '+')
		}
		fp, _, err = fingerprinttext.Parse(append(text, v...), j.r.bits)
	default:
		err = fmt.Errorf("field %q is %s, want a string or a number", j.r.o.FingerprintField, jsontext.Shorten(v))
	}
	if err != nil {
		return bad(j.path, j.line, err)
	}
	*doc = document.Document{ID: id, Fingerprint: fp, HasFingerprint: true, Line: j.line}
	return nil
}

// id writes the id of a record over buf.
func (j *jsonSource) id(buf []byte, record *jsontext.Record) ([]byte, error) {
	name := j.r.idField()
	v := record.Field(name)
	switch {
	case v == nil && j.r.o.IDField == "" && !j.r.o.Pairs:
		return j.place(buf), nil
	case v == nil:
		return nil, j.missing(record, []string{name}, "IDField")
	case v[0] == '"' && len(v) > len(`""`):
		return append(buf[:0], j.others.Unquote(v)...), nil
	case jsontext.KindOf(v) == "number":
		return append(buf[:0], v...), nil
	default:
		return nil, bad(j.path, j.line, fmt.Errorf("field %q is %s, want a string or a number", name, jsontext.Shorten(v)))
	}
}

// missing returns the error for a record that has none of some fields: a *FieldError if no record has been
// read before, since the name is then likely to be wrong, else a *BadError.
func (j *jsonSource) missing(record *jsontext.Record, wanted []string, option string) error {
	if j.r.read || j.r.o.Lenient {
		return bad(j.path, j.line, errors.New(noField(wanted)))
	}
	names := j.others.Names(record.Value())
	if len(names) == 0 {
		return bad(j.path, j.line, errors.New("an object without fields"))
	}
	return &FieldError{Path: j.path, Line: j.line, Field: strings.Join(wanted, ","), Option: option, Fields: names, Guessed: j.guessed}
}

// noField says that a record has none of some fields.
func noField(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return "no field " + strings.Join(quoted, " or ")
}
