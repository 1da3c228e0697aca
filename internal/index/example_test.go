package index_test

import (
	"context"
	"fmt"
	"os"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
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

// What a Live has added is found at once, and so is what it has deleted no more. A Snapshot stays as it was.
func ExampleLive() {
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
	run := func() error {
		live, err := index.OpenLive(dir, analysis.Default(), index.WriterOptions{})
		if err != nil {
			return err
		}
		defer live.Close()
		added, err := live.Add(ctx, documents)
		if err != nil {
			return err
		}
		ix, err := live.Snapshot() // the index as it is now
		if err != nil {
			return err
		}
		defer ix.Close()
		deleted, err := live.Delete(ctx, []byte("fox"))
		if err != nil {
			return err
		}
		fox, ok, err := ix.Find([]byte("fox"))
		if err != nil {
			return err
		}
		text, err := ix.Text(fox, nil)
		fmt.Println(added.Added, deleted, ok, text)
		return err
	}
	fmt.Println(run())
	// Output:
	// 1 1 true The quick brown fox jumps over the lazy dog
	// <nil>
}

// An index in memory has the interface of one on the disk.
func ExampleNewMemory() {
	ctx := context.Background()
	run := func() error {
		live, err := index.NewMemory(analysis.Default(), index.WriterOptions{})
		if err != nil {
			return err
		}
		defer live.Close()
		_, err = live.Add(ctx, func(yield func(*document.Document, error) bool) {
			_ = yield(&document.Document{ID: []byte("one"), Text: []byte("The quick brown fox jumps over the lazy dog")}, nil) &&
				yield(&document.Document{ID: []byte("two"), Text: []byte("The quick brown fox jumps over the lazy dog again")}, nil)
		})
		if err != nil {
			return err
		}
		ix, err := live.Snapshot()
		if err != nil {
			return err
		}
		defer ix.Close()
		return ix.Pairs(ctx, index.Similar(0.8), index.PairOptions{Threads: 1}, func(p index.Pair) error {
			fmt.Printf("%d %d %.2f\n", p.A, p.B, p.Value)
			return nil
		})
	}
	fmt.Println(run())
	// Output:
	// 0 1 0.89
	// <nil>
}
