// Package documents reads the collections that the programs beside it measure on.
package documents

import (
	"errors"
	"io"
	"iter"

	"simsearch/corpus"
	"simsearch/index"
)

// Read yields the documents of a file, those that cannot be read left out.
func Read(path string) iter.Seq2[*index.Document, error] {
	return func(yield func(*index.Document, error) bool) {
		r, err := corpus.Open([]string{path}, corpus.Options{Format: corpus.JSONL})
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		var doc corpus.Document
		for {
			err := r.Next(&doc)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err == nil:
				if !yield(&index.Document{ID: doc.ID, Text: doc.Text}, nil) {
					return
				}
			case !errors.As(err, new(*corpus.BadError)):
				yield(nil, err)
				return
			}
		}
	}
}
