package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/document"
	"simsearch/internal/inputs"
	"simsearch/internal/syntax"
)

var jsonlKind = kind{
	name: "jsonl", words: "JSON Lines", extensions: []string{".jsonl", ".ndjson"}, layout: InRecords, fields: anyField,
	looks: looksLikeJSON, open: openJSONL,
}

// A jsonSource is a file with one JSON object a line.
type jsonSource struct {
	fieldSource
	last          syntax.Object   // that of the last document
	texts, others syntax.Unquoter // of its text, and of its other fields
}

func newJSONSource(l lineSource, guessed bool) jsonSource {
	return jsonSource{fieldSource: fieldSource{lineSource: l, thing: "field", guessed: guessed}}
}

func openJSONL(l lineSource, guessed bool) (source, error) {
	j := newJSONSource(l, guessed)
	return &j, nil
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
	if err := j.last.Parse(line); err != nil {
		return j.bad(err)
	}
	if value := j.last.Value(); value[0] != '{' {
		return j.bad(fmt.Errorf("a JSON %s, want an object", syntax.JSONKind(value)))
	}
	return j.fill(doc, j)
}

// value returns a string as its text, and any other value as it stands.
func (j *jsonSource) value(i int) (value []byte, is valueKind, err error) {
	value = j.last.Field(j.r.wanted[i])
	if value == nil {
		return nil, isMissing, nil
	}
	switch value[0] {
	case '"':
		if i < len(j.r.textFields) {
			return j.texts.Unquote(value), isText, nil
		}
		return j.others.Unquote(value), isText, nil
	case 'n':
		return value, isNull, nil
	case '{', '[', 't', 'f':
		return value, isOther, nil
	}
	return value, isNumber, nil
}

func (j *jsonSource) fieldNames() []string { return j.others.Names(j.last.Value()) }

// hasText reports whether the first record of a stream has one of the text fields. A record that is longer than
// the buffer has one if the buffer has the name of one.
func hasText(textFields []string, s *inputs.Stream, format Format) bool {
	head := s.Fill()
	full := len(head) == bufferSize
	head = syntax.SkipSpace(head)
	if head[0] == '[' {
		head = syntax.SkipSpace(head[1:])
	}
	var scan syntax.Scanner
	n, ended := scan.Scan(head)
	if !ended {
		return full && slices.ContainsFunc(textFields, func(name string) bool {
			return bytes.Contains(head, []byte(`"`+name[strings.LastIndexByte(name, '.')+1:]+`"`))
		})
	}
	record := head[:n]
	if n == 0 || record[0] != '{' || syntax.ValidateJSON(record) != nil {
		return format == JSONL // an error to report
	}
	var u syntax.Unquoter
	return slices.ContainsFunc(textFields, func(name string) bool { return u.Field(record, name) != nil })
}

// looksLikeJSON returns JSONL, JSON or, for all else, Text: what the stream looks like. It reads ahead as
// far as it must.
func looksLikeJSON(_ *Reader, s *inputs.Stream, _ string) Format {
	for {
		head, whole := s.Arrived()
		if shape, enough := syntax.LooksLikeJSON(head, whole || len(head) == bufferSize); enough {
			return [...]Format{syntax.NotJSON: Text, syntax.Lines: JSONL, syntax.Values: JSON}[shape]
		}
		s.AwaitMore()
	}
}
