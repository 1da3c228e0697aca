package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/gather"
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
		fields, has, err := s.Fields(local)
		if err == nil && has {
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
	fields, _, err := s.Fields(local)
	if err != nil {
		return false, err
	}
	for i, w := range f.where {
		var value []byte
		if f.field[i] == theSource {
			var from segment.Source
			from, ok, err = s.Source(local)
			value = []byte(from.Path)
		} else {
			value, ok = document.Field(fields, f.field[i])
		}
		if err != nil || !ok || !w.Is(value) {
			return false, err
		}
	}
	return true, nil
}

// A filtered searcher finds what another one finds and a filter lets pass.
type filtered struct {
	searcher
	filter *filter
}

func (f *filtered) one(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	limit := 0
	if _, ok := f.searcher.(*nearest); ok {
		limit = 4 * g.Limit // the nearest that pass may be far
	}
	for ; ; limit *= 4 {
		all := gather.One{Limit: limit}
		if err := f.searcher.one(ctx, r, &all, stats); err != nil {
			return err
		}
		found, enough := all.Matches(), limit == 0 || len(all.Found) < limit
		g.Found = g.Found[:0]
		for _, m := range found {
			ok, err := f.filter.passes(m.Document)
			if err != nil {
				return err
			}
			if ok {
				g.Found = append(g.Found, m)
			}
		}
		if enough || len(g.Found) >= g.Limit {
			return nil
		}
	}
}

func (f *filtered) batch(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	return addEach(ctx, h, batch, func(r *analysis.Result, g *gather.One) error { return f.one(ctx, r, g, stats) })
}

// filterPairs returns a yield that leaves out pairs of which a document does not meet all conditions.
func (ix *Snapshot) filterPairs(where []Where, yield func(Pair) error) (func(Pair) error, error) {
	if len(where) == 0 {
		return yield, nil
	}
	f, err := ix.newFilter(where)
	if err != nil {
		return nil, err
	}
	return func(p Pair) error {
		for _, doc := range []uint32{p.A, p.B} {
			if ok, err := f.passes(doc); err != nil || !ok {
				return err
			}
		}
		return yield(p)
	}, nil
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
