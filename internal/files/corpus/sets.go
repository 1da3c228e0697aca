package corpus

import (
	"bytes"
	"errors"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
)

var setsKind = kind{name: "sets", layout: InSets, charsets: noCharset, open: openSets}

func openSets(l lineSource) (source, error) { return &setSource{l}, nil }

// A setSource is a file with one set a line: an id in its form for lists (package idtext), a tab,
// and items separated by spaces.
type setSource struct{ lineSource }

func (s *setSource) next(doc *document.Document) error {
	line, err := s.readRecord()
	if err != nil {
		return err
	}
	id, items, ok := bytes.Cut(line, []byte("\t"))
	switch {
	case !ok && s.r.o.Pairs:
		return s.bad(errors.New("no tab: want ID<TAB>item item item, or a table with a header and another --format"))
	case !ok:
		return s.bad(errors.New("no tab: want ID<TAB>item item item"))
	case len(id) == 0:
		return s.bad(errors.New("no id before the tab"))
	}
	if err := s.checkZeros(items); err != nil {
		return err
	}
	*doc = document.Document{ID: terminal.List.AppendID(doc.ID[:0], id), Text: items, Line: s.line, Origin: s.origin()}
	return nil
}
