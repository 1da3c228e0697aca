// Package decontaminate finds the items of tests, such as benchmarks of language models, in training documents.
//
//	r, err := decontaminate.Run(ctx, train, dir, decontaminate.Options{Tests: tests, Rule: decontaminate.DefaultRule(), Threads: 2})
//
// What counts is a sequence of 13 words that a field of an item and a document have in common, whatever their case and punctuation.
// None is missed. The tests are in memory, as hashes of their words. The documents stream past them once, on all threads. Each costs a
// look into a filter for each of its words (table.go says how), so that training sets go at the speed at which they are read.
//
// Run writes to a directory what is found, a report, and with Options.Purify the training files without it.
package decontaminate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"simsearch/internal/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/ints"
	"simsearch/internal/objects"
	"simsearch/internal/outdir"
	"simsearch/internal/paths"
	"simsearch/internal/rewrite"
	"simsearch/internal/terminal"
)

// Options say what is compared, and what is written.
type Options struct {
	// Corpus says how the training files are read. Context, Raw and KeepFields are not used.
	Corpus corpus.Options
	// Tests are the files and directories of the tests. Each text of a record is a field of its own, and so is the text of what has no
	// fields, called text. If TestFields is not empty, it names the fields that are compared.
	Tests, TestFields []string
	// TestFormat is the format of the tests.
	TestFormat corpus.Format
	Rule
	Purify  Purify
	Threads int // at least one
	// Command is what repeats the run, for the report.
	Command string
	// Temp is the directory of temporary files; "" is that of the system.
	Temp string
	// FS is the file system that is written to; nil is disk.OS.
	FS disk.FS
	// Bad, if not nil, is told of each item and document that cannot be read.
	Bad func(*corpus.BadError)
	// Phase, if not nil, is told the name of what is done next. Progress, if not nil, is told how far that is: in bytes of files, or in
	// files of Writing.
	Phase    func(what string)
	Progress func(done, all int64)
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

// DefaultRule returns the usual Rule.
func DefaultRule() Rule {
	return Rule{Words: DefaultWords, MinWords: DefaultMinWords, MaxPlaces: DefaultMaxPlaces, MinShare: DefaultMinShare}
}

// The phases.
const (
	ReadingTests = "reading the tests"
	Reading      = "reading"
	Listing      = "listing"
	Writing      = "writing"
)

// Names of what Run makes in its directory.
const (
	HitsName   = "hits.jsonl"
	LessName   = "less.jsonl" // what does not count
	KeptName   = "kept"
	ReportName = "report.json"
	PageName   = "report.html"
)

// result returns how the directory of a result is made.
func (o *Options) result() outdir.Options {
	where, _ := os.Getwd() // or none
	return outdir.Options{By: "decontaminate", Command: o.Command, Where: where, FS: o.FS}
}

// Run finds the items of Options.Tests in the documents of inputs, and writes what it has found to dir. There must be no such
// directory, or it must be empty, or have what the same command has written and nothing else. All of the result appears, or nothing.
// The error is that of corpus.Open, of the file system, of reading, or the cause of ctx.
func Run(ctx context.Context, inputs []string, dir string, o Options) (_ *Report, err error) {
	began := time.Now()
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	j := &job{o: o, ctx: ctx}
	defer func() { err = errors.Join(err, j.close()) }()
	if err := j.begin(inputs, dir); err != nil {
		return nil, err
	}
	j.phase(ReadingTests)
	if j.items, err = readItems(ctx, o, j.bad); err != nil {
		return nil, err
	}
	if err := j.checkItems(); err != nil {
		return nil, err
	}
	j.finder = newFinder(j.items.text, o.Rule)
	j.report.Form = j.finder.Form
	j.items.countForms(j.finder)
	j.phase(Reading)
	if err := j.scan(); err != nil {
		return nil, err
	}
	j.phase(Listing)
	if err := j.writeHits(); err != nil {
		return nil, err
	}
	j.phase(Writing)
	if err := j.purify(); err != nil {
		return nil, err
	}
	j.report.Seconds = time.Since(began).Seconds()
	if err := j.writeReport(); err != nil {
		return nil, err
	}
	j.done = true
	return &j.report, j.dir.Commit()
}

// A job is one Run.
type job struct {
	o      Options
	ctx    context.Context
	train  *corpus.Reader
	files  []corpus.File // of train
	names  []string      // of the outputs of files, with Options.Purify
	dir    *outdir.Dir
	items  *items
	finder *finder
	found  finds
	report Report
	done   bool // all of the result is written
}

func (j *job) phase(what string) {
	if j.o.Phase != nil {
		j.o.Phase(what)
	}
}

// bad counts what cannot be read.
func (j *job) bad(err *corpus.BadError) {
	j.report.Bad++
	if j.o.Bad != nil {
		j.o.Bad(err)
	}
}

// begin finds the files, and takes the directory.
func (j *job) begin(inputs []string, dir string) error {
	o := j.o.Corpus
	o.Context, o.Raw, o.KeepFields = j.ctx, false, nil
	var err error
	if j.train, err = corpus.Open(inputs, o); err != nil {
		return err
	}
	j.files = j.train.Files()
	tests, err := openTests(j.ctx, j.o, j.bad)
	if err != nil {
		return err
	}
	if err := tests.Close(); err != nil {
		return err
	}
	var read []string
	for _, f := range slices.Concat(j.files, tests.files) {
		if !f.Once {
			read = append(read, f.Path)
		}
	}
	named := slices.DeleteFunc(slices.Concat(inputs, j.o.Tests), func(input string) bool { return input == corpus.Stdin.Path })
	if err := paths.Apart(dir, slices.Concat(named, read)); err != nil {
		return err
	}
	names, err := j.nameOutputs()
	if err != nil {
		return err
	}
	var readers disk.Readers // who may not read one of the files may not read what is made of them
	for _, path := range read {
		objects.See(&readers, path)
	}
	to := j.o.result()
	to.Perm = readers.Mode()
	if j.dir, err = outdir.Open(dir, to); err != nil {
		return err
	}
	if err := j.dir.Clear(); err != nil {
		return err
	}
	return j.dir.Plan(append(names, HitsName, LessName, ReportName, PageName))
}

// nameOutputs finds the names of what is written again. It is an error if a file cannot be.
func (j *job) nameOutputs() (names []string, err error) {
	if j.o.Purify == Nothing {
		return nil, nil
	}
	if name, once := j.train.Once(); once {
		return nil, fmt.Errorf("%s can be read only once, but files are read twice to purify them: save it to a file", name)
	}
	if j.names, err = rewrite.Names(paths.CommonBase(j.o.Corpus.Base, j.train.Dirs(), j.files), j.files); err != nil {
		return nil, err
	}
	for i, f := range j.files {
		if err := rewrite.CheckOutput(f.Path); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		names = append(names, KeptName+"/"+filepath.ToSlash(j.names[i]))
	}
	return names, nil
}

// checkItems returns an error if there is nothing to look for, which is more likely a mistake.
func (j *job) checkItems() error {
	for _, name := range j.o.TestFields {
		if !slices.Contains(j.items.fieldNames, name) {
			return fmt.Errorf("no item of the tests has a text in a field %q", name)
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
		return fmt.Errorf("none of %s of the tests has a text of %s or more", terminal.Plural(all, "item"), terminal.Plural(j.o.MinWords, "word"))
	}
	return nil
}

// close gives up what is open. Of a run that has not ended, nothing is left.
func (j *job) close() (err error) {
	if j.train != nil {
		err = j.train.Close()
	}
	if j.dir != nil {
		if !j.done {
			err = errors.Join(err, j.dir.Clear())
		}
		err = errors.Join(err, j.dir.Close())
	}
	return errors.Join(err, j.found.close())
}
