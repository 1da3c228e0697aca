package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync/atomic"

	"simsearch/document"
)

// Options are the settings of a Reader; the zero value is good.
type Options struct {
	Format Format
	// IDField and TextField name the fields of JSON Lines; dots reach into nested
	// objects. "" is "id" and "text". A record without the default id field gets
	// path#line.
	IDField, TextField string
	// ParseFingerprint reads the text form of a ready-made fingerprint. It must be
	// set if Format is Fingerprints.
	ParseFingerprint func(text string) (uint64, error)
	// Hidden includes files and directories whose name begins with a dot when a
	// directory is read; they are left out otherwise.
	Hidden bool
	// Lenient makes a missing field in the first record one bad record.
	Lenient bool
	// Stdin is what the input "-" reads; nil is os.Stdin.
	Stdin io.Reader
	// StdinFirst is the number in the id of the first line of standard input that has no id of
	// its own, -#N, for when there are such documents from before; 0 is 1. If it is set, a text
	// that is all of standard input is called -#N, too, instead of -.
	StdinFirst int
	// MaxDocument is the size in bytes of the largest document: of a file, if it is one document,
	// else of a line or record. One that is longer is bad, and is not read into memory; 0 is
	// 64 MB, or less by Memory.
	MaxDocument int64
	// Memory is how many bytes of memory the program wants to make do with; 0 is no limit. It
	// bounds the windows of zstd, and MaxDocument where that is not set, to a size that can be
	// analysed in as much.
	Memory int64
	// Context ends Open and Documents when it is done, even while nothing arrives from standard input
	// or a pipe: they end with its cause. nil is never done.
	Context context.Context
}

// A Reader reads the documents of a list of inputs, in the order of the list, files
// of a directory in lexical order. It must not be used by several goroutines at
// once, except for Progress.
type Reader struct {
	o      Options
	limits limits
	inputs []input
	next   int // the input to open after the current one
	src    source
	read   bool // whether any record has been read
	binary int
	total  int64
	done   atomic.Int64
	buf    []byte
}

// A source yields the documents of one file.
type source interface {
	// next fills doc or returns io.EOF, a *BadError or an error of the file.
	next(doc *document.Document) error
	close() error
}

// Open finds all files of inputs: paths of files or directories, or "-". It is an
// error if one of them does not exist or cannot be opened, or is an index, or if there is
// none. Indexes inside of directories are passed over. A pipe is opened when its turn comes.
func Open(inputs []string, o Options) (*Reader, error) {
	if len(inputs) == 0 {
		return nil, errors.New("no input: name files, directories or - for standard input")
	}
	if o.TextField == "" {
		o.TextField = defaultTextField
	}
	if o.Format == Fingerprints && o.ParseFingerprint == nil {
		return nil, errors.New("corpus: reading fingerprints needs Options.ParseFingerprint")
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	bounds, err := newLimits(o)
	if err != nil {
		return nil, err
	}
	r := &Reader{o: o, limits: bounds}
	for _, path := range inputs {
		if err := r.find(path); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Documents yields the documents of all inputs, each valid until the next. Where a file or a
// document cannot be read, it yields a *BadError in its place, and goes on behind it. Any
// other error, such as *FieldError or the cause of Options.Context, is the last. Ranging over the
// reader again goes on where the last range ended.
func (r *Reader) Documents() iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		var doc document.Document
		for {
			err := r.readDocument(&doc)
			switch {
			case err == nil:
				if !yield(&doc, nil) {
					return
				}
			case errors.Is(err, io.EOF):
				return
			case !yield(nil, err) || !errors.As(err, new(*BadError)):
				return
			}
		}
	}
}

// readDocument fills doc with the next document. The error is io.EOF behind the last one, or what
// Documents yields.
func (r *Reader) readDocument(doc *document.Document) error {
	for {
		if r.src == nil {
			if r.next == len(r.inputs) {
				return io.EOF
			}
			in := r.inputs[r.next]
			r.next++
			src, err := r.open(in)
			if errors.Is(err, errBinary) && !in.named {
				r.binary++
				continue
			}
			if err != nil {
				return r.badFile(in.path, err)
			}
			r.src = src
		}
		err := r.src.next(doc)
		if err == nil {
			r.read = true
			doc.Source = r.inputs[r.next-1].path
			return r.checkID(doc)
		}
		if errors.As(err, new(*BadError)) || errors.As(err, new(*FieldError)) {
			return err
		}
		// The end of the file, or of what can be read of it.
		path := r.inputs[r.next-1].path
		closeErr := r.src.close()
		r.src = nil
		if errors.Is(err, io.EOF) {
			err = closeErr
		}
		if err != nil {
			return r.badFile(path, err)
		}
	}
}

// badFile makes a BadError about a file, unless the reading was interrupted.
func (r *Reader) badFile(path string, err error) error {
	if interrupted := r.interrupted(); interrupted != nil {
		return interrupted
	}
	return bad(path, 0, err)
}

// interrupted returns the cause of the context if that is done.
func (r *Reader) interrupted() error { return context.Cause(r.o.Context) }

// checkID refuses ids that others could not take, or that are no ids at all.
func (r *Reader) checkID(doc *document.Document) error {
	var err error
	switch {
	case bytes.IndexByte(doc.ID, 0) >= 0:
		err = errors.New("the id has a zero byte")
	case len(doc.ID) > maxID:
		err = fmt.Errorf("the id has %d bytes, want at most %d", len(doc.ID), maxID)
	default:
		return nil
	}
	return bad(r.inputs[r.next-1].path, doc.Line, err)
}

// bad makes a BadError of an error, without the path that the error may name again.
func bad(path string, line int, err error) *BadError {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		err = fmt.Errorf("cannot %s: %w", pe.Op, pe.Err)
	}
	return &BadError{path, line, err}
}

// Progress returns how many bytes of the files have been read and how many there
// are in all, as they lie on disk; total is 0 if standard input is among them. It
// may be called from any goroutine.
func (r *Reader) Progress() (done, total int64) { return r.done.Load(), r.total }

// Once returns the name of an input that can be read only once, - or a pipe, if there is one.
func (r *Reader) Once() (name string, ok bool) {
	for _, in := range r.inputs {
		if in.once() {
			return in.path, true
		}
	}
	return "", false
}

// Binary returns how many files found in directories were passed over because they
// are no text: there is a zero byte near their beginning.
func (r *Reader) Binary() int { return r.binary }

// Close closes the current file.
func (r *Reader) Close() error {
	r.next = len(r.inputs)
	if r.src == nil {
		return nil
	}
	err := r.src.close()
	r.src = nil
	return err
}
