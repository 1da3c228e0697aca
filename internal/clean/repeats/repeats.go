// Package repeats removes repeated passages from a collection of files: sequences of words that have occurred before,
// in an earlier document or earlier in the same one. The first occurrence stays.
//
//	r, err := repeats.Run(ctx, inputs, dir, repeats.Options{Options: run.Options{Threads: 2}, Words: 8})
//
// What counts is the words in their order, whatever their case, punctuation and white space. Nothing is missed, and
// nothing else is cut (engine.go says how it is found). Where something was cut, words come together that were apart.
// So what is left is looked at again, until no sequence of so many words occurs twice, or 32 times. What is left of a
// document is written byte for byte.
//
// Source: K. Lee et al., "Deduplicating Training Data Makes Language Models Better", ACL 2022, who cut sequences of 50
// tokens.
package repeats

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
)

// Options say what is cut.
type Options struct {
	run.Options
	// Words is how many words in a row are cut if they have occurred before, LeastWords or more.
	Words int
	// InOrder takes the files in the order of the inputs. By default, the first is the first by its path, so that the
	// same stays in any order.
	InOrder bool
	// DryRun writes the list and the report, and no documents.
	DryRun bool
	// Memory is about how many bytes are used; 0 is half of what the machine has.
	Memory int64
}

// mostPasses is after how many passes Run ends. Real texts take one to three. A text can be made such that its
// passages come together one pass after the other, and each pass reads all files.
const mostPasses = 32

// Bounds of Options.Words. A sequence of one word could share its characters with both of its neighbours in texts
// without spaces.
const (
	LeastWords = 2
	MostWords  = 10_000
)

// Cutting is the phase in which texts lose what is repeated.
const Cutting = "cutting"

// A job is one Run.
type job struct {
	*run.Run
	*engine
	o      Options
	first  []uint32         // the first document of each file, and the number of all
	ids    spill.Records    // of all documents
	rows   spill.Records    // what is cut, one piece after the other
	texts  spill.Records    // and the beginning of each
	lost   []corpus.LeftOut // files of which the end is neither compared nor written
	report Report
}

// Run writes inputs again, to dir, without repeated passages, as run.Ask says.
func Run(ctx context.Context, inputs []string, dir string, o Options) (*Report, error) {
	if o.Words < LeastWords || o.Words > MostWords {
		return nil, fmt.Errorf("passages of %d words: want %d to %d", o.Words, LeastWords, MostWords)
	}
	o.FS, o.Corpus.ByPath = cmp.Or(o.FS, disk.OS), !o.InOrder
	j := &job{o: o, engine: newEngine(o.Words, o.Threads, spill.MemoryOr(o.Memory), o.FS, o.Temp)}
	j.ids.Bytes, j.rows.Bytes, j.texts.Bytes = j.newBytes(), j.newBytes(), j.newBytes()
	if err := run.Ask(ctx, inputs, dir, o.Options, j); err != nil {
		return nil, err
	}
	return &j.report, nil
}

// Begin is that of run.Question.
func (j *job) Begin(r *run.Run) (run.Plan, error) {
	j.Run = r
	j.report.longest = run.Top[cutRow]{Most: mostLongest, Order: func(a, b cutRow) int { return cmp.Compare(b.Words, a.Words) }}
	for _, f := range r.Files {
		j.report.Sources = append(j.report.Sources, Source{Path: f.Path})
	}
	return run.Plan{By: "dedup", Writes: []string{run.CutName, run.RemovedName, run.LeftOutName}, Again: "is read several times"}, nil
}

// Answer is that of run.Question.
func (j *job) Answer() error {
	j.Next(run.Reading)
	if err := j.read(); err != nil {
		return err
	}
	for some, err := true, error(nil); some; {
		if some, err = j.pass(); err != nil {
			return err
		}
		if some && j.report.Passes == mostPasses {
			j.report.Warnings.Add("After %d passes, something may still be repeated: do the same with what is kept.", mostPasses)
			break
		}
	}
	j.Next(run.Writing)
	return j.write()
}

// Report is that of run.Question.
func (j *job) Report() (any, func(io.Writer) error) { return j.summarize(), j.report.WriteHTML }

// Close is that of run.Question.
func (j *job) Close() error {
	return errors.Join(j.engine.close(), j.ids.Close(), j.rows.Close(), j.texts.Close())
}

// pass finds what is repeated, and cuts it. It reports whether it has cut something: then there may be more.
func (j *job) pass() (some bool, err error) {
	j.Next(run.Comparing)
	found, err := j.find(j.Context)
	defer func() { err = errors.Join(err, found.list.Close()) }()
	if err != nil || len(found.docs) == 0 {
		return false, err
	}
	j.Next(Cutting)
	size, err := j.cut(&found)
	if err != nil || size == 0 {
		return false, err
	}
	j.report.Passes++
	return true, nil
}

// each reads the documents, and calls work with batches of them and take with the results in order. In place of its
// fields, each document has its number. When they are read first, they are counted, and those that cannot be read are
// told of.
func each[T any](
	j *job, first bool, work func(b *analysis.Batch) (T, error), take func(*analysis.Batch, T) error,
) (err error) {
	r, err := corpus.Open(j.Inputs, j.Corpus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	number, place := uint32(0), [4]byte{}
	see := func(file int, doc *document.Document) error {
		if err := run.Words(doc); err != nil {
			return err
		}
		if !rewrite.ReplacesText(r.Layout()) {
			return fmt.Errorf("%w: %s is read as %s", rewrite.ErrText, doc.Source, r.Format())
		}
		if first {
			j.report.Sources[file].Documents++
		}
		binary.LittleEndian.PutUint32(place[:], number)
		doc.Fields = place[:]
		number++
		return nil
	}
	documents := run.Documents(r, nil, see)
	if first {
		documents = j.Documents(r, func(file int) { j.report.Sources[file].Bad++ }, see)
	}
	err = analysis.Texts(j.Context, documents, j.Threads, func(_ context.Context, b *analysis.Batch) (T, error) { return work(b) },
		func(b *analysis.Batch, out T) error {
			j.Did(r.Progress())
			return take(b, out)
		})
	if left := j.Left; first && len(left) > 0 {
		j.report.Warnings.Add("%s left out, such as %s (%v): %s names each.", terminal.Plural(len(left), "file"), left[0].Path, left[0].Why,
			run.LeftOutName)
	}
	return err
}

// read reads all documents for the first time.
func (j *job) read() error {
	readers := sync.Pool{New: func() any { return new(reader) }}
	p := j.parts[0]
	err := each(j, true, func(b *analysis.Batch) (words [][]byte, err error) {
		r := readers.Get().(*reader)
		defer readers.Put(r)
		for i := range b.Len() {
			is := b.Result(i)
			r.hashes = r.words.AppendTo(r.hashes[:0], is.Text)
			words = append(words, encoded(r.hashes))
			r.shrink(is.Text)
		}
		return words, nil
	}, func(b *analysis.Batch, words [][]byte) error {
		for i, of := range words {
			is := b.Result(i)
			p.add(of)
			j.ids.Add(is.ID)
			j.report.Bytes += int64(len(is.Text))
		}
		return errors.Join(p.store.Flush(), j.ids.Flush())
	})
	if err != nil {
		return err
	}
	j.first = []uint32{0}
	for i, s := range j.report.Sources {
		j.first = append(j.first, j.first[i]+uint32(s.Documents))
	}
	j.report.Documents = j.count()
	if err := j.ids.Map(); err != nil {
		return err
	}
	return p.finish()
}
