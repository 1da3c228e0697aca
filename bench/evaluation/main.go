// Evaluation measures on real collections which setting finds near duplicates best, and how often it is wrong. It
// writes four pages and their plots: one that says what to use, the course report repeated, one of tables, and one on
// searches that flip the weakest bits.
//
//	go run ./evaluation page out/dev ../docs/measured
//	go run ./evaluation tables out/dev ../docs/measured
//	go run ./evaluation weakest out/dev ../docs/measured
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"

	"simsearch/bench/machine"
	"simsearch/internal/quality/report"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("evaluation: ")
	if len(os.Args) != 4 {
		log.Fatal("want page, tables or weakest, the directory of the collections and that of the pages")
	}
	var err error
	switch os.Args[1] {
	case "page":
		err = runPage(context.Background(), os.Args[2], os.Args[3])
	case "tables":
		err = runTables(context.Background(), os.Args[2], os.Args[3])
	case "weakest":
		err = runWeakest(context.Background(), os.Args[2], os.Args[3])
	default:
		err = fmt.Errorf("there is no %s: want page, tables or weakest", os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
}

// forEach calls do with each collection that is there.
func forEach(data string, do func(c *collection) error) error {
	for i := range collections {
		c := &collections[i]
		if _, err := os.Stat(c.path(data, "docs.jsonl")); errors.Is(err, fs.ErrNotExist) {
			log.Printf("%s is absent", c.name)
			continue
		}
		log.Print(c.title())
		if err := do(c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// runPage writes the page that says what to use, and the one on the course report.
func runPage(ctx context.Context, data, docs string) error {
	var rows []*pageRow
	err := forEach(data, func(c *collection) error {
		if slices.Contains(onTables, c.name) {
			return nil
		}
		row, err := advise(ctx, data, c)
		rows = append(rows, row)
		return err
	})
	if err != nil {
		return err
	}
	runs, err := repeat(ctx, data)
	if err != nil {
		return err
	}
	var page, biswas bytes.Buffer
	plots := writePage(&page, rows, missesPlot(runs))
	writeBiswas(&biswas, runs)
	return errors.Join(writePlots(docs, plots), os.WriteFile(filepath.Join(docs, "EVALUATION.md"), withMachine(page), 0o666),
		os.WriteFile(filepath.Join(docs, "BISWAS.md"), withMachine(biswas), 0o666))
}

// withMachine returns a page with the line on the machine below its heading.
func withMachine(page bytes.Buffer) []byte {
	return bytes.Replace(page.Bytes(), []byte("\n\n"), []byte("\n\n"+machine.Line()+"\n\n"), 1)
}

// others is the first section of the page of tables that other programs write.
const others = "\n## What near means by default\n"

// runTables writes the page of tables. It keeps the sections that other programs write.
func runTables(ctx context.Context, data, docs string) error {
	var results []*result
	err := forEach(data, func(c *collection) error {
		r, err := measure(ctx, data, c)
		results = append(results, r)
		return err
	})
	if err != nil {
		return err
	}
	var page bytes.Buffer
	plots, err := write(ctx, &page, results)
	if err != nil {
		return err
	}
	path, whole := filepath.Join(docs, "EVALUATION-TABLES.md"), withMachine(page)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if i := bytes.Index(old, []byte(others)); i >= 0 {
		whole = append(whole, old[i:]...)
	}
	return errors.Join(writePlots(docs, plots), os.WriteFile(path, whole, 0o666))
}

// writePlots writes plots by the names of their files.
func writePlots(docs string, plots map[string]*report.Plot) error {
	for name, plot := range plots {
		var b bytes.Buffer
		if err := plot.Write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, name), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}
