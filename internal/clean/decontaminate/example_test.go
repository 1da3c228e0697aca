package decontaminate_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"simsearch/internal/clean/decontaminate"
)

func Example() {
	in, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(in)
	put := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
		return filepath.Join(in, name)
	}
	tests := []string{put("tests.jsonl", `{"question":"Which river flows through the town where the two millers lived in those days?"}`)}
	train := []string{put("train.txt", "Nobody knows which river flows through the town where the two millers lived in those days.")}
	ctx, dir := context.Background(), filepath.Join(in, "found")

	o := decontaminate.Options{Tests: []decontaminate.Test{{Path: tests[0]}}, Words: decontaminate.DefaultWords}
	o.Threads = 2
	r, err := decontaminate.Run(ctx, train, dir, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Summary())
	// Output: 1 of 1 item found in 1 of 1 document: 1 with a whole field, 0 with half of one or more
}
