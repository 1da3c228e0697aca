package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"sync/atomic"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/prints"
	"simsearch/internal/files/syntax"
	"simsearch/internal/ground/objects"
)

// Options are the settings of a Reader; the zero value is good.
type Options struct {
	Format Format
	// Decided, if not nil, is told how an input is read whose format follows from its content, and
	// that is not a text like any other. It is called when the input is opened.
	Decided func(Decision)
	// IDField and TextField name the fields of JSON records, and the columns of tables. Dots reach into nested
	// objects. "" stands for "id" and "text". The fields of a message are those of its header, and body. TextField
	// may be several names with a comma between two of them: the text is then what the record has of these fields,
	// with line feeds between. A record without the default id field gets the id path#n, where n is the number of its
	// line or, in an array, its element. Fields are asked of records: a file without is read as if none were named. A
	// Format without records is an error if one of them is named, unless FieldsOptional is set.
	IDField, TextField string
	// AllTexts makes the text of a record all of its fields that are texts, but for the id, in place of TextField:
	// with line feeds between. Their names and values are in document.Document.Fields, in turn. A list or an object
	// is the texts in it, a line each. What has no fields has its text alone, and no Fields.
	AllTexts bool
	// Tokens is how many tokens a function has at least that is a document of Format Code. 0 stands for 60.
	Tokens int
	// Pairs says that records and rows are pairs, such as of a user and an item that she bought. "" stands for the
	// fields "user" and "item" then, and an item may be a number in JSON.
	Pairs bool
	// FingerprintField names the field that is a ready-made fingerprint, as a string or a decimal number,
	// of records without a text.
	FingerprintField string
	// ImageHash is the hash of pictures; 0 stands for imagehash.Usual.
	ImageHash imagehash.Kind
	// Turned asks for document.Document.Turned.
	Turned bool
	// Threads is the number of pictures that are hashed at the same time; 0 stands for one a processor.
	Threads int
	// MailWithout is what is left out of the texts of messages, with commas between: quotes (of earlier
	// messages), signatures.
	MailWithout string
	// HTML is what the text of a page of HTML is: main (its main text, without menus, headers, footers and notices)
	// or all. "" stands for main. HTML in messages is read whole.
	HTML string
	// Charset is the name of the charset of files that are not UTF-8, as Reader.Charset returns it. "" finds out.
	Charset string
	// KeepFields names the fields of JSON records, columns of tables, and fields of the headers of crawls whose
	// values are in document.Document.Fields, in this order. A record may lack them.
	KeepFields []string
	// Field, if not "", names another such field, whose value Reader.Field returns. Dates of Parquet and mail are in
	// the form of RFC 3339 then. It is an *InputError if a Parquet file has values in that column that have no text.
	Field string
	// FieldsOptional says that the fields are named for whatever inputs have them: those without are not worth an
	// error.
	FieldsOptional bool
	// Base is the directory at which paths in ids begin. "" is the working directory.
	Base string
	// FingerprintBits is the width of ready-made fingerprints: 64 or 32. 0 stands for 64.
	FingerprintBits int
	// FilesFrom are files with a list of inputs each, which are read after the inputs that are
	// given to Open; "-" is standard input. An input is a line, or ends with a NUL if the file has
	// one. Relative paths begin at the working directory. A line that names nothing is a *BadError.
	FilesFrom []string
	// ByPath reads files in the order of their paths, whatever order they were named in.
	ByPath bool
	// Hidden includes files and directories with names that begin with a dot when a directory is
	// read. By default they are left out.
	Hidden bool
	// Include and Exclude are patterns that select files of directories. Files that are named are
	// read in any case. A pattern is compared with the path below the directory that was named:
	// * and ? stand for characters other than slashes, ** for any directories, [a-z] for one
	// character of several, {a,b} for one of several texts. A pattern without a slash is compared
	// with names in any directory. One that ends with a slash is for directories alone. A pattern
	// of a directory holds for all that is in it. If Include is not empty, only files that one of
	// its patterns matches are read. Files that a pattern of Exclude matches are left out.
	Include, Exclude []string
	// GitIgnore leaves out what .gitignore files name: those in the directories, and in a
	// repository those around them.
	GitIgnore bool
	// Lenient treats a missing field in the first record as one bad record. By default it is a
	// *FieldError.
	Lenient bool
	// Raw asks for document.Document.Raw.
	Raw bool
	// Opening, if not nil, is called before each file is opened, in the order of Files. The file is passed over if it
	// returns false, and is a *BadError if it returns an error. Pictures are then hashed one at a time.
	Opening func(f File) (read bool, err error)
	// Stdin is what the input "-" reads; nil is os.Stdin.
	Stdin io.Reader
	// StdinFirst is for standard input that continues an earlier one. It is the number N in the id
	// -#N of the first line that has no id of its own; 0 stands for 1. If it is not 0 and standard
	// input is one document, its id is -#N instead of -.
	StdinFirst int
	// MaxDocument is the size in bytes of the largest document: of the file if the file is one
	// document, else of a line or record. A longer document is bad, and is not read into memory. So is a document
	// whose text is longer in normal form NFKC. 0 stands for 64 MB. The limit is less if Memory requires it.
	MaxDocument int64
	// Memory is the number of bytes of memory that the program should use; 0 is half of what the machine has. It bounds
	// the windows of zstd and xz, pictures, and the size of a document, so that its analysis fits in this memory.
	Memory int64
	// Context ends Open and Documents when it is done, even while they wait for standard input or a
	// pipe. Their error is then its cause. nil is a context that is never done.
	Context context.Context
}

// A Reader reads the documents of a list of inputs. Inputs are read in the order of the list, and
// the files of a directory in lexical order. A Reader must not be used by several goroutines at
// once, except for Progress.
type Reader struct {
	inputs.Namer
	o      Options
	limits limits
	found  *inputs.Finder
	next   int // the input to open after the current one
	inARow int // how many have been read before it, up to objects.SoonOpened
	src    source
	// together, if not nil, says how many fingerprints may be read at a time.
	together func() int
	origin   document.Origin // the current file, or zero if it can be read only once
	bits     int             // the width of fingerprints
	fields   bool            // Options name fields of records
	// wanted are the fields that are looked for in records, and textFields the first of them, which make a text.
	textFields, wanted []string
	again              bool          // texts alone are wanted, of documents that have been read before
	extent             Extent        // of what was yielded last
	format             Format        // of the current file, or of the last one
	layout             Layout        // of that file
	binary             prints.Layout // of its fingerprints, InArray
	mail               syntax.MessageParser
	dialect            Dialect        // of that file
	charset            inputs.Charset // of that file
	read               bool           // whether any record has been read
	leftOut            []LeftOut      // what Documents has passed over
	hashing            hashing
	done               atomic.Int64
	buf                []byte
	kept               []byte // the fields of the last document
}

// A source yields the documents of one file.
type source interface {
	// next fills doc, or returns io.EOF, a *BadError or an error about the file.
	next(doc *document.Document) error
	close() error
	// extent returns the place of what next has filled doc with, or has found bad.
	extent() (start, end int64)
	// asRead returns the line, row or element as it stands in the file, or nil.
	asRead() []byte
}

// Open finds all files of the inputs named. An input is the path of a file or directory, or "-" for standard
// input. It is an error if an input does not exist, cannot be opened or is an index, or if there
// are no files. An index inside a directory is skipped. A pipe is opened when its turn comes.
func Open(named []string, o Options) (*Reader, error) {
	if len(named) == 0 && len(o.FilesFrom) == 0 {
		return nil, errors.New("no input: name files, directories or - for standard input")
	}
	r, err := newReader(o)
	if err != nil {
		return nil, err
	}
	if err := r.found.Find(named); err != nil {
		return nil, err
	}
	if o.ByPath {
		slices.SortStableFunc(r.found.Inputs, func(a, b inputs.Input) int { return cmp.Compare(a.Path, b.Path) })
	}
	return r, nil
}

// newReader returns a Reader without inputs.
func newReader(o Options) (*Reader, error) {
	fields := !o.FieldsOptional && (o.IDField != "" || o.TextField != "" || o.FingerprintField != "")
	if fields && !o.Format.canName(o.TextField != "" || o.FingerprintField != "") {
		return nil, fmt.Errorf("%w: all is read as %s", ErrFields, o.Format)
	}
	texts, wanted, err := wantedFields(o)
	if err != nil {
		return nil, err
	}
	if o.FingerprintBits = cmp.Or(o.FingerprintBits, 64); !slices.Contains(prints.Widths, o.FingerprintBits) {
		return nil, fmt.Errorf("corpus: fingerprints of %d bits, want one of %v", o.FingerprintBits, prints.Widths)
	}
	if o.Decided == nil {
		o.Decided = func(Decision) {}
	}
	o.Stdin, o.Context = cmp.Or[io.Reader](o.Stdin, os.Stdin), cmp.Or(o.Context, context.Background())
	bounds, err := newLimits(o)
	if err != nil {
		return nil, err
	}
	found, err := inputs.New(inputs.Options{
		FilesFrom: o.FilesFrom, Hidden: o.Hidden, GitIgnore: o.GitIgnore, Include: o.Include, Exclude: o.Exclude, Stdin: o.Stdin, Context: o.Context,
	})
	if err != nil {
		return nil, err
	}
	o.ImageHash = cmp.Or(o.ImageHash, imagehash.Usual)
	if err := o.ImageHash.Validate(); err != nil {
		return nil, err
	}
	if _, err := inputs.ParseCharset(cmp.Or(o.Charset, inputs.UTF8.String())); err != nil {
		return nil, err
	}
	without, err := syntax.ParseWithout(o.MailWithout)
	if err != nil {
		return nil, err
	}
	if o.HTML != "" && o.HTML != mainText && o.HTML != allText {
		return nil, fmt.Errorf("%q: want %s or %s", o.HTML, mainText, allText)
	}
	return &Reader{
		o: o, limits: bounds, found: found, Namer: inputs.NewNamer(o.Base), bits: o.FingerprintBits, fields: fields,
		hashing:    hashing{begun: map[int]*picture{}},
		textFields: texts, wanted: wanted, mail: syntax.MessageParser{Without: without, Most: bounds.document},
	}, nil
}

// Documents yields the documents of all inputs, each valid until the next. An id that is not in a
// record is made from the path of the file: from Options.Base if the file is below it, else the
// absolute path, however the path was given. Documents yields a *BadError in
// place of a file or document that cannot be read, and continues with the next one. Any other
// error, such as a *FieldError or the cause of Options.Context, is the last. A second range over
// the documents continues where the first one ended.
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
			case errors.Is(err, io.EOF) && !errors.As(err, new(*BadError)):
				return
			case !yield(nil, err) || !errors.As(err, new(*BadError)):
				return
			}
		}
	}
}

// Together lets Documents yield several fingerprints of 64 bits at once, as Document.Rows, and no more than most says
// at that time. Files that have nothing else are read some times as fast.
func (r *Reader) Together(most func() int) { r.together = most }

// NoLimit is a limit for Together: a Document may have as many as are read at a time.
func NoLimit() int { return math.MaxInt }

// readDocument fills doc with the next document. It returns io.EOF after the last one, and
// otherwise the errors that Documents yields.
func (r *Reader) readDocument(doc *document.Document) error {
	for {
		if r.extent = (Extent{}); r.src == nil {
			if r.next == len(r.found.Inputs) {
				return io.EOF
			}
			in := r.found.Inputs[r.next]
			r.next++
			if in.Bad != nil {
				return bad(in.Path, in.BadLine, in.Bad)
			}
			r.format, r.dialect, r.layout, r.charset = Auto, Dialect{}, InFile, inputs.UTF8
			if r.o.Opening != nil {
				read, err := r.o.Opening(in)
				if err != nil {
					return r.leaveOut(in.Path, err)
				}
				if !read {
					r.done.Add(in.Size)
					r.inARow = 0
					continue
				}
			}
			r.beginNext()
			src, err := r.open(in)
			if IsNoText(err) && !in.Named {
				r.leftOut = append(r.leftOut, LeftOut{Path: in.Path, Why: err})
				continue
			}
			err = r.orBad(err)
			if errors.As(err, new(*InputError)) || errors.As(err, new(*FieldError)) {
				return err
			}
			if errors.Is(err, io.EOF) { // which is the end of all files
				err = fmt.Errorf("the file ends too soon: %w", io.ErrUnexpectedEOF)
			}
			if err != nil {
				return r.leaveOut(in.Path, err)
			}
			r.src = src
		}
		err := r.orBad(r.src.next(doc))
		r.extent.Start, r.extent.End = r.src.extent()
		if err == nil {
			r.read = true
			doc.Source = r.found.Inputs[r.next-1].Path
			if err := cmp.Or(r.limits.checkSize(doc.Text), checkID(doc.ID)); err != nil {
				return bad(doc.Source, doc.Line, err)
			}
			doc.Origin.Path, doc.Origin.Format = r.origin.Path, r.origin.Format
			if doc.HasFingerprint || r.origin.Path == "" {
				doc.Origin = document.Origin{} // the text cannot be read again
			}
			r.keepFields(doc)
			if r.o.Raw {
				doc.Raw = r.src.asRead()
			}
			return nil
		}
		if errors.As(err, new(*BadError)) || errors.As(err, new(*FieldError)) || errors.As(err, new(*InputError)) {
			return err
		}
		// The file ends here, or the part of it that can be read.
		path := r.found.Inputs[r.next-1].Path
		r.extent = Extent{}
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

// beginNext begins to read the next objects: as many as have been read in a row, up to a limit. Others may be passed
// over.
func (r *Reader) beginNext() {
	for _, next := range r.found.Inputs[r.next:min(len(r.found.Inputs), r.next+r.inARow)] {
		objects.Begin(r.o.Context, next.Path)
	}
	r.inARow = min(r.inARow+1, objects.SoonOpened)
}

// badFile returns a BadError about a file, or the cause if the reading was interrupted.
func (r *Reader) badFile(path string, err error) error {
	if interrupted := r.interrupted(); interrupted != nil {
		return interrupted
	}
	if objects.Fatal(err) {
		return objects.Whole(err)
	}
	return bad(path, 0, objects.Reason(err))
}

// leaveOut is badFile for a file of which nothing is read.
func (r *Reader) leaveOut(path string, err error) error {
	err = r.badFile(path, err)
	if bad, is := errors.AsType[*BadError](err); is {
		r.leftOut = append(r.leftOut, LeftOut{Path: path, Why: bad.Err, Reported: true})
	}
	return err
}

// interrupted returns the cause of the context if the context is done.
func (r *Reader) interrupted() error { return context.Cause(r.o.Context) }

// An Extent is a place in a file: bytes of the decompressed file, or rows of a Parquet file from 0, from
// Start to before End. All of a line, row or record belongs to it, with the line end.
type Extent struct{ Start, End int64 }

// Extent returns the place, in its file, of what Documents has yielded last: a document, or a bad line, row or
// record. It is empty if that was a whole file, or an error about one. Extents of one file ascend, and do not
// overlap.
func (r *Reader) Extent() Extent { return r.extent }

// checkID returns an error if an id is too long or has a zero byte.
func checkID(id []byte) error {
	switch {
	case bytes.IndexByte(id, 0) >= 0:
		return errors.New("the id has a zero byte")
	case len(id) > maxID:
		return fmt.Errorf("the id has %d bytes, want at most %d", len(id), maxID)
	}
	return nil
}

// bad returns a BadError. It drops a path that err names, since BadError names it, too.
func bad(path string, line int, err error) *BadError {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		err = fmt.Errorf("cannot %s: %w", pe.Op, pe.Err)
	}
	return &BadError{path, line, err}
}

// Progress returns how many bytes of the files have been read, and how many there are in all. It
// counts bytes on disk, before decompression. total is 0 if standard input is among the inputs. It
// may be called from any goroutine.
func (r *Reader) Progress() (done, total int64) { return r.done.Load(), r.found.Total }

// Once returns the name of an input that can be read only once, if there is one: - or the path of a
// pipe. A list of inputs (Options.FilesFrom) counts, too.
func (r *Reader) Once() (name string, ok bool) {
	if i := slices.IndexFunc(r.found.Inputs, File.Once); i >= 0 {
		return r.found.Inputs[i].Path, true
	}
	return r.found.Once, r.found.Once != ""
}

// Close closes the current file.
func (r *Reader) Close() error {
	r.hashing.wait()
	r.next = len(r.found.Inputs)
	if r.src == nil {
		return nil
	}
	err := r.src.close()
	r.src = nil
	return err
}
