// Command dedup cleans a collection with several programs and compares what is left:
//
//	dedup SIMSEARCH DOCS
//
// It prints docs/measured/BENCHMARKS-DEDUP.md. A program is a process of its own, from a file of JSON Lines to one of those
// documents that it keeps.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"simsearch/bench/documents"
	"simsearch/internal/analysis"
	"simsearch/internal/truth"
)

// threshold is the similarity of the sets of words from which on documents are near.
const threshold = 0.8

// A program reads a file and writes another one.
type program struct {
	name    string
	command []string
	args    func(in, dir string) []string
	out     string // in its directory
	times   int
}

func programs(simsearch, in string) []program {
	script := func(name, file, python string, times int) program {
		return program{name, []string{python, "peers/dedup/" + file}, func(in, dir string) []string { return []string{in, filepath.Join(dir, "kept.jsonl")} }, "kept.jsonl", times}
	}
	dedup := func(name string, more ...string) program {
		return program{name, []string{simsearch, "dedup", "--quiet"}, func(in, dir string) []string {
			return append(more, "--out", filepath.Join(dir, "clean"), in)
		}, filepath.Join("clean/kept", in), 5}
	}
	return []program{
		dedup("simsearch dedup"),
		dedup("simsearch dedup --threads 1", "--threads", "1"),
		script("gaoya 0.2.2 in a script", "with_gaoya.py", ".venv-dedup/bin/python", 3),
		script("rensa 0.5.0 in a script", "with_rensa.py", ".venv-dedup/bin/python", 3),
		script("text-dedup 0.4.0, MinHash", "with_text_dedup.py", ".venv-default/bin/python", 1),
	}
}

// A sample is what was measured of a run.
type sample struct {
	wall, processor time.Duration
	memory          int64 // bytes
}

// run runs a program, and returns the quickest sample and the file that it has written.
func run(p program, in, dir string) (best sample, out string, err error) {
	for i := range p.times {
		if err := os.RemoveAll(dir); err != nil {
			return best, "", err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return best, "", err
		}
		cmd := exec.Command(p.command[0], append(slices.Clone(p.command[1:]), p.args(in, dir)...)...)
		cmd.Stderr = os.Stderr
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			return best, "", fmt.Errorf("%s: %w", p.name, err)
		}
		s := sample{wall: time.Since(begin), processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
		s.memory = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		if i == 0 || s.wall < best.wall {
			best = s
		}
	}
	return best, filepath.Join(dir, p.out), nil
}

// A collection is documents, by their texts, and which of them are near.
type collection struct {
	texts []string
	near  [][]uint32
}

func read(path string) (*collection, error) {
	settings := analysis.Default()
	settings.Mode = analysis.MinHash
	a, err := analysis.New(settings)
	if err != nil {
		return nil, err
	}
	c := &collection{}
	var scratch analysis.Scratch
	var sets [][]uint64
	for doc, err := range documents.Read(path) {
		if err != nil {
			return nil, err
		}
		c.texts = append(c.texts, string(doc.Text))
		sets = append(sets, slices.Clone(a.Set(&scratch, doc.Text)))
	}
	pairs, err := truth.SimilarPairs(context.Background(), sets, threshold, 2)
	if err != nil {
		return nil, err
	}
	c.near = make([][]uint32, len(sets))
	for _, p := range pairs {
		c.near[p.A], c.near[p.B] = append(c.near[p.A], p.B), append(c.near[p.B], p.A)
	}
	return c, nil
}

// judge returns how many documents are kept, how many near pairs are among them, and how many are removed though
// nothing that is kept is near them.
func (c *collection) judge(path string) (kept, left, lost int, err error) {
	times := map[string]int{}
	for doc, err := range documents.Read(path) {
		if err != nil {
			return 0, 0, 0, err
		}
		times[string(doc.Text)]++
		kept++
	}
	stays := make([]bool, len(c.texts))
	for i, text := range c.texts {
		if stays[i] = times[text] > 0; stays[i] {
			times[text]--
		}
	}
	for i, others := range c.near {
		near := slices.ContainsFunc(others, func(j uint32) bool { return stays[j] })
		if !stays[i] && !near {
			lost++
		}
		for _, j := range others {
			if stays[i] && stays[j] && int(j) > i {
				left++
			}
		}
	}
	return kept, left, lost, nil
}

func main() {
	log.SetFlags(0)
	if err := compare(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func compare(simsearch, in string) error {
	c, err := read(in)
	if err != nil {
		return err
	}
	info, err := os.Stat(in)
	if err != nil {
		return err
	}
	fmt.Printf(intro, float64(info.Size())/1e6, len(c.texts), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	var first sample
	for i, p := range programs(simsearch, in) {
		s, out, err := run(p, in, filepath.Join("out", "dedup"))
		if err != nil {
			return err
		}
		if i == 0 {
			first = s
		}
		kept, left, lost, err := c.judge(out)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.2f | %.1f × | %.2f | %.0f | %d | %d | %d |\n", p.name, s.wall.Seconds(), s.wall.Seconds()/first.wall.Seconds(), s.processor.Seconds(), float64(s.memory)/1e6, kept, left, lost)
	}
	return nil
}

const intro = `# Cleaning a collection beside other software

Generated by ` + "`bench/run.sh dedup`" + `; do not edit. Each program is a process of its own, from a file of JSON Lines to one of the documents that it keeps, with two threads
unless its row says otherwise; starting it and reading and writing files are timed. The quickest of some runs counts. Near is a Jaccard similarity of the sets of words of
0.8. What a program leaves and loses is told by the exact join: *near pairs left* are pairs of kept documents that are near, and *lost* are removed documents
that nothing kept is near. Programs cut words in slightly different ways, so that a few of these are no faults of a program.

- *simsearch dedup* writes lists and its report, too.
- *gaoya* and *rensa* are libraries. A script of 40 lines of Python reads, asks for candidates in bulk, verifies these by sets of words, and keeps the first of near documents.
- *text-dedup* is a command. It verifies nothing, and keeps one document of what bands connect.

%.1f MB, %d documents. Machine: %d processors, %s %s/%s.

| program | s | beside the first | processor, s | MB | kept | near pairs left | lost |
|---|---|---|---|---|---|---|---|
`
