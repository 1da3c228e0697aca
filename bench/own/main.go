// Own measures commands of simsearch on a collection, without other software:
//
//	own SIMSEARCH DIRECTORY DOCS.jsonl
//
// It prints lines in the format of Go's benchmarks, for docs/measured/OWN.txt, from which bench/figures makes a page.
package main

import (
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"simsearch/bench/machine"
)

// A command is measured several times. What it writes is removed before each of these.
type command struct {
	name   string
	args   []string
	writes string // a directory, if there is one, whose size is told
	times  int
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("own: ")
	if len(os.Args) != 4 {
		log.Fatal("want the program, a directory and a file of JSON Lines")
	}
	if err := measure(os.Args[1], filepath.Join(os.Args[2], "own"), os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func measure(program, dir, docs string) error {
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	info, err := os.Stat(docs)
	if err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	// Results go to files, since a pipe would be measured, too.
	index := func(name string, flags ...string) command {
		return command{"index/" + name, append(append([]string{"index", "--quiet", "--index", in(name)}, flags...), docs), in(name), 3}
	}
	query := "The library opens at nine and closes at noon. It is closed on Sundays, and who opens it has to be there at nine."
	fmt.Println(machine.Line())
	for _, c := range []command{
		{"start", []string{"version"}, "", 50},
		index("default"),
		index("classic", "--preset", "classic"),
		index("classic-one-thread", "--preset", "classic", "--threads", "1"),
		index("3-grams", "--mode", "minhash", "--features", "word:3", "--lang", "none"),
		{"pairs/default", []string{"pairs", "--quiet", "--index", in("default")}, "", 3},
		{"pairs/3-grams", []string{"pairs", "--quiet", "--jaccard", "0.5", "--index", in("3-grams")}, "", 3},
		{"groups/default", []string{"groups", "--quiet", "--index", in("default")}, "", 3},
		{"nearest", []string{"near", "--index", in("default"), "--nearest", "1", "--text", query}, "", 10},
		{"dedup/default", []string{"dedup", "--quiet", "--out", in("clean"), docs}, in("clean"), 3},
		{"dedup/one-thread", []string{"dedup", "--quiet", "--threads", "1", "--out", in("clean"), docs}, in("clean"), 3},
		{"dedup/within-3-bits", []string{"dedup", "--quiet", "--k", "3", "--out", in("clean"), docs}, in("clean"), 3},
	} {
		best, err := c.least(program)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("BenchmarkCommand/%s %d %.4g s-processor %.4g s-wall %.4g MB-memory", c.name, c.times, best.Processor.Seconds(), best.Wall.Seconds(), float64(best.Memory)/1e6)
		if c.writes != "" {
			line += fmt.Sprintf(" %.4g MB/s %d B-written", float64(info.Size())/1e6/best.Wall.Seconds(), size(c.writes))
		}
		fmt.Println(line)
	}
	return nil
}

// least returns the sample with the least processor time.
func (c command) least(program string) (best machine.Sample, err error) {
	for i := range c.times {
		if c.writes != "" {
			if err := os.RemoveAll(c.writes); err != nil {
				return best, err
			}
		}
		s, err := machine.Process(program, c.args...)
		if err != nil {
			return best, err
		}
		if i == 0 || s.Processor < best.Processor {
			best = s
		}
	}
	return best, nil
}

// size returns the bytes of the files below a directory.
func size(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return err
	})
	return bytes
}
