package intake

import (
	"bytes"
	"iter"
	"sync"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// Kept yields documents, and sets in has which of so many fields that are kept some document has.
func Kept(documents iter.Seq2[*document.Document, error], has []bool) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			for i := 0; i < len(has) && err == nil; i++ {
				if !has[i] {
					_, has[i] = document.Field(doc.Fields, i)
				}
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// OfKind yields queries for an index whose documents are as in says. It yields ErrKind in place of the first
// query that is of another kind. With byDistance, fingerprints are compared with those of texts.
func OfKind(queries iter.Seq2[*document.Document, error], in index.Input, byDistance bool) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range queries {
			if err == nil && (!doc.Given() || !byDistance) {
				err = in.Refusal(doc.ID, doc.Given())
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// Unanswered keeps something of each document that has been read and not been answered yet, in order.
// Documents may be read on another goroutine than they are answered.
type Unanswered struct {
	mu      sync.Mutex
	waiting []Passed
}

// A Passed is what is kept of a document: what passes for it, or its text.
type Passed struct {
	Record []byte   // a line
	Header string   // the line before the rows of the table that the record is a row of, or ""
	Text   *string  // nil for a fingerprint
	Own    bool     // the document is one of those that are searched
	Turned []uint64 // of a picture; see document.Document
}

// Keep yields documents and keeps what of returns of each. It must not keep slices of the document.
func (u *Unanswered) Keep(documents iter.Seq2[*document.Document, error], of func(*document.Document) Passed) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				kept := of(doc)
				u.mu.Lock()
				u.waiting = append(u.waiting, kept)
				u.mu.Unlock()
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// Next returns what is kept of the document that is answered next, and forgets it. It panics if no
// document waits.
func (u *Unanswered) Next() Passed {
	u.mu.Lock()
	defer u.mu.Unlock()
	next := u.waiting[0]
	u.waiting[0], u.waiting = Passed{}, u.waiting[1:]
	return next
}

// PassedOf returns what keeps what passes for the documents of r. It is called while r is at the document.
func PassedOf(r *corpus.Reader) func(*document.Document) Passed {
	var path, header string
	return func(doc *document.Document) Passed {
		if d, ok := r.Dialect(); !ok {
			path, header = "", ""
		} else if path != doc.Source || header == "" {
			path, header = doc.Source, string(bytes.TrimSuffix(d.Raw, []byte("\n")))+"\n"
		}
		return Passed{Record: record(doc), Header: header}
	}
}

// TextOf keeps the text of a document.
func TextOf(doc *document.Document) (kept Passed) {
	if !doc.Given() {
		text := string(doc.Text)
		kept.Text = &text
	}
	return kept
}

// record returns the line that passes for a document: the line of the file, the element of an array on
// one line, the path of a file that is one document, or else the id. It keeps nothing of doc.
func record(doc *document.Document) []byte {
	switch record := bytes.Clone(doc.Raw); {
	case record == nil && doc.Line == 0:
		return []byte(doc.Source + "\n")
	case record == nil:
		return append(bytes.Clone(doc.ID), '\n')
	case bytes.HasSuffix(record, []byte("\n")):
		return record
	case !bytes.HasPrefix(record, []byte("{")): // the last line or row of a file
		return append(record, '\n')
	default:
		// Within JSON, line ends are white space.
		for i, c := range record {
			if c == '\n' || c == '\r' {
				record[i] = ' '
			}
		}
		return append(record, '\n')
	}
}
