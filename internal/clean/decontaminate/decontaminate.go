// Package decontaminate finds the items of tests, such as benchmarks of language models, in training documents.
//
//	o := decontaminate.Options{Tests: []decontaminate.Test{{Path: tests[0]}}, Words: decontaminate.DefaultWords}
//	o.Threads = 2
//	r, err := decontaminate.Run(ctx, train, dir, o)
//
// What counts is a sequence of 13 words that a field of an item and a document have in common, whatever their case
// and punctuation. None is missed. The tests are in memory, as hashes of their words. The documents stream past them
// once, on all threads. Each costs a look into a filter for each of its words (table.go says how), so that training
// sets go at the speed at which they are read.
//
// Run writes to a directory what is found, a report, and with Options.Purify the training files without it.
package decontaminate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/preprocess"
)

// Options say what is compared, and what is written.
type Options struct {
	run.Options
	Tests  []Test
	Words  int // how many in a row count, from 1 to preprocess.MaxN
	Purify Purify
}

// A Test is a file or a directory of tests. Each text of a record is a field of its own, and so is the text of what
// has no fields, called text. If Fields is not empty, it names those that are compared.
type Test struct {
	Path   string
	Fields []string
}

// ParseTest reads the path of a test, and behind a colon the names of fields. A path that is there may have a colon.
func ParseTest(name string) Test {
	path, fields, found := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ":")
	if _, err := os.Stat(name); err == nil || !found {
		return Test{Path: name}
	}
	return Test{name[:strings.LastIndexByte(name, '/')+1] + path, strings.Split(fields, ",")}
}

// fieldsOf returns which fields of a file of tests are compared, or none if all are.
func (o *Options) fieldsOf(path string) []string {
	for _, t := range o.Tests {
		if run.IsBelow(path, t.Path) {
			return t.Fields
		}
	}
	return nil
}

// Purify says whether the training files are written again without what is found.
type Purify uint8

// What is left out of the files.
const (
	Nothing   Purify = iota // they are not written
	Documents               // documents in which something is found
	Passages                // what is found, within documents
)

var purifyNames = &ints.Names{Type: "Purify", What: "parts", All: []string{"nothing", "documents", "passages"}}

// String returns the name of p.
func (p Purify) String() string { return purifyNames.String(uint8(p)) }

// ParsePurify returns the Purify called name. The error lists all names.
func ParsePurify(name string) (p Purify, err error) {
	return p, ints.ParseName(purifyNames, &p, []byte(name))
}

// The phases beside those of package run.
const (
	ReadingTests = "reading the tests"
	listing      = "listing"
)

// Names of lists in the directory of a result.
const (
	hitsName = "hits.jsonl"
	lessName = "less.jsonl" // what does not count
)

// Run finds the items of Options.Tests in the documents of inputs, and writes what it has found to dir, as run.Ask
// says.
func Run(ctx context.Context, inputs []string, dir string, o Options) (*Report, error) {
	if o.Words < 1 || o.Words > preprocess.MaxN {
		return nil, fmt.Errorf("sequences of %d words: want 1 to %d", o.Words, preprocess.MaxN)
	}
	j := &job{o: o, rule: ruleOf(o.Words), began: time.Now()}
	if err := run.Ask(ctx, inputs, dir, o.Options, j); err != nil {
		return nil, err
	}
	return &j.report, nil
}

// A job is one Run.
type job struct {
	*run.Run
	o      Options
	rule   rule
	began  time.Time
	items  items
	finder *finder
	found  finds
	report Report
}

// Begin is that of run.Question.
func (j *job) Begin(r *run.Run) (p run.Plan, err error) {
	j.Run = r
	tests, err := j.openTests()
	if err != nil {
		return p, err
	}
	p = run.Plan{By: "decontaminate", Writes: []string{hitsName, lessName, run.LeftOutName}}
	for _, t := range j.o.Tests {
		p.Reads = append(p.Reads, t.Path)
	}
	for _, f := range tests.Files() {
		p.Reads = append(p.Reads, f.Path)
	}
	if j.o.Purify != Nothing {
		p.Again = "files are read twice to purify them"
	}
	return p, tests.Close()
}

// Answer is that of run.Question.
func (j *job) Answer() error {
	j.Next(ReadingTests)
	if err := errors.Join(j.readItems(), j.items.ids.Map(), j.items.texts.Map()); err != nil {
		return err
	}
	if err := j.checkItems(); err != nil {
		return err
	}
	j.finder = newFinder(j.items.text, j.rule)
	j.report.Form = j.finder.Form
	j.items.countForms(j.finder)
	j.Next(run.Reading)
	if err := j.scan(); err != nil {
		return err
	}
	j.Next(listing)
	if err := j.writeHits(); err != nil {
		return err
	}
	j.Next(run.Writing)
	if err := j.purify(); err != nil {
		return err
	}
	return j.ListLeftOut(j.Left, len(j.Left))
}

// Report is that of run.Question.
func (j *job) Report() (any, func(io.Writer) error) { return j.summarize(), j.report.WriteHTML }

// Close is that of run.Question.
func (j *job) Close() error {
	err := errors.Join(j.items.ids.Close(), j.items.texts.Close(), j.found.list.Close(), j.found.ids.Close(), j.found.hits.Close())
	if j.found.order != nil {
		err = errors.Join(err, j.found.order.Close())
	}
	return err
}

// newBytes returns an empty list, of which some is in memory.
func (j *job) newBytes() spill.Bytes { return spill.NewBytes(j.FS, j.Temp, spill.Holds) }

// checkItems returns an error if there is nothing to look for, which is more likely a mistake.
func (j *job) checkItems() error {
	for _, t := range j.o.Tests {
		for _, name := range t.Fields {
			if !slices.Contains(j.items.fieldNames, name) {
				return fmt.Errorf("no item of the tests has a text in a field %q", name)
			}
		}
	}
	all, short := 0, 0
	for _, b := range j.items.benchmarks {
		all, short = all+b.Items, short+b.Short
	}
	switch {
	case all == 0:
		return errors.New("the tests have no items")
	case short == all:
		return fmt.Errorf("none of %s of the tests has a text of %s or more", terminal.Plural(all, "item"),
			terminal.Plural(j.rule.minWords, "word"))
	}
	return nil
}
