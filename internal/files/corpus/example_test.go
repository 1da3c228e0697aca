package corpus_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"simsearch/internal/files/corpus"
)

func Example() {
	dir, err := os.MkdirTemp("", "simsearch-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "articles.jsonl")
	if err := os.WriteFile(path, []byte(`{"id": "a", "text": "some text"}`), 0o666); err != nil {
		panic(err)
	}
	read := func(inputs []string, use func(id, text []byte)) error {
		r, err := corpus.Open(inputs, corpus.Options{}) // such as "articles.jsonl.gz" and "notes/"
		if err != nil {
			return err
		}
		defer r.Close()
		for doc, err := range r.Documents() {
			switch {
			case errors.As(err, new(*corpus.BadError)):
				log.Print(err) // one document or file; the next ones follow
			case err != nil:
				return err
			default:
				use(doc.ID, doc.Text)
			}
		}
		return nil
	}
	if err := read([]string{path}, func(id, text []byte) { fmt.Printf("%s: %s\n", id, text) }); err != nil {
		panic(err)
	}
	// Output:
	// a: some text
}
