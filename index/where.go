package index

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"simsearch/document"
	"simsearch/internal/segment"
)

// A Where is a condition on a field that the index keeps. A document that has no value of it does not meet it.
type Where struct {
	Field string // one of Input.Kept, or SourceField
	Is    func(value []byte) bool
}

// SourceField is the name of a field that is not among Input.Kept, if the index keeps sources: the absolute path of the
// file that the text of a document was read from.
const SourceField = "source"

// KeepsSource reports whether SourceField is a field of this index.
func (ix *Snapshot) KeepsSource() bool {
	in := ix.Input()
	return ix.Keep() == KeepSource && !slices.Contains(in.Kept(), SourceField)
}

// Field returns the value of a kept field of document doc, doc < Len(). field is its place
// in Input.Kept. ok is false if the document has none. The error is ErrCorrupt or ErrClosed.
func (ix *Snapshot) Field(doc uint32, field int) (value string, ok bool, err error) {
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) error {
		fields, err := s.Fields(local)
		if err == nil && fields != nil {
			var v []byte
			v, ok = document.Field(fields, field)
			value = string(v)
		}
		return err
	})
	return value, ok, err
}

// fieldsKept says which fields an index keeps, of the names with commas between them.
func fieldsKept(names string) string {
	if names == "" {
		return "no fields"
	}
	return "the fields " + strings.ReplaceAll(names, ",", ", ")
}

// A filter lets documents pass that meet all conditions. It reads the fields of a document once.
type filter struct {
	ix    *Snapshot
	where []Where
	field []int // of each condition, among the kept ones; theSource is the source

	mu    sync.Mutex
	known map[uint32]bool
}

// theSource is the place of SourceField.
const theSource = -1

// newFilter returns the filter of where. The error is ErrNoSearch if a field is not kept.
func (ix *Snapshot) newFilter(where []Where) (*filter, error) {
	f := &filter{ix: ix, where: where, known: map[uint32]bool{}}
	in := ix.Input()
	for _, w := range where {
		at := slices.Index(in.Kept(), w.Field)
		if at < 0 && (w.Field != SourceField || !ix.KeepsSource()) {
			return nil, fmt.Errorf("%w: the index keeps %s, and not %q: name it when the index is made, with --keep-fields", ErrNoSearch, fieldsKept(in.KeepFields), w.Field)
		}
		f.field = append(f.field, at)
	}
	return f, nil
}

// passes reports whether a document meets all conditions.
func (f *filter) passes(doc uint32) (ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ok, known := f.known[doc]; known {
		return ok, nil
	}
	if ok, err = f.passesNow(doc); err == nil {
		f.known[doc] = ok
	}
	return ok, err
}

// passesNow is passes for a document that is asked for once.
func (f *filter) passesNow(doc uint32) (ok bool, err error) {
	s, local := f.ix.locate(doc)
	fields, err := s.Fields(local)
	if err != nil {
		return false, err
	}
	for i, w := range f.where {
		var value []byte
		if f.field[i] == theSource {
			var k segment.Kept
			k, err = s.Text(local)
			if ok = k.Source != nil; ok {
				value = []byte(k.Source.Path)
			}
		} else {
			value, ok = document.Field(fields, f.field[i])
		}
		if err != nil || !ok || !w.Is(value) {
			return false, err
		}
	}
	return true, nil
}

// Select returns the documents that meet all conditions, in ascending order. The error is ErrNoSearch if a field is not
// kept, ErrCorrupt or ErrClosed.
func (ix *Snapshot) Select(where []Where) (docs []uint32, err error) {
	err = ix.reading(func() error {
		f, err := ix.newFilter(where)
		for doc := range uint32(ix.Len()) {
			var ok bool
			if err == nil {
				ok, err = f.passesNow(doc)
			}
			if err != nil {
				return err
			}
			if ok {
				docs = append(docs, doc)
			}
		}
		return err
	})
	return docs, err
}

// only reports of each document whether it meets all conditions. It is nil if there are none.
func (ix *Snapshot) only(where []Where) ([]bool, error) {
	if len(where) == 0 {
		return nil, nil
	}
	f, err := ix.newFilter(where)
	if err != nil {
		return nil, err
	}
	only := make([]bool, ix.Len())
	for doc := range only {
		if only[doc], err = f.passesNow(uint32(doc)); err != nil {
			return nil, err
		}
	}
	return only, nil
}
