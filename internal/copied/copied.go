// Package copied finds who copied from whom among submissions, such as the essays of a class: the passages that two of them share, with
// some words changed or none, in any order, and the share of each that others have.
//
// A submission is a document, or with Options.ByFolder what a person has in a folder. All texts are in memory. No passage within the
// bounds is missed: package passages says what they mean. Passages within one submission do not count, nor what the base has, such as
// the text of the task.
package copied

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/objects"
	"simsearch/internal/outdir"
	"simsearch/internal/passages"
	"simsearch/internal/paths"
	"simsearch/internal/terminal"
)

// Options say what is compared.
type Options struct {
	// Corpus says how the files are read. Context, Raw and KeepFields are not used.
	Corpus corpus.Options
	passages.Bounds
	// Base are texts whose passages do not count, and BaseFiles their files, which are no submissions.
	Base, BaseFiles []string
	// ByFolder makes one submission of the documents of a folder: one directly below a directory of the inputs, or an input without folders.
	ByFolder bool
	Threads  int   // at least one
	Memory   int64 // about how much the texts may take; 0 is no limit
	// Command is what repeats the run, for the report.
	Command string
	// FS is the file system that is written to; nil is disk.OS.
	FS disk.FS
	// Bad, if not nil, is told of each document that cannot be read.
	Bad func(*corpus.BadError)
	// Phase, if not nil, is told the name of what is done next. Progress, if not nil, is told how far that is: in bytes of files, or in
	// documents of Comparing.
	Phase    func(what string)
	Progress func(done, all int64)
}

// The phases.
const (
	Reading   = "reading"
	Comparing = "comparing"
)

// Names of what Run makes in its directory.
const (
	PairsName  = "pairs.jsonl"
	ReportName = "report.json"
	PageName   = "report.html"
)

// ErrMemory is returned if the texts take too much memory.
var ErrMemory = errors.New("the texts are held in memory, and take more than there is")

// Run finds the pairs of submissions that share passages, and writes them and a report to dir, unless that is "". There must be no such
// directory, or it must be empty, or have what the same command has written and nothing else. All of the result appears, or nothing.
// The error is that of corpus.Open, of the file system, of reading, or the cause of ctx.
func Run(ctx context.Context, inputs []string, dir string, o Options) (_ *Report, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	j := &job{o: o, ctx: ctx, inputs: inputs}
	j.o.Corpus.Context, j.o.Corpus.Raw, j.o.Corpus.KeepFields = ctx, false, nil
	defer func() { err = errors.Join(err, j.close()) }()
	if j.reader, err = corpus.Open(inputs, j.o.Corpus); err != nil {
		return nil, err
	}
	if dir != "" {
		if err := j.open(dir); err != nil {
			return nil, err
		}
	}
	j.phase(Reading)
	if err := j.read(); err != nil {
		return nil, err
	}
	j.phase(Comparing)
	if err := j.compare(); err != nil {
		return nil, err
	}
	j.summarize()
	if dir == "" {
		return &j.report, nil
	}
	if err := j.write(); err != nil {
		return nil, err
	}
	j.done = true
	return &j.report, j.dir.Commit()
}

// A job is one Run.
type job struct {
	o      Options
	ctx    context.Context
	inputs []string
	reader *corpus.Reader
	dir    *outdir.Dir // or nil
	texts  []*text     // in the order in which they are read
	units  []*unit     // in the order of their first texts
	matches
	report Report
	done   bool // all of the result is written
}

// A text is one document.
type text struct {
	*passages.Text
	id   string
	unit int
	// folder is the one that has it, directly below a directory of the inputs, and inner the one in that; or ""
	folder, inner string
	base          []bool  // words that the base has; nil if there is none
	in            []int32 // by how many other submissions have a word
}

// A unit is a submission.
type unit struct {
	name        string
	texts       []int
	words, base int // all words, and those that the base has
}

func (j *job) phase(what string) {
	if j.o.Phase != nil {
		j.o.Phase(what)
	}
}

// open takes the directory.
func (j *job) open(dir string) error {
	var read []string
	var readers disk.Readers // who may not read one of the files may not read what is made of them
	for _, f := range j.reader.Files() {
		if !f.Once {
			read = append(read, f.Path)
			objects.See(&readers, f.Path)
		}
	}
	named := slices.DeleteFunc(slices.Clone(j.inputs), func(input string) bool { return input == corpus.Stdin.Path })
	if err := paths.Apart(dir, append(named, read...)); err != nil {
		return err
	}
	where, _ := os.Getwd() // or none
	var err error
	j.dir, err = outdir.Open(dir, outdir.Options{By: "pairs", Command: j.o.Command, Where: where, FS: j.o.FS, Perm: readers.Mode()})
	if err != nil {
		return err
	}
	return errors.Join(j.dir.Clear(), j.dir.Plan([]string{PairsName, ReportName, PageName}))
}

// close gives up what is open. Of a run that has not ended, nothing is left.
func (j *job) close() (err error) {
	if j.reader != nil {
		err = j.reader.Close()
	}
	if j.dir != nil {
		if !j.done {
			err = errors.Join(err, j.dir.Clear())
		}
		err = errors.Join(err, j.dir.Close())
	}
	return err
}

// wordBytes is about how much memory a byte of text takes, with its words, codes and seeds.
const wordBytes = 8

// read reads all texts, and puts them into submissions.
func (j *job) read() error {
	named := map[string]int{}
	var words passages.Text // whose memory is used again
	folders := foldersOf(j.reader)
	for doc, err := range j.reader.Documents() {
		if bad, is := errors.AsType[*corpus.BadError](err); is && !errors.Is(err, context.Canceled) {
			if j.report.Bad++; j.o.Bad != nil {
				j.o.Bad(bad)
			}
			continue
		}
		if err != nil {
			return err
		}
		if doc.Given() {
			return fmt.Errorf("%s: fingerprints and pictures have no words to compare", doc.Source)
		}
		if slices.ContainsFunc(j.o.BaseFiles, func(file string) bool { return filepath.Clean(file) == filepath.Clean(doc.Source) }) {
			continue
		}
		if j.o.Progress != nil {
			j.o.Progress(j.reader.Progress())
		}
		words.Read(doc.Text)
		t := &text{Text: &passages.Text{Raw: slices.Clone(doc.Text), Words: slices.Clone(words.Words)}, id: string(doc.ID)}
		j.report.Bytes += int64(len(doc.Text))
		if j.o.Memory > 0 && wordBytes*j.report.Bytes > j.o.Memory {
			return ErrMemory
		}
		name := t.id
		if j.o.ByFolder {
			name = folders.of(doc.Source, t.id)
		}
		n, known := named[name]
		if !known {
			n = len(j.units)
			named[name] = n
			j.units = append(j.units, &unit{name: name})
		}
		t.unit = n
		t.folder, t.inner = folders.below(doc.Source)
		u := j.units[n]
		u.texts, u.words = append(u.texts, len(j.texts)), u.words+len(t.Words)
		j.texts = append(j.texts, t)
	}
	j.shorten()
	if j.o.ByFolder && len(j.units) == 1 && len(j.texts) > 1 {
		return fmt.Errorf("--by-field folder: all documents are of one folder, %s: name the directory that has a folder for each person, or leave it out",
			terminal.Plain(j.units[0].name))
	}
	return nil
}

// shorten calls submissions that are folders by the last parts of their paths, if these differ.
func (j *job) shorten() {
	known := map[string]bool{}
	for _, u := range j.units {
		known[path.Base(u.name)] = true
	}
	for _, u := range j.units {
		if j.o.ByFolder && len(known) == len(j.units) {
			u.name = path.Base(u.name)
		}
	}
}

// Folders are the directories of the inputs, the longest first. Those with folders have documents of several submissions.
type folders struct {
	reader *corpus.Reader
	dirs   []string
	nested map[string]bool
}

func foldersOf(r *corpus.Reader) (f folders) {
	f.reader, f.nested = r, map[string]bool{}
	for _, dir := range r.Dirs() {
		f.dirs = append(f.dirs, filepath.Clean(dir))
	}
	slices.SortStableFunc(f.dirs, func(a, b string) int { return len(b) - len(a) })
	for _, file := range r.Files() {
		if dir, below := f.within(file.Path); strings.Contains(below, "/") {
			f.nested[dir] = true
		}
	}
	return f
}

// within returns the directory of the inputs that a file is in, and its path from there; or nothing.
func (f *folders) within(file string) (dir, below string) {
	for _, dir := range f.dirs {
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			return dir, filepath.ToSlash(rel)
		}
	}
	return "", ""
}

// below returns the folder directly below a directory of the inputs that a file is in, or "", and the name of the one in that, or "".
func (f *folders) below(file string) (folder, inner string) {
	dir, below := f.within(file)
	parts := strings.Split(below, "/")
	if len(parts) < 2 {
		return "", ""
	}
	if len(parts) > 2 {
		inner = parts[1]
	}
	return filepath.Join(dir, parts[0]), inner
}

// of returns the name of the submission of a document of a file.
func (f *folders) of(file, id string) string {
	dir, below := f.within(file)
	first, _, in := strings.Cut(below, "/")
	switch {
	case below == "" && file == corpus.Stdin.Path:
		return id
	case below == "": // it is named itself
		return path.Dir(f.reader.Name(corpus.File{Path: file}))
	case in:
		return f.reader.Name(corpus.File{Path: filepath.Join(dir, first)})
	case f.nested[dir]:
		return id
	}
	return f.reader.Name(corpus.File{Path: dir})
}
