package rewrite

import (
	"bytes"
	"fmt"
	"strings"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/jsontext"
)

// editJSON is the edit of records of JSON. Only the value of the text changes, and new members stand behind the
// others.
func editJSON(w *rewriting, dst, raw []byte, d Decision) ([]byte, error) {
	rest := raw
	if d.Replace {
		value, err := w.textIn(raw)
		if err != nil {
			return nil, err
		}
		// The value is a part of raw.
		start := cap(raw) - cap(value)
		dst = appendString(append(dst, raw[:start]...), d.Text)
		rest = raw[start+len(value):]
	}
	if len(d.Values) == 0 {
		return append(dst, rest...), nil
	}
	end := bytes.LastIndexByte(rest, '}')
	if end < 0 {
		return nil, fmt.Errorf("%w: %.40q is no object", ErrChanged, raw)
	}
	members := bytes.TrimRight(rest[:end], " \t\r\n")
	space := rest[len(members):end]
	dst = append(dst, members...)
	for i, v := range d.Values {
		if dst[len(dst)-1] != '{' || i > 0 || d.Replace {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, []byte(w.o.Fields[i].Name)), ':')
		dst = appendJSON(dst, v)
	}
	return append(append(dst, space...), rest[end:]...), nil
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
