package rewrite

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/jsontext"
)

// editJSON is the edit of records of JSON. Only the values of the text and of members with the names of fields change, and
// new members stand behind the others.
func editJSON(w *rewriting, dst, raw []byte, d Decision) ([]byte, error) {
	if d.Replace {
		value, err := w.textIn(raw)
		if err != nil {
			return nil, err
		}
		// The value is a part of raw.
		start := cap(raw) - cap(value)
		w.record = appendString(append(w.record[:0], raw[:start]...), d.Text)
		w.record = append(w.record, raw[start+len(value):]...)
		raw = w.record
	}
	if len(d.Values) == 0 {
		return append(dst, raw...), nil
	}
	dst, rest, set, err := w.setMembers(dst, raw, d.Values)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(rest, '}')
	if end < 0 {
		return nil, fmt.Errorf("%w: %.40q is no object", ErrChanged, raw)
	}
	members := bytes.TrimRight(rest[:end], " \t\r\n")
	space := rest[len(members):end]
	dst = append(dst, members...)
	for i, v := range d.Values {
		if set[i] {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, []byte(w.o.Fields[i].Name)), ':')
		dst = appendJSON(dst, v)
	}
	return append(append(dst, space...), rest[end:]...), nil
}

// setMembers appends a record to dst up to the last of its members that have the names of fields, with their new values.
// It returns what is left of the record, and which fields it has.
func (w *rewriting) setMembers(dst, record []byte, values []any) (_, rest []byte, set []bool, err error) {
	set = make([]bool, len(values))
	may := bytes.IndexByte(record, '\\') >= 0 // it may stand for letters of a name
	for _, f := range w.o.Fields {
		may = may || bytes.Contains(record, []byte(f.Name))
	}
	if !may {
		return dst, record, set, nil
	}
	object := jsontext.SkipSpace(record)
	if err := jsontext.Validate(record); err != nil || object[0] != '{' {
		return nil, nil, nil, fmt.Errorf("%w: %.40q is no object", ErrChanged, record)
	}
	var u jsontext.Unquoter
	at := 0
	for key, value := range jsontext.Members(object) {
		name := string(u.Unquote(key))
		i := slices.IndexFunc(w.o.Fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			continue
		}
		start := cap(record) - cap(value) // it is a part of record
		dst = appendJSON(append(dst, record[at:start]...), values[i])
		at, set[i] = start+len(value), true
	}
	return dst, record[at:], set, nil
}

// textIn returns the value that is the text of a record.
func (w *rewriting) textIn(raw []byte) ([]byte, error) {
	name := w.o.Corpus.TextField
	if name == "" {
		name = "text"
	}
	if strings.Contains(name, ",") {
		return nil, w.noText("it is several fields")
	}
	if err := jsontext.Validate(raw); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	var u jsontext.Unquoter
	value := u.Field(jsontext.SkipSpace(raw), name)
	if value == nil || value[0] != '"' {
		return nil, w.noText("a record has none")
	}
	return value, nil
}

// An elements is a file of JSON objects: the elements of an array, or one object after another. What is between two of
// them goes with the latter, unless that is the first one to be written.
type elements struct {
	lines
	began   bool
	written int
}

// between writes or passes over what is before an element, which is written if it stays.
func (e *elements) between(at corpus.Extent, stays bool) error {
	first := !e.began
	e.began = true
	switch {
	case first: // the bracket of the array
		return e.copyTo(at.Start)
	case stays && e.written > 0:
		return e.copyTo(at.Start)
	}
	return e.skipTo(at.Start)
}

func (e *elements) keep(at corpus.Extent, doc *document.Document, d Decision) error {
	if err := e.between(at, true); err != nil {
		return err
	}
	e.written++
	return e.lines.keep(at, doc, d)
}

func (e *elements) copy(at corpus.Extent) error {
	if err := e.between(at, true); err != nil {
		return err
	}
	e.written++
	return e.lines.copy(at)
}

func (e *elements) drop(at corpus.Extent) error {
	if err := e.between(at, false); err != nil {
		return err
	}
	return e.skipTo(at.End)
}
