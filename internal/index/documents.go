package index

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index/segment"
)

// AppendSet appends the set of features of document doc, doc < Len(), to dst, strictly ascending, and returns the
// extended slice and the digest of the set. Nothing is appended if the document has no features, or the index no sets.
// The error is ErrCorrupt or ErrClosed.
func (ix *Snapshot) AppendSet(dst []uint64, doc uint32) (features []uint64, digest analysis.Digest, err error) {
	features = dst
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) {
		if s.Sets() == nil {
			return
		}
		if set, ok := s.Sets().Of(local); ok {
			digest, features = s.Sets().Digest(set), s.Sets().AppendSet(dst, set)
		}
	})
	return features, digest, err
}

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
	return ix.Keep() == KeepSource && !slices.Contains(ix.manifest.Input.Kept(), SourceField)
}

// Field returns the value of a kept field of document doc, doc < Len(). field is its place
// in Input.Kept. ok is false if the document has none. The error is ErrCorrupt or ErrClosed.
func (ix *Snapshot) Field(doc uint32, field int) (value string, ok bool, err error) {
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) {
		if fields := s.Fields(local); fields != nil {
			var v []byte
			v, ok = document.Field(fields, field)
			value = string(v)
		}
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
func (f *filter) passes(doc uint32) (ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ok, known := f.known[doc]; known {
		return ok
	}
	ok = f.passesNow(doc)
	f.known[doc] = ok
	return ok
}

// passesNow is passes for a document that is asked for once.
func (f *filter) passesNow(doc uint32) (ok bool) {
	s, local := f.ix.locate(doc)
	fields := s.Fields(local)
	for i, w := range f.where {
		var value []byte
		if f.field[i] == theSource {
			k := s.Text(local)
			if ok = k.Source != nil; ok {
				value = []byte(k.Source.Path)
			}
		} else {
			value, ok = document.Field(fields, f.field[i])
		}
		if !ok || !w.Is(value) {
			return false
		}
	}
	return true
}

// Select returns the documents that meet all conditions, in ascending order. The error is ErrNoSearch if a field is not
// kept, ErrCorrupt or ErrClosed.
func (ix *Snapshot) Select(where []Where) (docs []uint32, err error) {
	err = ix.reading(func() error {
		only, err := ix.only(where)
		for doc := range uint32(ix.Len()) {
			if err == nil && (only == nil || only[doc]) {
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
		only[doc] = f.passesNow(uint32(doc))
	}
	return only, nil
}

var (
	// ErrNoText is returned by Snapshot.Text for a document whose text is not kept.
	ErrNoText = errors.New("the index keeps no text of this document")
	// errSourceChanged is returned by Snapshot.Text if the source of a document has another text by now, or
	// none.
	errSourceChanged = document.ErrChanged
	// errSourceGone is returned by Snapshot.Text if the source of a document is no longer there.
	errSourceGone = errors.New("the source is gone")
)

// Keep returns what the index keeps of its texts.
func (ix *Snapshot) Keep() Keep { return ix.manifest.Kept() }

// A SourceReader reads texts again. corpus.Rereader is one. The text is valid until the next call. The error
// wraps fs.ErrNotExist if the file is gone, and document.ErrChanged if there is no text at that place.
type SourceReader interface {
	Text(from document.Origin) ([]byte, error)
}

// Text returns the text of document doc, doc < Len(), as it was when it was added. If the index keeps
// sources, it reads the text by r, which may be nil otherwise. The error is ErrNoText, errSourceChanged,
// errSourceGone, ErrCorrupt, ErrClosed, or that of r. If it is about a source, it names the file.
func (ix *Snapshot) Text(doc uint32, r SourceReader) (text string, err error) {
	var from *segment.Source
	hasText := false
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) {
		k := s.Text(local)
		text, from, hasText = string(k.Text), k.Source, k.Text != nil
	})
	switch {
	case err != nil || hasText:
		return text, err
	case from == nil || r == nil:
		return "", ErrNoText
	}
	again, err := r.Text(document.Origin{Path: from.Path, Format: from.Format, Offset: from.Offset, Length: from.Length})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %s", errSourceGone, from.Path)
	case err != nil:
		return "", fmt.Errorf("%s: %w", from.Path, err)
	case fingerprint.Murmur3.Sum(again) != from.Digest:
		return "", fmt.Errorf("%w: %s", errSourceChanged, from.Path)
	}
	return string(again), nil
}
