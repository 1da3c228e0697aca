package index_test

import (
	"context"
	"fmt"
	"os"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/index"
)

func Example() {
	dir, err := os.MkdirTemp("", "simsearch-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	text := []byte("The quick brown fox jumps over the lazy dog")
	documents := func(yield func(*document.Document, error) bool) {
		yield(&document.Document{ID: []byte("fox"), Text: text}, nil)
	}
	write := func() error {
		w, err := index.OpenWriter(dir, analysis.Default(), index.WriterOptions{})
		if err != nil {
			return err
		}
		defer w.Close()
		err = w.Ingest(ctx, documents) // an iterator
		if err != nil {
			return err
		}
		result, err := w.Commit(ctx)
		fmt.Println(result.Added)
		return err
	}
	read := func() error {
		ix, err := index.Open(dir)
		if err != nil {
			return err
		}
		defer ix.Close()
		answer, err := ix.Near(ctx, index.Text(text), index.Options{Predicate: index.Within(3)})
		fmt.Printf("%s\n", answer.Matches[0].ID)
		return err
	}
	fmt.Println(write(), read())
	// Output:
	// 1
	// fox
	// <nil> <nil>
}
