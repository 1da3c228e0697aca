// Command passages finds copied passages with several programs, and compares what they find with labels and with
// passages that were planted:
//
//	passages SIMSEARCH DATA PYTHON PYTHON-OF-DECON
//
// It prints docs/measured/BENCHMARKS-PASSAGES.md. A program is a process of its own, from a directory of files to
// what it shows.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A program compares the files of a directory.
type program struct {
	name    string
	missing string // a file that is there if it is installed
	command func(dir, extension string) []string
	ours    bool // it prints the rows of simsearch
}

func programs(simsearch, python string) []program {
	return []program{
		{"simsearch", simsearch, func(dir, _ string) []string {
			return []string{simsearch, "pairs", "--passages", "--quiet", "--json", dir}
		}, true},
		{"Dolos 3.5.1", "peers/passages/node_modules/@dodona/dolos-lib/package.json", func(dir, _ string) []string {
			return []string{"node", "peers/passages/with_dolos.js", dir}
		}, false},
		{"copydetect 0.5.0", python, func(dir, extension string) []string {
			return []string{python, "peers/passages/with_copydetect.py", dir, extension}
		}, false},
		{"JPlag 4.3.0", "peers/passages/target/WithJPlag.class", func(dir, extension string) []string {
			return []string{"java", "-cp", "peers/passages/target/*:peers/passages/target", "WithJPlag", dir, extension}
		}, false},
	}
}

// A found pair is what a program says of two files.
type found struct {
	A     string    `json:"a"`
	B     string    `json:"b"`
	Share float64   `json:"share"` // or what else the pairs are ordered by
	Shown bool      `json:"shown"` // by default
	Spans [2][]span `json:"spans"`

	// of simsearch
	OnceIn   float64 `json:"once_in"`
	AShare   float64 `json:"a_share"`
	BShare   float64 `json:"b_share"`
	Passages []struct {
		A span `json:"a"`
		B span `json:"b"`
	} `json:"passages"`
}

// A span is where something begins and ends in a text, in bytes.
type span [2]int

// pair is two names, the lesser one first.
type pair [2]string

// An answer is what a program finds, and the seconds of processor time that it takes; and those with a page, of a
// program that writes one.
type answer struct {
	pairs           map[pair]*found
	seconds, asPage float64
}

// took returns the seconds of an answer, as a cell of a table.
func (a *answer) took() string {
	if a.asPage == 0 {
		return fmt.Sprintf("%.2f", a.seconds)
	}
	return fmt.Sprintf("%.2f; %.2f with its page", a.seconds, a.asPage)
}

// ask runs a program on a directory.
func (p *program) ask(dir, extension string) (*answer, error) {
	line := p.command(dir, extension)
	out, seconds, err := p.run(line)
	if err != nil {
		return nil, err
	}
	a := &answer{pairs: map[pair]*found{}, seconds: seconds}
	if p.ours {
		if _, a.asPage, err = p.run(append(line, "--out", dir+".result")); err != nil {
			return nil, err
		}
		if out, err = os.ReadFile(filepath.Join(dir+".result", "pairs.jsonl")); err != nil { // those that are not shown, too
			return nil, err
		}
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		f := &found{}
		if err := json.Unmarshal(lines.Bytes(), f); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", p.name, err, lines.Bytes())
		}
		if p.ours {
			f.Share = f.OnceIn + max(f.AShare, f.BShare)
			for _, x := range f.Passages {
				f.Spans[0], f.Spans[1] = append(f.Spans[0], x.A), append(f.Spans[1], x.B)
			}
		}
		f.A, f.B = filepath.Base(f.A), filepath.Base(f.B)
		if f.A > f.B {
			f.A, f.B = f.B, f.A
			f.Spans[0], f.Spans[1] = f.Spans[1], f.Spans[0]
		}
		a.pairs[pair{f.A, f.B}] = f
	}
	return a, lines.Err()
}

// run runs a command, and returns what it prints and its seconds of processor time.
func (p *program) run(line []string) ([]byte, float64, error) {
	cmd := exec.Command(line[0], line[1:]...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil && (!p.ours || cmd.ProcessState.ExitCode() != 1) { // 1: no pair
		return nil, 0, fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, problems.Bytes())
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 5 {
		log.Fatal("usage: passages SIMSEARCH DATA PYTHON PYTHON-OF-DECON")
	}
	scratch, err := os.MkdirTemp("", "passages")
	if err == nil {
		err = run(os.Args[1], os.Args[2], os.Args[3], os.Args[4], scratch)
	}
	if err := errors.Join(err, os.RemoveAll(scratch)); err != nil {
		log.Fatal(err)
	}
}

func run(simsearch, data, python, decon, scratch string) error {
	var there []program
	var missing []string
	for _, p := range programs(simsearch, python) {
		if _, err := os.Stat(p.missing); err != nil {
			missing = append(missing, p.name)
			continue
		}
		there = append(there, p)
	}
	var cleaning []cleaner
	for _, c := range cleaners(simsearch, decon) {
		if _, err := os.Stat(c.missing); err != nil {
			missing = append(missing, c.name)
			continue
		}
		cleaning = append(cleaning, c)
	}
	var tables []string
	for _, name := range []struct{ name, extension string }{{"clough-stevenson", "txt"}, {"irplag-java", "java"}} {
		c, err := load(data, name.name, name.extension, filepath.Join(scratch, name.name))
		if err != nil {
			return err
		}
		table, err := c.table(there)
		if err != nil {
			return err
		}
		tables = append(tables, table)
	}
	planted, err := plant(filepath.Join(data, "aclimdb", "docs.jsonl"), filepath.Join(scratch, "planted"))
	if err != nil {
		return err
	}
	table, err := planted.table(there)
	if err != nil {
		return err
	}
	cleaned, err := decontamination(cleaning, filepath.Join(data, "aclimdb", "docs.jsonl"), scratch)
	if err != nil {
		return err
	}
	fmt.Print(page(append(tables, table, cleaned), cmp.Or(strings.Join(missing, ", "), "none")))
	return nil
}
