package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/document"
	"simsearch/internal/jsontext"
	"simsearch/internal/stream"
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

var jsonlKind = kind{
	name: "jsonl", words: "JSON Lines", extensions: []string{".jsonl", ".ndjson"}, layout: InRecords, fields: anyField,
	looks: looksLikeJSON, open: openJSONL, reread: rereadPart(textOfRecord),
}

func openJSONL(l lineSource, guessed bool) (source, error) {
	return &jsonSource{lineSource: l, texts: newRecordTexts(l.r), guessed: guessed}, nil
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
	switch {
	case v[0] == '"':
		return j.givenFingerprint(doc, id, j.others.Unquote(v))
	case v[0] == '-':
		return j.givenFingerprint(doc, id, v)
	case jsontext.KindOf(v) == "number": // which is decimal in JSON, whatever its length
		return j.givenFingerprint(doc, id, append([]byte("+"), v...))
	}
	return bad(j.path, j.line, fmt.Errorf("field %q is %s, want a string or a number", j.r.o.FingerprintField, jsontext.Shorten(v)))
}

// id writes the id of a record over buf.
func (j *jsonSource) id(buf []byte, record *jsontext.Record) ([]byte, error) {
	name := j.r.o.idField()
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

// recordTexts finds the texts of JSON records.
type recordTexts struct {
	fields     []string
	limits     limits
	nullIsNone bool // a record whose text is null has none; else that is an error
	numbers    bool // a text may be a number
	jsontext.Unquoter
	joined []byte
}

func newRecordTexts(r *Reader) recordTexts {
	return recordTexts{fields: r.textFields, limits: r.limits, nullIsNone: r.o.FingerprintField != "", numbers: r.o.Pairs}
}

// parseObject sets record to the JSON object that is all of line, but for white space. line must have more
// than that.
func parseObject(record *jsontext.Record, line []byte) error {
	// A record that other parsers refuse must not enter an index unnoticed.
	if err := record.Parse(line); err != nil {
		return err
	}
	if value := record.Value(); value[0] != '{' {
		return fmt.Errorf("a JSON %s, want an object", jsontext.KindOf(value))
	}
	return nil
}

// text returns the text of a valid record. found is false if the record has none of the fields. The
// text is valid as long as the record, until the next call.
func (t *recordTexts) text(record *jsontext.Record) (text []byte, found bool, err error) {
	if len(t.fields) > 1 {
		return t.join(record)
	}
	value := record.Field(t.fields[0])
	switch {
	case value == nil, value[0] == 'n' && t.nullIsNone:
		return nil, false, nil
	case t.numbers && jsontext.KindOf(value) == "number":
		return value, true, nil
	case value[0] != '"':
		return nil, false, notText(t.fields[0], value)
	}
	return t.Unquote(value), true, nil
}

// join is text for several fields. A field that is null counts as missing.
func (t *recordTexts) join(record *jsontext.Record) (text []byte, found bool, err error) {
	joined := t.joined[:0]
	for _, name := range t.fields {
		value := record.Field(name)
		if value == nil || value[0] == 'n' {
			continue
		}
		if value[0] != '"' {
			return nil, false, notText(name, value)
		}
		if found {
			joined = append(joined, '\n')
		}
		joined, found = append(joined, t.Unquote(value)...), true
	}
	t.joined = joined
	if int64(len(joined)) > t.limits.document { // a field may be named twice
		return nil, false, t.limits.tooLong()
	}
	return joined, found, nil
}

// notText returns the error for a text field with a value that is no string.
func notText(name string, value []byte) error {
	return fmt.Errorf("field %q is a %s, want a string", name, jsontext.KindOf(value))
}

// textOfRecord returns the text of a JSON object.
func textOfRecord(r *Rereader, line []byte) ([]byte, error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, fmt.Errorf("%w: no record", ErrChanged)
	}
	if err := parseObject(&r.record, line); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	text, found, err := r.texts.text(&r.record)
	switch {
	case errors.Is(err, ErrTooLong):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	case !found:
		return nil, fmt.Errorf("%w: %s", ErrChanged, noField(r.texts.fields))
	}
	return text, nil
}

func (j *jsonSource) fieldNames() []string { return j.others.Names(j.last.Value()) }

// keptField returns a string as its text, and any other value as it stands. null is no value.
func (j *jsonSource) keptField(i int) (value []byte, ok bool) {
	v := j.last.Field(j.r.keep[i])
	switch {
	case v == nil, jsontext.KindOf(v) == "null":
		return nil, false
	case v[0] == '"':
		return j.others.Unquote(v), true
	}
	return v, true
}

// hasText reports whether the first record of a stream has one of the text fields. A record that is longer than
// the buffer has one if the buffer has the name of one, as of a field.
func hasText(textFields []string, s *stream.Stream, format Format) bool {
	head := s.Fill()
	full := len(head) == bufferSize
	head = jsontext.SkipSpace(head)
	if head[0] == '[' {
		head = jsontext.SkipSpace(head[1:])
	}
	var scan jsontext.Scanner
	n, ended := scan.Scan(head)
	if !ended {
		return full && slices.ContainsFunc(textFields, func(name string) bool { return namesField(head, name) })
	}
	record := head[:n]
	if n == 0 || record[0] != '{' || jsontext.Validate(record) != nil {
		return format == JSONL // an error to report
	}
	var u jsontext.Unquoter
	return slices.ContainsFunc(textFields, func(name string) bool { return u.Field(record, name) != nil })
}

// namesField reports whether name stands in JSON as that of a field: in quotes, before a colon. Of a
// path through nested objects, the last name is looked for.
func namesField(json []byte, name string) bool {
	quoted := []byte(`"` + name[strings.LastIndexByte(name, '.')+1:] + `"`)
	for {
		at := bytes.Index(json, quoted)
		if at < 0 {
			return false
		}
		json = json[at+len(quoted):]
		if rest := bytes.TrimLeft(json, " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
			return true
		}
	}
}

// looksLikeJSON returns JSONL, JSON or, for all else, Text: what the stream looks like. It reads ahead as
// far as it must.
func looksLikeJSON(_ *Reader, s *stream.Stream, _ string) Format {
	for {
		head, whole := s.Arrived()
		if shape, enough := jsontext.LooksLike(head, whole || len(head) == bufferSize); enough {
			return [...]Format{jsontext.Other: Text, jsontext.Lines: JSONL, jsontext.Values: JSON}[shape]
		}
		s.AwaitMore()
	}
}
