package main

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/disk"
	"simsearch/internal/intake"
	"simsearch/internal/mmap"
	"simsearch/internal/options"
	"simsearch/internal/terminal"
)

// withIndex runs do, for --index with the index open, whose texts and settings are those that are evaluated.
func (e *evaluation) withIndex(do func() error) (err error) {
	dir := e.c.Index.Value
	if dir == "" {
		return do()
	}
	if e.ix, err = index.Open(dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.ix.Close()) }()
	if e.texts, err = intake.OpenTexts(e.c.Context, e.ix); err != nil {
		return noTexts(dir, err)
	}
	defer func() { err = errors.Join(err, e.texts.Close()) }()
	e.texts.Readers = &e.readers
	files, err := disk.OS.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		e.readers.See(filepath.Join(dir, file))
	}
	if err := options.EvalIndex(e.c, &e.Eval, e.ix); err != nil {
		return err
	}
	if err = mmap.Guarded(do); err != nil {
		return err
	}
	return e.ix.Unchanged()
}

// indexed returns the documents of the index.
func (e *evaluation) indexed() iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc := range uint32(e.ix.Len()) {
			id, err := e.ix.ID(doc)
			var text string
			if err == nil {
				text, err = e.texts.Text(doc)
			}
			if !yield(&document.Document{ID: id, Text: []byte(text)}, noTexts(e.c.Index.Value, err)) || err != nil {
				return
			}
		}
	}
}

// noTexts says what an index without texts lacks. Other errors are as they are.
func noTexts(dir string, err error) error {
	if errors.Is(err, index.ErrNoText) {
		return fmt.Errorf("%s: eval compares the texts of documents, and the index does not keep them: name its input instead", terminal.Plain(dir))
	}
	return err
}
