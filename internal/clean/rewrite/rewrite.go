// Package rewrite writes files of a collection again, without some of their documents or with more fields.
//
// The output has the format, the compression, the charset, the order and the fields of the input. What stays is
// written as it stands in the input, byte for byte: a line, a row of a table, a record of a crawl, an element of an
// array, a message of a mailbox, a batch of an Arrow stream. So are headers, blank lines, and what the reader reports
// as bad. A Parquet file has the same columns and rows, written anew.
//
// The reader of package corpus says what the documents are: the i-th document that it yields of a file is the
// i-th that a decision is asked for.
package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"simsearch/internal/files/columns"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
	"simsearch/internal/ground/disk"
)

// Options say how files are read and written.
type Options struct {
	// Corpus are the options by which the collection is read. Decided and Lenient are not used.
	Corpus corpus.Options
	// Fields are added to every document that stays. Outermost fields of the input with their names are replaced.
	Fields []columns.NewColumn
	// Together, if not nil, says how many of the documents that follow have one decision. The Decider may get these
	// at once, as Document.Rows.
	Together func() int
	// FS is what files are written to. nil stands for disk.OS.
	FS disk.FS
}

// A Decision says what becomes of a document.
type Decision struct {
	Drop bool
	// Replace puts Text in the place of the text of the document.
	Replace bool
	Text    []byte
	// Values are those of Options.Fields, in their order: string, int64, float64, bool, or nil for none. The
	// type must be that of the field.
	Values []any
}

// A Decider decides on the next document of a file. The document is valid until it returns.
type Decider func(*document.Document) (Decision, error)

// A Result says what has become of a file.
type Result struct {
	// Path is that of the output. It is "" if there is none: nothing of the file stays, or the reader has
	// passed over it because it is no text.
	Path                  string
	Kept, Dropped, Copied int // documents that stay, that do not, and what is bad and stays
	// Damage is what the reader reports about the whole file, or nil. The output then has what could be read.
	Damage error
	// Lost says why the end of a damaged file is not in the output: it cannot be decompressed. It is nil otherwise.
	Lost error
}

var (
	// ErrFields is returned if fields are to be added to documents in a format without them.
	ErrFields = errors.New("documents of this format have no fields to add to")
	// ErrText is returned if the text of a document cannot be replaced.
	ErrText = errors.New("the text cannot be replaced")
	// ErrChanged is returned for a file that changes while it is read.
	ErrChanged = document.ErrChanged
)

// ReplacesText reports whether texts of documents in a layout can be replaced by any others.
func ReplacesText(l corpus.Layout) bool {
	return l.HasFields() || l == corpus.InText || l == corpus.InLines
}

// File writes the file f again, to path, whose directory it makes. The file appears complete or not at all;
// one that is there already is replaced. f must not be standard input or a pipe.
func File(f corpus.File, path string, o Options, decide Decider) (Result, error) {
	if f.Once() {
		return Result{}, fmt.Errorf("%s can be read only once", f.Path)
	}
	w := &rewriting{o: o.defaults(), file: f, path: path}
	err := w.finish(w.run(decide))
	return w.result, err
}

// finish makes what has been written the output, unless there is an error or nothing.
func (w *rewriting) finish(err error) error {
	if w.atomic == nil {
		return err
	}
	defer w.atomic.Abort()
	if err != nil || w.nothing {
		return err
	}
	w.result.Path = w.path
	return w.atomic.Commit()
}

// ErrDamaged is the class of errors of a file that can be read and not written again. Copy writes it as it is.
var ErrDamaged = columns.ErrDamaged

// Copy writes the file f again as it is, byte for byte, as File does otherwise.
func Copy(f corpus.File, path string, o Options) error {
	w := &rewriting{o: o.defaults(), file: f, path: path}
	return w.finish((&whole{w: w}).copy())
}

// Stream writes standard input, which is Options.Corpus.Stdin, again to out, decompressed. What has been decided on
// is written soon, and not only at the end. After an error, a part has been written.
func Stream(out io.Writer, o Options, decide Decider) (Result, error) {
	o = o.defaults()
	in, err := inputs.NewUnpacked(o.Corpus.Stdin, inputs.StreamOptions{Context: o.Corpus.Context, Window: maxWindow})
	if err != nil {
		return Result{}, fmt.Errorf("standard input: %w", err)
	}
	defer func() { _ = in.Close() }() // it was read only
	waiting := &queue{from: in}
	o.Corpus.Stdin = io.TeeReader(in, &waiting.read)
	w := &rewriting{o: o, file: corpus.Stdin, from: waiting, out: out}
	err = w.run(decide)
	return w.result, err
}

func (o Options) defaults() Options {
	o.FS, o.Corpus.Context = cmp.Or(o.FS, disk.OS), cmp.Or(o.Corpus.Context, context.Background())
	o.Corpus.Stdin = cmp.Or[io.Reader](o.Corpus.Stdin, os.Stdin)
	return o
}

// A rewriting is the work on one file.
type rewriting struct {
	o       Options
	file    corpus.File
	from    io.Reader // the bytes of the file, decompressed; nil if it is to be opened
	path    string    // of the output, unless there is out
	out     io.Writer // what is written to, or nil
	atomic  *disk.Atomic
	nothing bool // nothing of the file stays
	result  Result
	object  syntax.Object // the record that is written last
}

// output returns what the output is written to, before compression. It makes the file when it is first called.
func (w *rewriting) output() (io.Writer, error) {
	if w.out != nil {
		return w.out, nil
	}
	if _, err := disk.MkdirAll(w.o.FS, filepath.Dir(w.path)); err != nil {
		return nil, err
	}
	atomic, err := disk.CreateAtomic(w.o.FS, w.path)
	if err != nil {
		return nil, err
	}
	w.out, w.atomic = atomic, atomic
	return atomic, nil
}

// A sink writes the documents of a file in a format. Places ascend, and do not overlap.
type sink interface {
	// put writes what is at a place, as the decision says. Something bad stays as it is: the decision has no values.
	put(at corpus.Extent, d Decision) error
	// end writes what is left. damaged says that the reader could not read all: what is left, or all of it,
	// may be impossible to read here, too.
	end(damaged bool) error
	// close closes what is open for reading.
	close() error
}

// run reads the file and writes it.
func (w *rewriting) run(decide Decider) (err error) {
	o := w.o.Corpus
	o.Decided, o.Raw = nil, false
	r, err := corpus.OpenFile(w.file, o)
	if err != nil {
		return err
	}
	r.Together(w.o.Together)
	var to sink
	defer func() {
		if to != nil {
			err = errors.Join(err, to.close())
		}
		err = errors.Join(err, r.Close())
	}()
	for doc, err := range r.Documents() {
		bad, isBad := errors.AsType[*corpus.BadError](err)
		if err != nil && !isBad {
			return err
		}
		at := r.Extent()
		if bad != nil && at == (corpus.Extent{}) {
			w.result.Damage = bad
			continue
		}
		if to == nil {
			if to, err = w.open(r); err != nil {
				return err
			}
		}
		if err := w.decide(to, at, doc, bad, decide); err != nil {
			return err
		}
	}
	if to == nil {
		if r.Format() == corpus.Auto && w.result.Damage == nil {
			return nil // the reader has passed over it
		}
		if to, err = w.open(r); err != nil {
			return err
		}
	}
	return to.end(w.result.Damage != nil)
}

// decide writes or drops one document, or something bad.
func (w *rewriting) decide(to sink, at corpus.Extent, doc *document.Document, bad *corpus.BadError, decide Decider) error {
	if bad != nil {
		w.result.Copied++
		return to.put(at, Decision{})
	}
	d, err := decide(doc)
	if err != nil {
		return err
	}
	n := max(1, len(doc.Rows))
	if d.Drop {
		w.result.Dropped += n
		w.nothing = w.nothing || doc.Line == 0 // it is the whole file
	} else {
		w.result.Kept += n
	}
	return to.put(at, d)
}

// open returns the sink for the layout of the file that r reads.
func (w *rewriting) open(r *corpus.Reader) (sink, error) {
	layout := r.Layout()
	if len(w.o.Fields) > 0 && r.Format() != corpus.Auto && !layout.HasFields() {
		return nil, fmt.Errorf("%w: %s is read as %s", ErrFields, w.file.Path, r.Format())
	}
	switch layout {
	case corpus.InFile, corpus.InText:
		return &whole{w: w, r: r}, nil
	case corpus.InColumns, corpus.InBatches:
		return w.newTable(r)
	}
	c, err := w.newCopier(r)
	if err != nil {
		return nil, err
	}
	p := parts{copier: c, w: w, edit: edits[layout]}
	switch layout {
	case corpus.InElements:
		return &elements{parts: p}, nil
	case corpus.InRows:
		dialect, _ := r.Dialect()
		return newRows(p, dialect), nil
	case corpus.InMailbox:
		t := &tail{WriteCloser: p.out}
		p.out = t
		return &mailbox{parts: p, tail: t}, nil
	case corpus.InCrawl:
		return newCrawl(p, r), nil
	case corpus.InArray:
		return newArray(p, r.Numbers())
	}
	return &p, nil
}

// noText returns the error for a format in which the text of a document cannot be replaced.
func (w *rewriting) noText(why string) error {
	return fmt.Errorf("%w: %s: %s", ErrText, w.file.Path, why)
}
