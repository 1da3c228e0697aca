package publish_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/publish"
)

func Example() {
	parent, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	dir, command := filepath.Join(parent, "clean"), "simsearch dedup --out clean crawl"
	names := []string{"kept/a.txt", "removed.jsonl"}

	d, err := publish.Open(dir, publish.Options{By: "dedup", Command: command})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	err = errors.Join(d.Plan(names), d.Mkdir("kept"))
	for i := range names {
		err = errors.Join(err, disk.WriteAtomic(d, names[i], []byte("text")))
	}
	if err := errors.Join(err, d.Commit()); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "kept", "a.txt"))
	fmt.Printf("%s %v\n", text, err)
	fmt.Println(publish.Check(dir, publish.Options{By: "dedup", Command: "simsearch dedup --out clean other"}) != nil)
	// Output:
	// text <nil>
	// true
}
