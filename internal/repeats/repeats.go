// Package repeats removes repeated passages from a collection of files: sequences of words that have occurred before, in an earlier
// document or earlier in the same one. The first occurrence stays.
//
//	r, err := repeats.Run(ctx, inputs, dir, repeats.Options{Words: 8, Threads: 2})
//
// What counts is the words in their order, whatever their case, punctuation and white space. Nothing is missed, and nothing else is cut
// (engine.go says how it is found). Where something was cut, words come together that were apart. So what is left is looked at again, until no
// sequence of so many words occurs twice, or 32 times. What is left of a document is written byte for byte.
//
// Source: K. Lee et al., "Deduplicating Training Data Makes Language Models Better", ACL 2022, who cut sequences of 50
// tokens.
package repeats

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/analysis"
	"simsearch/internal/collected"
	"simsearch/internal/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/document"
	"simsearch/internal/objects"
	"simsearch/internal/outdir"
	"simsearch/internal/paths"
	"simsearch/internal/rewrite"
	"simsearch/internal/spill"
	"simsearch/internal/terminal"
	"simsearch/internal/wordhash"
)

// Options say what is cut, and how files are read and written.
type Options struct {
	// Corpus says how files are read. Context, Raw and KeepFields are not used.
	Corpus corpus.Options
	// Words is how many words in a row are cut if they have occurred before, LeastWords or more.
	Words int
	// InOrder takes the files in the order of the inputs. By default, the first is the first by its path, so that the same stays in any order.
	InOrder bool
	// DryRun writes the list and the report, and no documents.
	DryRun  bool
	Threads int // at least one
	// Memory is about how many bytes are used; 0 is half of what the machine has.
	Memory int64
	// Command is what repeats the run, for the report.
	Command string
	// Temp is the directory of temporary files; "" is that of the system.
	Temp string
	// FS is the file system that is written to; nil is disk.OS.
	FS disk.FS
	// Bad, if not nil, is told of each document that cannot be read. Such a document stays in its file as it is.
	Bad func(*corpus.BadError)
	// Phase, if not nil, is told the name of what is done next. Progress, if not nil, is told how far that is: in bytes of files of Reading
	// and Cutting, and otherwise in files.
	Phase    func(what string)
	Progress func(done, all int64)
}

// mostPasses is after how many passes Run ends. Real texts take one to three. A text can be made such that its passages come together
// one pass after the other, and each pass reads all files.
const mostPasses = 32

// Bounds of Options.Words. A sequence of one word could share its characters with both of its neighbours in texts without spaces.
const (
	LeastWords = 2
	MostWords  = 10_000
)

// Cutting is the phase in which texts lose what is repeated. The others are those of collected.
const Cutting = "cutting"

// A job is one Run.
type job struct {
	*engine
	o      Options
	ctx    context.Context
	inputs []string
	files  []corpus.File
	names  []string // of the outputs of files
	dir    *outdir.Dir
	first  []uint32 // the first document of each file, and the number of all
	ids    ids
	rows   rows
	lost   []corpus.LeftOut // files that are neither compared nor written, and then those of which the end is not
	gone   []gone
	report Report
	done   bool // all of the result is written
}

// Run writes inputs again, to dir, without repeated passages. There must be no such directory, or it must be empty, or have what the same
// command has written and nothing else. All of the result appears, or nothing. The error is that of corpus.Open, of the file system, of
// reading, or the cause of ctx.
func Run(ctx context.Context, inputs []string, dir string, o Options) (_ *Report, err error) {
	if o.Words < LeastWords || o.Words > MostWords {
		return nil, fmt.Errorf("passages of %d words: want %d to %d", o.Words, LeastWords, MostWords)
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	j := &job{o: o, ctx: ctx, inputs: inputs, engine: newEngine(o.Words, o.Threads, spill.MemoryOr(o.Memory), o.FS, o.Temp)}
	j.ids.bytes, j.rows.bytes = j.newBytes(), j.newBytes()
	defer func() { err = errors.Join(err, j.close()) }()
	if err := j.begin(dir); err != nil {
		return nil, err
	}
	j.phase(collected.Reading)
	if err := j.read(); err != nil {
		return nil, err
	}
	for some := true; some; {
		if some, err = j.pass(); err != nil {
			return nil, err
		}
		if some && j.report.Passes == mostPasses {
			j.report.warn("After %d passes, something may still be repeated: do the same with what is kept.", mostPasses)
			break
		}
	}
	j.phase(collected.Writing)
	if err := j.write(); err != nil {
		return nil, err
	}
	j.done = true
	return &j.report, j.dir.Commit()
}

// pass finds what is repeated, and cuts it. It reports whether it has cut something: then there may be more.
func (j *job) pass() (some bool, err error) {
	j.phase(collected.Comparing)
	found, err := j.find(j.ctx)
	defer func() { err = errors.Join(err, found.list.Close()) }()
	if err != nil || len(found.docs) == 0 {
		return false, err
	}
	j.phase(Cutting)
	size, err := j.cut(&found)
	if err != nil || size == 0 {
		return false, err
	}
	j.report.Passes++
	j.phase(collected.Comparing)
	return true, j.again(j.ctx)
}

func (j *job) phase(what string) {
	if j.o.Phase != nil {
		j.o.Phase(what)
	}
}

// corpusOptions returns how files are read.
func (j *job) corpusOptions(ctx context.Context) corpus.Options {
	o := j.o.Corpus
	o.Context, o.Raw, o.KeepFields, o.ByPath = ctx, false, nil, !j.o.InOrder
	return o
}

// begin finds the files, and takes the directory.
func (j *job) begin(dir string) error {
	r, err := corpus.Open(j.inputs, j.corpusOptions(j.ctx))
	if err != nil {
		return err
	}
	name, once := r.Once()
	j.files = r.Files()
	if err := r.Close(); err != nil {
		return err
	}
	if once {
		return fmt.Errorf("%s can be read only once, but is read several times: save it to a file", name)
	}
	if j.names, err = rewrite.Names(paths.CommonBase(j.o.Corpus.Base, r.Dirs(), j.files), j.files); err != nil {
		return err
	}
	read := []string{}
	outputs := []string{collected.CutName, collected.RemovedName, collected.LeftOutName, collected.ReportName, collected.PageName}
	var readers disk.Readers // who may not read one of the files may not read what is made of them
	for i, f := range j.files {
		if err := rewrite.CheckOutput(f.Path); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		objects.See(&readers, f.Path)
		read, outputs = append(read, f.Path), append(outputs, collected.KeptName+"/"+filepath.ToSlash(j.names[i]))
		j.report.Sources = append(j.report.Sources, Source{Path: f.Path})
	}
	if err := paths.Apart(dir, append(read, j.inputs...)); err != nil {
		return err
	}
	where, _ := os.Getwd() // or none
	to := outdir.Options{By: "dedup", Command: j.o.Command, Where: where, FS: j.o.FS, Perm: readers.Mode()}
	if j.dir, err = outdir.Open(dir, to); err != nil {
		return err
	}
	if err := j.dir.Clear(); err != nil {
		return err
	}
	return j.dir.Plan(outputs)
}

// documents yields the documents of inputs. In place of its fields, each has its number. bad, if not nil, is told of those that cannot be
// read, and see of the number of the file of each that can.
func (j *job) documents(r *corpus.Reader, bad func(*corpus.BadError), see func(file int)) iter.Seq2[*document.Document, error] {
	file, number := 0, uint32(0)
	fileOf := func(path string) int {
		for i := file; i < len(j.files); i++ {
			if j.files[i].Path == path {
				file = i
				break
			}
		}
		return file
	}
	var place [4]byte
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range r.Documents() {
			if b, is := errors.AsType[*corpus.BadError](err); is && !errors.Is(err, context.Canceled) {
				if bad != nil {
					bad(b)
					j.report.Sources[fileOf(b.Path)].Bad++
				}
				continue
			}
			switch {
			case err != nil:
			case doc.Given():
				err = fmt.Errorf("%s: fingerprints and pictures have no words to compare", doc.Source)
			case !rewrite.ReplacesText(r.Layout()):
				err = fmt.Errorf("%w: %s is read as %s", collected.ErrText, doc.Source, r.Format())
			default:
				if see != nil {
					see(fileOf(doc.Source))
				}
				binary.LittleEndian.PutUint32(place[:], number)
				doc.Fields = place[:]
				number++
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// each reads the documents, and calls work with batches of them and take with the results in order.
func each[T any](j *job, bad func(*corpus.BadError), see func(file int), work func(b *analysis.Batch) (T, error), take func(T) error) (err error) {
	r, err := corpus.Open(j.inputs, j.corpusOptions(j.ctx))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	err = analysis.Texts(j.ctx, j.documents(r, bad, see), j.o.Threads, func(_ context.Context, b *analysis.Batch) (T, error) { return work(b) },
		func(_ *analysis.Batch, out T) error {
			if j.o.Progress != nil {
				j.o.Progress(r.Progress())
			}
			return take(out)
		})
	if left := r.LeftOut(); bad != nil && len(left) > 0 {
		slices.SortFunc(left, func(a, b corpus.LeftOut) int { return strings.Compare(a.Path, b.Path) })
		j.lost, j.report.LeftOut = left, len(left)
		j.report.warn("%s left out, such as %s (%v): %s names each.", terminal.Plural(len(left), "file"), left[0].Path, left[0].Why,
			collected.LeftOutName)
	}
	return err
}

// ids are the ids of all documents: in memory 8 bytes each.
type ids struct {
	bytes spill.Bytes
	ends  []uint64
	all   []byte
}

func (s *ids) add(id []byte) {
	end := uint64(len(id))
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.bytes.Append(id)
	s.ends = append(s.ends, end)
}

func (s *ids) of(doc uint32) []byte {
	from := uint64(0)
	if doc > 0 {
		from = s.ends[doc-1]
	}
	return s.all[from:s.ends[doc]]
}

// hashed is what is kept of a batch.
type hashed struct {
	words []byte
	sizes []int
	seeds []seed // whose positions are in words
	ids   [][]byte
	bytes []int
}

// read reads all documents for the first time.
func (j *job) read() error {
	readers := newPool(func() *reader { return &reader{words: wordhash.New()} })
	counts := make([]uint32, len(j.files))
	p := j.parts[0]
	err := each(j, j.bad, func(file int) { counts[file]++ }, func(b *analysis.Batch) (h hashed, err error) {
		r := readers.Get()
		defer readers.Put(r)
		for i := range b.Len() {
			is := b.Result(i)
			r.hashes = r.words.AppendTo(r.hashes[:0], is.Text)
			h.seeds = r.append(h.seeds, j.engine, r.hashes, uint64(len(h.words)/8))
			h.sizes, h.ids, h.bytes = append(h.sizes, len(r.hashes)), append(h.ids, append([]byte(nil), is.ID...)), append(h.bytes, len(is.Text))
			h.words = appendEncoded(h.words, r.hashes)
			r.shrink(is.Text)
		}
		return h, nil
	}, func(h hashed) error {
		base := p.starts[len(p.starts)-1]
		for i := range h.seeds {
			h.seeds[i].at += base
		}
		for i, id := range h.ids {
			j.ids.add(id)
			j.report.Bytes += int64(h.bytes[i])
		}
		return errors.Join(p.add(h.words, h.sizes), j.list(h.seeds), j.ids.bytes.Flush())
	})
	if err != nil {
		return err
	}
	j.first = []uint32{0}
	for i, n := range counts {
		j.report.Sources[i].Documents = int(n)
		j.first = append(j.first, j.first[i]+n)
	}
	j.report.Documents = p.documents()
	if j.ids.all, err = j.ids.bytes.Map(); err != nil {
		return err
	}
	return p.finish()
}

func (p *part) documents() int { return len(p.starts) - 1 }

// bad counts what cannot be read.
func (j *job) bad(err *corpus.BadError) {
	j.report.Bad++
	if j.o.Bad != nil {
		j.o.Bad(err)
	}
}

// close gives up what is open. Of a run that has not ended, nothing is left.
func (j *job) close() (err error) {
	err = errors.Join(j.engine.close(), j.ids.bytes.Close(), j.rows.bytes.Close())
	if j.dir != nil {
		if !j.done {
			err = errors.Join(err, j.dir.Clear())
		}
		err = errors.Join(err, j.dir.Close())
	}
	return err
}
