package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
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
	list          []byte          // the texts in a list of it
}

func newJSONSource(l lineSource) jsonSource {
	return jsonSource{fieldSource: fieldSource{lineSource: l, thing: "field"}}
}

func openJSONL(l lineSource) (source, error) {
	j := newJSONSource(l)
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
	if err := j.last.ParseRecord(line); err != nil {
		return j.bad(err)
	}
	if value := j.last.Value(); value[0] != '{' {
		return j.bad(fmt.Errorf("a JSON %s, want an object", syntax.JSONKind(value)))
	}
	return j.fill(doc, j)
}

// value returns a string as its text, and any other value as it stands.
func (j *jsonSource) value(i int) (value []byte, is valueKind, err error) {
	if strings.Contains(j.r.wanted[i], syntax.EachElement) {
		return j.listed(j.r.wanted[i])
	}
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
	case '{', '[', 't', 'f', 'N', 'I':
		return value, isOther, nil
	case '-':
		if value[1] == 'I' {
			return value, isOther, nil
		}
	}
	return value, isNumber, nil
}

// listed returns the strings that a path with lists leads to, a line each. null is passed over, and so is what
// another text field reaches into.
func (j *jsonSource) listed(path string) (value []byte, is valueKind, err error) {
	j.list = j.list[:0]
	n, other := 0, []byte(nil)
	found, wrong := j.others.Listed(j.last.Value(), path, func(v []byte) {
		switch v[0] {
		case '"':
			if n++; n > 1 {
				j.list = append(j.list, '\n')
			}
			j.list = append(j.list, j.texts.Unquote(v)...)
		case 'n':
		default:
			other = v
		}
	})
	reached := func(name string) bool {
		return strings.HasPrefix(name, path+syntax.EachElement) || strings.HasPrefix(name, path+".")
	}
	shared := func(name string) bool { return strings.HasPrefix(path, name+syntax.EachElement) }
	switch {
	case wrong != nil && !slices.ContainsFunc(j.r.textFields, shared):
		return nil, 0, fmt.Errorf("field %q leads to %s, want a list", path, syntax.AJSONKind(wrong))
	case !found:
		return nil, isMissing, nil
	case other != nil && !slices.ContainsFunc(j.r.textFields, reached):
		return other, isOther, nil
	}
	return j.list, isText, nil
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
	var record syntax.Object
	if n == 0 || head[0] != '{' || record.ParseRecord(head[:n]) != nil {
		return format == JSONL // an error to report
	}
	return slices.ContainsFunc(textFields, func(name string) bool { return record.Field(name) != nil })
}

// looksLikeJSON returns JSONL, JSON or, for all else, Text: what the stream looks like. It reads ahead as
// far as it must.
func looksLikeJSON(_ *Reader, s *inputs.Stream, _ string) Format {
	for final := false; ; {
		head, _ := s.Peek(s.Buffered())
		if shape, enough := syntax.LooksLikeJSON(head, final || len(head) == bufferSize); enough {
			return [...]Format{syntax.NotJSON: Text, syntax.Lines: JSONL, syntax.Values: JSON}[shape]
		}
		_, err := s.Peek(len(head) + 1) // more than has arrived
		final = err != nil
	}
}
