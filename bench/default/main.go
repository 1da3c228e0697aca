// Default measures what near should mean when nobody says: exact Jaccard similarity of which features, and
// from which threshold on. It writes a section of a page, in place of the one that the page has, and a
// plot. Directories of texts without labels may be added by name.
//
//	go run ./default out/dev ../docs [NAME=DIRECTORY ...]
//
// With programs before these arguments, it writes another section: what simsearch and other programs find
// when they are told nothing. They are run by the program and the Python that the next two arguments name.
// Pairs to be read are written into out/drawn.
//
//	go run ./default programs out/simsearch .venv-default/bin/python out/dev ../docs [NAME=DIRECTORY ...]
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

	"simsearch/bench/labelled"
	"simsearch/bench/markdown"
	"simsearch/internal/quality/report"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("default: ")
	if len(os.Args) >= 6 && os.Args[1] == "programs" {
		program, err := filepath.Abs(os.Args[2])
		if err == nil {
			err = runPrograms(program, os.Args[3], os.Args[4], os.Args[5], os.Args[6:])
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) < 3 {
		log.Fatal("want the directory of the collections and that of the page")
	}
	runtime.GOMAXPROCS(1)
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

// directoryLimit is the number of documents of a directory that are measured.
const directoryLimit = 3000

func run(ctx context.Context, data, docs string, directories []string) error {
	var all []*measured
	try := func(c *labelled.Collection, err error) error {
		if err != nil {
			return err
		}
		log.Printf("%s: %d documents", c.Name, len(c.Texts))
		m, err := measureAll(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		all = append(all, m)
		return nil
	}
	for _, s := range labelled.Sources {
		if err := try(s.Load(data)); err != nil {
			return err
		}
	}
	for _, b := range labelled.Bases {
		if err := try(labelled.Copies(data, b, labelled.Edits)); err != nil {
			return err
		}
	}
	for _, d := range directories {
		name, dir, _ := strings.Cut(d, "=")
		if err := try(labelled.LoadDirectory(name, dir, directoryLimit)); err != nil {
			return err
		}
	}
	return place(write(all), docs, plotName)
}

// runPrograms writes the section on other programs.
func runPrograms(program, python, data, docs string, directories []string) error {
	r, err := writePrograms(data, program, python, "out/drawn", directories)
	if err != nil {
		return err
	}
	return place(r, docs, plotNamePrograms)
}

// place puts a report into the page, as a section, and writes its plot.
func place(r *report.Report, docs, plotName string) error {
	var section, plot bytes.Buffer
	if err := markdown.Write(&section, r, 2, func(*report.Section, int) string { return plotName }); err != nil {
		return err
	}
	if err := r.Sections[0].Plots[0].Write(&plot); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, plotName), plot.Bytes(), 0o666); err != nil {
		return err
	}
	return replace(filepath.Join(docs, "EVALUATION-TABLES.md"), section.Bytes())
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
