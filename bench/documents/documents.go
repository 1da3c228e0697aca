// Package documents reads collections for the programs that measure on them.
package documents

import (
	"errors"
	"iter"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
)

// Read yields the documents of a JSON Lines file. It leaves out those that cannot be read.
func Read(path string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		r, err := corpus.Open([]string{path}, corpus.Options{Format: corpus.JSONL})
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		for doc, err := range r.Documents() {
			if errors.As(err, new(*corpus.BadError)) {
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}
