// Package copied finds who copied from whom among submissions, such as the essays of a class: the passages that two
// of them share, with some words changed or none, in any order, and the share of each that others have.
//
// A submission is a document, or with Options.ByFolder what a person has in a folder. A document with the id and the
// text of an earlier one is that one, and one with the id of another text is called by its file and line. All texts
// are in memory. What two submissions share is weighed, and their pairs come in the order of how seldom independent
// ones share so much. Passages within one submission do not count, nor what the base has, such as the text of the
// task.
package copied

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
	"simsearch/internal/quality/report"
	"simsearch/preprocess"
)

// Options say what is compared.
type Options struct {
	run.Options
	Base   []Named // texts that all may have: what they have does not count, and their files are no submissions
	Common float64 // what so many submissions have does not count, as Many says
	// ByFolder makes one submission of the documents of a folder: one directly below a directory of the inputs, or an
	// input without folders.
	ByFolder bool
	Memory   int64 // about how much the texts may take; 0 is no limit
}

// pairsName is the name of the list of pairs in the directory of a result.
const pairsName = "pairs.jsonl"

// ErrMemory is returned if the texts take too much memory.
var ErrMemory = errors.New("the texts are held in memory, and take more than there is")

// Run finds the pairs of submissions that share passages, and writes them and a report to dir, unless that is "", as
// run.Ask says.
func Run(ctx context.Context, inputs []string, dir string, o Options) (*Report, error) {
	j := &job{engine: engine{o: o, pairs: map[[2]int]*Pair{}}}
	if err := run.Ask(ctx, inputs, dir, o.Options, j); err != nil {
		return nil, err
	}
	return &j.report, nil
}

// A job is one Run.
type job struct {
	*run.Run
	engine
	report Report

	again   int         // documents that have come before, with the same id and text
	renamed [][2]string // ids that stand for another text already, and those that are given instead
}

// Begin is that of run.Question.
func (j *job) Begin(r *run.Run) (run.Plan, error) {
	j.Run, j.ctx = r, r.Context
	j.did = r.DidParts
	return run.Plan{By: "pairs", Writes: []string{pairsName, run.LeftOutName}}, nil
}

// Answer is that of run.Question.
func (j *job) Answer() error {
	j.Next(run.Reading)
	if err := j.read(); err != nil {
		return err
	}
	j.Next(run.Comparing)
	j.many = Many(len(j.units), j.o.Common)
	if err := j.compare(); err != nil {
		return err
	}
	if j.summarize(); j.Dir == nil {
		return nil
	}
	err := j.List(pairsName, func(row func(any) error) error {
		for _, p := range j.report.Pairs {
			if err := row(report.Filled(p, terminal.String.Text)); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, j.ListLeftOut(j.Left, len(j.Left)))
}

// Report is that of run.Question.
func (j *job) Report() (any, func(io.Writer) error) { return &j.report, j.writeHTML }

// Close is that of run.Question.
func (j *job) Close() error { return nil }

// A text is one document.
type text struct {
	*sequences.Text
	id   string
	unit int
	code bool // its words are tokens of a language
	// folder is the one that has it, directly below a directory of the inputs, and inner the one in that; or ""
	folder, inner string
	base          []bool  // words that the base has; nil if there is none
	given         []bool  // words of what several submissions may have been given; nil if there are none
	in            []int32 // by how many other submissions have a word
}

// A unit is a submission.
type unit struct {
	name        string
	texts       []int
	words, base int  // all words, and those that the base has
	long        bool // its sources or its other texts are not too short to tell
}

// wordBytes is about how much memory a byte of text takes, with its words, codes and seeds.
const wordBytes = 8

// read reads all texts, and puts them into submissions.
func (j *job) read() error {
	named, known := map[string]int{}, map[[2]string][]*text{} // submissions by folder; texts by folder and id
	folders := foldersOf(j.Reader)
	documents := j.Documents(j.Reader, nil, func(_ int, doc *document.Document) error { return run.Words(doc) })
	for doc, err := range documents {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(j.o.Base, func(b Named) bool { return filepath.Clean(b.Name) == filepath.Clean(doc.Source) }) {
			continue
		}
		j.Did(j.Reader.Progress())
		t := &text{Text: &sequences.Text{Raw: slices.Clone(doc.Text)}, id: string(doc.ID)}
		j.divide(t, doc.Source)
		folder := "" // the document is a submission
		if j.o.ByFolder {
			folder = folders.of(doc.Source)
		}
		others := known[[2]string{folder, t.id}]
		if slices.ContainsFunc(others, func(o *text) bool { return bytes.Equal(o.Raw, doc.Text) }) {
			j.again++
			continue
		}
		known[[2]string{folder, t.id}] = append(others, t)
		if len(others) > 0 {
			t.id = j.Reader.Name(doc.Source)
			if doc.Line > 0 {
				t.id = fmt.Sprintf("%s:%d", t.id, doc.Line)
			}
			j.renamed = append(j.renamed, [2]string{string(doc.ID), t.id})
		}
		j.report.Bytes += int64(len(doc.Text))
		if j.o.Memory > 0 && wordBytes*j.report.Bytes > j.o.Memory {
			return ErrMemory
		}
		n, is := named[folder]
		if !is || folder == "" {
			n = len(j.units)
			named[folder] = n
			j.units = append(j.units, &unit{name: cmp.Or(folder, t.id)})
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

// divide divides the text of a file into words, or a source into tokens.
func (e *engine) divide(t *text, file string) {
	if code := preprocess.CodeOf(file); code != nil {
		t.code = true
		t.ReadCode(t.Raw, code)
		return
	}
	e.words.Read(t.Raw)
	e.words.ReadStop()
	t.Words, t.Stop = slices.Clone(e.words.Words), e.words.Stop
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

// Folders are the directories of the inputs, the longest first. Those with folders have documents of several
// submissions.
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

// below returns the folder directly below a directory of the inputs that a file is in, or "", and the name of the one
// in that, or "".
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

// of returns the name of the submission that has the documents of a file, or "" if each of them is one.
func (f *folders) of(file string) string {
	dir, below := f.within(file)
	first, _, in := strings.Cut(below, "/")
	switch {
	case below == "" && file == corpus.Stdin.Path:
		return ""
	case below == "": // it is named itself
		return path.Dir(f.reader.Name(file))
	case in:
		return f.reader.Name(filepath.Join(dir, first))
	case f.nested[dir]:
		return ""
	}
	return f.reader.Name(dir)
}
