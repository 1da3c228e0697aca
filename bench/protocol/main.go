// Protocol repeats the published runs of benchmarks of near-duplicate detection. It also runs exact searches, and
// scores both by the rules of each benchmark. It prints a report.
//
//	go run ./protocol core RECORDS...
//	go run ./protocol news-copy CLUSTERS DOCUMENTS
//
// RECORDS are files of the CORE dataset. CLUSTERS are labels as eval --truth takes them, and DOCUMENTS is JSON Lines.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"

	"simsearch/bench/documents"
	"simsearch/bench/markdown"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("protocol: ")
	r, err := run(context.Background(), os.Args[1:])
	if err == nil {
		err = markdown.Write(os.Stdout, r, 1, markdown.NoPlots)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) (*report.Report, error) {
	switch {
	case len(args) > 1 && args[0] == "core":
		var records []Record
		for _, path := range args[1:] {
			err := withFile(path, func(r io.Reader) error {
				more, err := ReadCORE(r)
				records = append(records, more...)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		return CORE(ctx, records, runtime.NumCPU(), 0)
	case len(args) == 3 && args[0] == "news-copy":
		return newsCopy(ctx, args[1], args[2])
	}
	return nil, errors.New("want core and files of records, or news-copy, a file of clusters and one of documents")
}

// newsCopy reads what NewsCopy scores.
func newsCopy(ctx context.Context, clusters, path string) (*report.Report, error) {
	numbers := map[string]uint32{}
	var texts []string
	for d, err := range documents.Read(path) {
		if err != nil {
			return nil, err
		}
		numbers[string(d.ID)] = uint32(len(texts))
		texts = append(texts, string(d.Text))
	}
	var labels *truth.Labels
	err := withFile(clusters, func(r io.Reader) (err error) {
		labels, err = truth.ReadLabels(r, func(id string) (uint32, bool) {
			n, ok := numbers[id]
			return n, ok
		}, truth.MaxLabels)
		return err
	})
	if err != nil {
		return nil, err
	}
	return NewsCopy(ctx, texts, labels, runtime.NumCPU(), 0)
}

// withFile calls read with a file, and names it in the error.
func withFile(path string, read func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	if err := read(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
