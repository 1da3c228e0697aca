// Evaluation measures on real collections which setting finds near duplicates best, and how often it
// is wrong. It writes a page and its plots.
//
//	go run ./evaluation out/dev ../docs
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("evaluation: ")
	if len(os.Args) != 3 {
		log.Fatal("want the directory of the collections and that of the page")
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, data, docs string) error {
	var results []*result
	for i := range collections {
		c := &collections[i]
		if _, err := os.Stat(c.path(data, "docs.jsonl")); errors.Is(err, os.ErrNotExist) {
			log.Printf("%s is absent", c.name)
			continue
		}
		log.Print(c.name)
		r, err := measure(ctx, data, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, r)
	}
	var page bytes.Buffer
	plots, err := write(ctx, &page, results)
	if err != nil {
		return err
	}
	for name, plot := range plots {
		var b bytes.Buffer
		if err := plot.Write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, name), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(docs, "EVALUATION.md"), page.Bytes(), 0o666)
}
