package dedup_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
)

func Example() {
	dir, err := os.MkdirTemp("", "dedup")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lines := `{"id":"a","text":"The ferry from the island was late again on Monday morning"}
{"id":"b","text":"Nobody knows what the new bridge will cost in the end"}
{"id":"c","text":"The ferry from the island was late again on Monday morning, too"}
`
	crawl := filepath.Join(dir, "crawl.jsonl")
	if err := os.WriteFile(crawl, []byte(lines), 0o666); err != nil {
		log.Fatal(err)
	}
	ctx, clean := context.Background(), filepath.Join(dir, "clean")

	c, err := dedup.Read(ctx, nil, []string{crawl}, dedup.Options{Options: run.Options{Threads: 2}, Settings: dedup.DefaultSettings(), Threshold: 0.8})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	d, err := dedup.Decide(ctx, c)
	if err != nil {
		log.Fatal(err)
	}
	err = d.Write(ctx, clean)
	if err != nil {
		log.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(clean, run.KeptName, "crawl.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(kept))
	fmt.Println(d.Result().Removed, "removed")
	// Output:
	// {"id":"b","text":"Nobody knows what the new bridge will cost in the end"}
	// {"id":"c","text":"The ferry from the island was late again on Monday morning, too"}
	// 1 removed
}
