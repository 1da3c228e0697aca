// Default measures what near should mean when nobody says: exact Jaccard similarity of which features, and
// from which threshold on. It writes a section of a page, in place of the one that the page has, and a
// plot. Directories of texts without labels may be added by name.
//
//	go run ./default out/dev ../docs [NAME=DIRECTORY ...]
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"simsearch/internal/report"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("default: ")
	if len(os.Args) < 3 {
		log.Fatal("want the directory of the collections and that of the page")
	}
	runtime.GOMAXPROCS(1)
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, data, docs string, directories []string) error {
	var all []*measured
	try := func(c *collection, err error) error {
		if err != nil {
			return err
		}
		log.Printf("%s: %d documents", c.name, len(c.texts))
		m, err := measureAll(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, m)
		return nil
	}
	for _, s := range sources {
		if err := try(loadLabelled(data, s.name, s.labels, s.kind, s.limit)); err != nil {
			return err
		}
	}
	for _, b := range bases {
		if err := try(copies(data, b)); err != nil {
			return err
		}
	}
	for _, d := range directories {
		name, dir, _ := strings.Cut(d, "=")
		if err := try(loadDirectory(name, dir)); err != nil {
			return err
		}
	}
	r := write(all)
	var section bytes.Buffer
	if err := r.WriteMarkdown(&section, 2, func(*report.Section, int) string { return plotName }); err != nil {
		return err
	}
	var plot bytes.Buffer
	if err := r.Sections[0].Plots[0].Write(&plot); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, plotName), plot.Bytes(), 0o666); err != nil {
		return err
	}
	return replace(filepath.Join(docs, "EVALUATION.md"), section.Bytes())
}

// replace puts a section of Markdown into a page, at the end or in place of the section with its heading.
func replace(path string, section []byte) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	heading, _, _ := bytes.Cut(section, []byte("\n"))
	before, old, found := bytes.Cut(page, append([]byte("\n"), heading...))
	var after []byte
	if found {
		if i := bytes.Index(old, []byte("\n## ")); i >= 0 {
			after = old[i:]
		}
	}
	page = bytes.Join([][]byte{before, []byte("\n"), section, after}, nil)
	return os.WriteFile(path, page, 0o666)
}
