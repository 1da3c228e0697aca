// Package run is one run over files that asks a question of them: it finds the files, takes the directory of the
// result, and makes all of what the question has written the result, or nothing.
package run

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// Options say how files are read and written, and what is told meanwhile.
type Options struct {
	// Corpus says how files are read. Context, Raw and KeepFields are not used.
	Corpus  corpus.Options
	Threads int // at least one
	// Command is what repeats the run, for the report.
	Command string
	// Temp is the directory of temporary files; "" is that of the system.
	Temp string
	// FS is the file system that is written to; nil is disk.OS.
	FS disk.FS
	// Bad, if not nil, is told of each document that cannot be read.
	Bad func(*corpus.BadError)
	// Phase, if not nil, is told the name of what is done next. Progress, if not nil, is told how far that is: in
	// bytes of files while they are read, and otherwise in documents or files, of which all is the negative number.
	Phase    func(what string)
	Progress func(done, all int64)
}

// The phases that several questions have.
const (
	Reading   = "reading"
	Comparing = "comparing"
	Writing   = "writing"
)

// Names of files and directories of results that several questions have.
const (
	KeptName    = "kept" // has the files without what is removed
	RemovedName = "removed.jsonl"
	CutName     = "cut.jsonl"      // parts of texts that are cut
	LeftOutName = "left_out.jsonl" // files of the input that are in no output, if there are any
	ReportName  = "report.json"
	PageName    = "report.html"
)

// A Question is what a run asks of files.
type Question interface {
	// Begin says what the question is going to read and write. The files are found.
	Begin(*Run) (Plan, error)
	// Answer reads the files, and writes all but the report. There may be no directory to write to.
	Answer() error
	// Report returns what report.json has, and what writes the page.
	Report() (figures any, page func(io.Writer) error)
	// Close gives up what is open.
	Close() error
}

// A Plan says what a question reads and writes.
type Plan struct {
	By     string   // the command that makes such results
	Reads  []string // inputs and files that are read beside those of the run
	Writes []string // the lists
	// Again says how files are read that are written again, such as "is read twice"; "" if they are not written.
	Again string
}

// A Run is one run.
type Run struct {
	Options
	Context context.Context
	Inputs  []string
	Reader  *corpus.Reader // of the inputs
	Files   []corpus.File
	Dir     *publish.Dir // of the result, or nil
	Missed  Missed
	Left    []corpus.LeftOut // the files that Missed counts, in the order of their paths
	names   []string         // of what is kept of files
	done    bool             // all of the result is written
}

// Ask asks a question of inputs, and writes the answer to dir, unless that is "". There must be no such directory, or
// it must be empty, or have what the same command has written and nothing else. All of the result appears, or
// nothing. The error is that of corpus.Open, of the file system, of reading, of the question, or the cause of ctx.
func Ask(ctx context.Context, inputs []string, dir string, o Options, q Question) (err error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Corpus.Context, o.Corpus.Raw, o.Corpus.KeepFields = ctx, false, nil
	r := &Run{Options: o, Context: ctx, Inputs: inputs}
	defer func() { err = errors.Join(err, q.Close(), r.close()) }()
	if r.Reader, err = corpus.Open(inputs, o.Corpus); err != nil {
		return err
	}
	r.Files = r.Reader.Files()
	plan, err := q.Begin(r)
	if err != nil {
		return err
	}
	if err := r.open(dir, plan); err != nil {
		return err
	}
	if err := q.Answer(); err != nil || dir == "" {
		return err
	}
	figures, page := q.Report()
	if err := WriteReport(r.Dir, figures, page); err != nil {
		return err
	}
	r.done = true
	return r.Dir.Commit()
}

// WriteJSON writes a report as indented JSON. Bytes that JSON does not allow are escaped as terminal.String escapes
// them.
func WriteJSON(w io.Writer, figures any) error {
	return report.JSON(w, report.Filled(figures, terminal.String.Text))
}

// WriteReport writes a report to a directory: as JSON, and as a page unless that is nil.
func WriteReport(to disk.FS, figures any, page func(w io.Writer) error) error {
	err := disk.WriteAtomicBy(to, ReportName, func(w *bufio.Writer) error { return WriteJSON(w, figures) })
	if page != nil {
		err = errors.Join(err, disk.WriteAtomicBy(to, PageName, func(w *bufio.Writer) error { return page(w) }))
	}
	return err
}

// open names the outputs, and takes the directory.
func (r *Run) open(dir string, p Plan) (err error) {
	writes := append(p.Writes, ReportName, PageName)
	if p.Again != "" {
		if name, once := r.Reader.Once(); once {
			return fmt.Errorf("%s can be read only once, but %s: save it to a file", name, p.Again)
		}
		if r.names, err = Names(r.Corpus.Base, r.Reader.Dirs(), r.Files); err != nil {
			return err
		}
		for _, name := range r.names {
			writes = append(writes, KeptName+"/"+filepath.ToSlash(name))
		}
	}
	if dir == "" {
		return nil
	}
	read := slices.Concat(r.Inputs, p.Reads)
	for _, f := range r.Files {
		if !f.Once() {
			read = append(read, f.Path)
		}
	}
	read = slices.DeleteFunc(read, func(path string) bool { return path == corpus.Stdin.Path })
	if err := Apart(dir, read); err != nil {
		return err
	}
	where, _ := os.Getwd() // or none
	r.Dir, err = publish.Open(dir, publish.Options{By: p.By, Command: r.Command, Where: where, FS: r.FS, Perm: Readers(read)})
	if err != nil {
		return err
	}
	return errors.Join(r.Dir.Clear(), r.Dir.Plan(writes))
}

// close gives up what is open. Of a run that has not ended, nothing is left.
func (r *Run) close() (err error) {
	if r.Reader != nil {
		err = r.Reader.Close()
	}
	if r.Dir != nil {
		if !r.done {
			err = errors.Join(err, r.Dir.Clear())
		}
		err = errors.Join(err, r.Dir.Close())
	}
	return err
}

// Next says what is done next.
func (o *Options) Next(phase string) {
	if o.Phase != nil {
		o.Phase(phase)
	}
}

// Did says how far that is.
func (o *Options) Did(done, all int64) {
	if o.Progress != nil {
		o.Progress(done, all)
	}
}

// DidParts is Did for parts that are no bytes.
func (o *Options) DidParts(done, all int) { o.Did(int64(done), -max(1, int64(all))) }

// TellBad tells of a document that cannot be read.
func (o *Options) TellBad(err *corpus.BadError) {
	if o.Bad != nil {
		o.Bad(err)
	}
}

// Write writes a file of the result, which appears complete or not at all.
func (r *Run) Write(name string, do func(w *bufio.Writer) error) error {
	return disk.WriteAtomicBy(r.Dir, name, do)
}

// List writes a list: a line of JSON for each of the rows that rows is called to give.
func (r *Run) List(name string, rows func(row func(any) error) error) error {
	return r.Write(name, func(w *bufio.Writer) error {
		to := json.NewEncoder(w)
		to.SetEscapeHTML(false)
		return rows(to.Encode)
	})
}

// ListLeftOut writes the list of files that are left out, if there are any: so many that are left out as a whole, and
// then others in part.
func (r *Run) ListLeftOut(files []corpus.LeftOut, whole int) error {
	if len(files) == 0 || r.Dir == nil {
		return nil
	}
	return r.List(LeftOutName, func(row func(any) error) error {
		for i, l := range files {
			is := NewLeftOut(l)
			is.InPart = i >= whole
			if err := row(is); err != nil {
				return err
			}
		}
		return nil
	})
}

// reading returns how one file is read.
func (r *Run) reading(ctx context.Context) corpus.Options {
	o := r.Corpus
	o.Context, o.FilesFrom, o.Decided = ctx, nil, nil
	return o
}

// Rewrite writes what is kept of a file.
func (r *Run) Rewrite(ctx context.Context, file int, decide rewrite.Decider) (rewrite.Result, error) {
	o, name := rewrite.Options{Corpus: r.reading(ctx), FS: r.Dir}, filepath.Join(KeptName, filepath.FromSlash(r.names[file]))
	is, err := rewrite.File(r.Files[file], name, o, decide)
	if errors.Is(err, rewrite.ErrDamaged) {
		err = fmt.Errorf("%s cannot be written again: leave it out (%w)", r.Files[file].Path, err)
	}
	return is, err
}

// Read calls decide as Rewrite does, and writes nothing.
func (r *Run) Read(ctx context.Context, file int, decide rewrite.Decider) (err error) {
	reader, err := corpus.OpenFile(r.Files[file], r.reading(ctx))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for doc, err := range Documents(reader, nil, nil) {
		if err == nil {
			_, err = decide(doc)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EachFile calls work with the number of each file, on all threads, and take with what it returns, in their order.
func EachFile[T any](r *Run, work func(ctx context.Context, file int) (T, error), take func(file int, is T) error) error {
	file := 0
	return parallel.Ordered(r.Context, r.Threads, len(r.Files), work, func(is T) error {
		err := take(file, is)
		file++
		r.DidParts(file, len(r.Files))
		return err
	})
}

// Each calls do with the numbers of so many things together, [from, to), up to n, on all threads. did, if not nil, is
// told how many are done.
func (o *Options) Each(
	ctx context.Context, n, together int, did func(done, all int),
	do func(ctx context.Context, from, to int) error,
) error {
	done := 0
	work := func(ctx context.Context, part int) (is struct{}, err error) {
		return is, cmp.Or(do(ctx, part*together, min(n, (part+1)*together)), context.Cause(ctx))
	}
	return parallel.Ordered(ctx, o.Threads, (n+together-1)/together, work, func(struct{}) error {
		if done = min(n, done+together); did != nil {
			did(done, n)
		}
		return nil
	})
}

// errNoWords is returned for what is no text.
var errNoWords = errors.New("fingerprints and pictures have no words to compare")

// ErrCopied is why a file of which nothing can be read is left out of a comparison, though all of it is in the output.
var ErrCopied = errors.New("it is copied as it is, and not compared")

// Changed returns the error that the file at path has changed since it was read.
func Changed(path string) error { return fmt.Errorf("%s: %w", path, rewrite.ErrChanged) }

// Documents yields the documents of a reader that can be read. If they are not nil, see may change each before it is
// yielded, and bad is told of the others. Both get the number of the file, which is 0 if there are no files.
func Documents(r *corpus.Reader, bad func(file int, is *corpus.BadError), see func(file int, doc *document.Document) error) iter.Seq2[*document.Document, error] {
	files, file := r.Files(), 0
	fileOf := func(path string) int {
		for i := file; i < len(files); i++ {
			if files[i].Path == path {
				file = i
				break
			}
		}
		return file
	}
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range r.Documents() {
			if is, ok := errors.AsType[*corpus.BadError](err); ok && !errors.Is(err, context.Canceled) {
				if bad != nil {
					bad(fileOf(is.Path), is)
				}
				continue
			}
			if err == nil && see != nil {
				err = see(fileOf(doc.Source), doc)
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// A Missed counts what is not compared.
type Missed struct {
	// Bad are documents that cannot be read, of files of which others can. They are in no other count.
	Bad     int `json:"bad"`
	LeftOut int `json:"left_out"` // files of which nothing is compared
	Damaged int `json:"-"`        // of LeftOut, those that are told of as bad; the others are no texts
}

// An unread is a file of which nothing has been read yet.
type unread struct {
	bad   int // documents that cannot be read
	first *corpus.BadError
}

// Documents yields the documents of a reader as the function of this name does, and tells of those that cannot be
// read. When all are read, they are in r.Missed. A file of which nothing can be read counts once, as a file, and is
// in r.Left. If it is not nil, bad gets the number of the file of each.
func (r *Run) Documents(
	reader *corpus.Reader, bad func(file int), see func(file int, doc *document.Document) error,
) iter.Seq2[*document.Document, error] {
	reading, nothing := "", map[string]*unread{}
	documents := Documents(reader, func(file int, is *corpus.BadError) {
		if r.TellBad(is); bad != nil {
			bad(file)
		}
		if is.Path == reading {
			r.Missed.Bad++
			return
		}
		if nothing[is.Path] == nil {
			nothing[is.Path] = &unread{first: is}
		}
		nothing[is.Path].bad++
	}, func(file int, doc *document.Document) error {
		if doc.Source != reading {
			reading = doc.Source
			if is := nothing[reading]; is != nil {
				r.Missed.Bad += is.bad
				delete(nothing, reading)
			}
		}
		if see == nil {
			return nil
		}
		return see(file, doc)
	})
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if !yield(doc, err) {
				return
			}
		}
		r.leave(reader, nothing)
	}
}

// leave adds the files of a reader of which nothing is read to those that are left out.
func (r *Run) leave(reader *corpus.Reader, nothing map[string]*unread) {
	copied := make(map[string]bool, len(r.names))
	for i := range r.names {
		copied[r.Files[i].Path] = true
	}
	r.Left = append(r.Left, slices.DeleteFunc(reader.LeftOut(), func(l corpus.LeftOut) bool { return l.Reported })...)
	for _, f := range reader.Files() {
		is := nothing[f.Path]
		if is == nil {
			continue
		}
		delete(nothing, f.Path)
		why := is.first.Err
		if is.bad > 1 && is.first.Line > 0 {
			why = fmt.Errorf("none of its %d records can be read; of the first: %w", is.bad, why)
		}
		if copied[f.Path] && !errors.Is(why, fs.ErrPermission) {
			why = fmt.Errorf("%w: %w", ErrCopied, why)
		}
		r.Left = append(r.Left, corpus.LeftOut{Path: f.Path, Why: why, Reported: true})
	}
	for _, is := range nothing { // lines of lists that name no file
		r.Missed.Bad += is.bad
	}
	slices.SortStableFunc(r.Left, func(a, b corpus.LeftOut) int { return strings.Compare(a.Path, b.Path) })
	r.Left = slices.CompactFunc(r.Left, func(a, b corpus.LeftOut) bool { return a.Path == b.Path })
	r.Missed.LeftOut, r.Missed.Damaged = len(r.Left), 0
	for _, l := range r.Left {
		if l.Reported {
			r.Missed.Damaged++
		}
	}
}

// Words returns an error for a document that has no words.
func Words(doc *document.Document) error {
	if doc.Given() {
		return fmt.Errorf("%s: %w", doc.Source, errNoWords)
	}
	return nil
}

// A LeftOut is a line of the list of files that are left out.
type LeftOut struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
	InPart bool   `json:"in_part,omitempty"` // some of the file is in the output
	// Copied says that all of the file is in the output, though nothing of it was compared, and Reference that it is
	// of the reference.
	Copied    bool `json:"copied,omitempty"`
	Reference bool `json:"reference,omitempty"`
}

// NewLeftOut returns the line of a file.
func NewLeftOut(is corpus.LeftOut) LeftOut {
	return LeftOut{
		Source: terminal.String.Text(is.Path), Reason: terminal.String.Text(is.Why.Error()),
		Copied: errors.Is(is.Why, ErrCopied),
	}
}

// Warnings say what should make one look at a result before trusting it, a sentence each.
type Warnings []string

// Add adds a sentence.
func (w *Warnings) Add(format string, values ...any) { *w = append(*w, fmt.Sprintf(format, values...)) }

// A Top keeps so many rows: those that come first in an order, and of equal ones those that are added first.
type Top[T any] struct {
	Rows  []T // after Trim
	Most  int
	Order func(a, b T) int
}

// Add adds a row.
func (t *Top[T]) Add(row T) {
	if t.Rows = append(t.Rows, row); len(t.Rows) == 8*t.Most {
		t.Trim()
	}
}

// Trim puts the rows in order, and leaves those that are kept.
func (t *Top[T]) Trim() {
	slices.SortStableFunc(t.Rows, t.Order)
	t.Rows = t.Rows[:min(len(t.Rows), t.Most)]
}
