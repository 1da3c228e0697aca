// Joins compares programs that find all pairs of sets at or above a Jaccard similarity: their time, their memory, and
// the pairs that they miss. Each program runs as a process of its own, on the same sets. It prints a page.
//
//	go run ./joins out/dev > ../docs/measured/BENCHMARKS-JOINS.md
//	go run ./joins -only simsearch out/dev   the others as they were measured before
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("joins: ")
	if len(os.Args) > 1 && os.Args[1] == "ours" {
		if err := runOurs(os.Args[2:]); err != nil {
			log.Fatal(err)
		}
		return
	}
	only := flag.String("only", "", "measure the programs whose names begin with this, and take the others from the run before")
	limit := flag.Duration("limit", 5*time.Minute, "stop a program that takes longer")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("want the directory of the collections")
	}
	if err := page(flag.Arg(0), *only, *limit); err != nil {
		log.Fatal(err)
	}
}

// page measures the programs on all collections and prints the page.
func page(data, only string, limit time.Duration) error {
	earlier, err := loadEarlier(filepath.Join("out", "joins.json"))
	if err != nil {
		return err
	}
	r := &runner{only: only, limit: limit, earlier: earlier}
	var tables []*table
	for _, c := range collections {
		sets, err := c.sets(data)
		if os.IsNotExist(err) {
			tables = append(tables, &table{collection: c, skipped: "its texts are not there"})
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		t, err := r.run(c, sets)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		tables = append(tables, t)
		if err := saveEarlier(filepath.Join("out", "joins.json"), r.earlier); err != nil {
			return err
		}
	}
	fmt.Print(render(tables, inMinutes(limit)))
	return nil
}
