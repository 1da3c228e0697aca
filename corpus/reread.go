package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/inputs"
	"simsearch/internal/jsontext"
	"simsearch/internal/parquetfile"
	"simsearch/internal/stream"
)

// ErrChanged marks a source that no longer has a text at the place where one was read. A Rereader
// does not find other changes: the caller must compare the text with a digest of the earlier one.
var ErrChanged = document.ErrChanged

// A Rereader reads texts again that a Reader has yielded, by their origins. It keeps the file that it
// has read last open, as it is by then. So texts of a compressed file should be read in ascending order of
// their offsets: others make it decompress the file from the beginning again. A Rereader must not be used by
// several goroutines at once.
type Rereader struct {
	r       *Reader // has no inputs
	texts   recordTexts
	record  jsontext.Record
	path    string          // of the file that is open
	charset charset.Charset // of that file
	plain   *os.File        // open, if the file is not compressed
	s       *stream.Stream  // open, if it is
	table   table           // that was read last
}

// NewRereader returns a Rereader. Of the options it uses TextField, FingerprintField and MailWithout, which must
// be those of the Reader, MaxDocument, Memory and Context.
func NewRereader(o Options) (*Rereader, error) {
	r, err := newReader(Options{
		TextField: o.TextField, FingerprintField: o.FingerprintField, MailWithout: o.MailWithout, FieldsOptional: true, Lenient: true,
		MaxDocument: o.MaxDocument, Memory: o.Memory, Context: o.Context,
	})
	if err != nil {
		return nil, err
	}
	return &Rereader{r: r, texts: newRecordTexts(r)}, nil
}

// Text returns the text that lies at from, as a Reader yields it. The text is valid until the next
// call. The error wraps
//
//   - fs.ErrNotExist if the file is gone;
//   - ErrChanged if there is no text at from, though there is a file;
//   - ErrTooLong if the text is longer than the limit of the options;
//   - the cause of Options.Context if that is done.
//
// Any other error says why the file cannot be read. Text holds no more in memory than one document,
// whatever from is.
func (r *Rereader) Text(from document.Origin) ([]byte, error) {
	format, c, err := parseOrigin(from)
	if err != nil {
		return nil, err
	}
	reread := kinds[format].reread
	if reread == nil {
		return nil, fmt.Errorf("%s has no texts to read again", format)
	}
	text, err := reread(r, from, c)
	if interrupted := r.r.interrupted(); interrupted != nil {
		return nil, interrupted
	}
	if pe := (*os.PathError)(nil); errors.Is(err, syscall.ENOTDIR) && errors.As(err, &pe) {
		err = &os.PathError{Op: pe.Op, Path: pe.Path, Err: fs.ErrNotExist} // a file stands where a directory was
	}
	return text, err
}

// Close closes the file that is open.
func (r *Rereader) Close() error {
	var err error
	if r.plain != nil {
		err = r.plain.Close()
	}
	if r.s != nil {
		err = errors.Join(err, r.s.Close())
	}
	r.path, r.plain, r.s = "", nil, nil
	return errors.Join(err, r.table.close())
}

// rereadFile returns the function that returns the text of a file that is one document, which open opens.
func rereadFile(open opener) rereader {
	return func(r *Rereader, from document.Origin, c charset.Charset) ([]byte, error) {
		text, err := r.file(from.Path, open, c)
		if bad := (*BadError)(nil); errors.As(err, &bad) {
			err = bad.Err
		}
		return text, err
	}
}

// rereadPart returns the function that returns the text of a part of a file, such as a line or record, which textOf finds.
func rereadPart(textOf func(r *Rereader, part []byte) ([]byte, error)) rereader {
	return func(r *Rereader, from document.Origin, c charset.Charset) ([]byte, error) {
		part, err := r.bytes(from, c)
		if err != nil {
			return nil, err
		}
		return textOf(r, part)
	}
}

// file returns the text of a whole file, which open opens.
func (r *Rereader) file(path string, open opener, c charset.Charset) (text []byte, err error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	s, err := r.r.openStream(inputs.Input{Path: path})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	whole, err := open(lineSource{r: r.r, path: path, s: decoded(s, c)}, false)
	if err != nil {
		return nil, err
	}
	var doc document.Document
	err = whole.next(&doc)
	return doc.Text, err
}

// checkRegular returns an error if path is no regular file. Opening a pipe would wait for a writer.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: it is no file", ErrChanged)
	}
	return err
}

// bytes returns what lies at from in the decompressed file, which is in c.
func (r *Rereader) bytes(from document.Origin, c charset.Charset) ([]byte, error) {
	if from.Offset < 0 || from.Length < 0 {
		return nil, fmt.Errorf("%d bytes at %d: not a place in a file", from.Length, from.Offset)
	}
	if from.Length > r.r.limits.document {
		return nil, r.r.limits.tooLong()
	}
	if err := r.open(from, c); err != nil {
		return nil, err
	}
	var err error
	if r.plain != nil {
		err = r.readPlain(from)
	} else {
		err = r.readCompressed(from)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it ends before the text", ErrChanged)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r.r.buf, nil
}

// open opens the file of an origin, unless it is open and before the offset.
func (r *Rereader) open(from document.Origin, c charset.Charset) (err error) {
	if r.path == from.Path && r.charset == c && (r.plain != nil || r.s != nil && r.s.Offset() <= from.Offset) {
		return nil
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := checkRegular(from.Path); err != nil {
		return err
	}
	if c != charset.UTF8 || stream.IsCompressed(from.Path) {
		if r.s, err = r.r.openStream(inputs.Input{Path: from.Path}); err == nil && c != charset.UTF8 {
			r.s.Decode(c)
		}
	} else {
		r.plain, err = os.Open(from.Path)
	}
	if err == nil {
		r.path, r.charset = from.Path, c
	}
	return err
}

// readPlain reads into the buffer of the reader from a file that is not compressed.
func (r *Rereader) readPlain(from document.Origin) error {
	info, err := r.plain.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); from.Offset > size || from.Length > size-from.Offset {
		return io.ErrUnexpectedEOF
	}
	r.r.buf = slices.Grow(r.r.buf[:0], int(from.Length))[:from.Length]
	_, err = r.plain.ReadAt(r.r.buf, from.Offset)
	return err
}

// readCompressed reads into the buffer of the reader from a file that is decompressed or decoded to the offset.
func (r *Rereader) readCompressed(from document.Origin) error {
	if _, err := r.s.Discard(int(from.Offset - r.s.Offset())); err != nil {
		return err
	}
	r.r.buf = r.r.buf[:0]
	for left := from.Length; left > 0; {
		// The length may be wrong: the buffer grows by what there is.
		n := int(min(left, bufferSize))
		at := len(r.r.buf)
		r.r.buf = slices.Grow(r.r.buf, n)[:at+n]
		if _, err := io.ReadFull(r.s, r.r.buf[at:]); err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

// A table is what a Rereader knows of a file of rows.
type table struct {
	path    string
	header  *header // of CSV and TSV
	f       *parquetfile.File
	columns parquetColumns
	cursor  *parquetfile.Cursor
	text    []byte
}

// close closes the file, if it is open. The header of a table in CSV is forgotten with it.
func (t *table) close() (err error) {
	if t.f != nil {
		err = errors.Join(t.cursor.Close(), t.f.Close())
	}
	*t = table{text: t.text}
	return err
}

// parseOrigin returns the format and the charset of an origin.
func parseOrigin(from document.Origin) (f Format, c charset.Charset, err error) {
	name, of, ok := strings.Cut(from.Format, ";")
	if ok {
		if c, err = charset.Parse(of); err != nil {
			return f, c, err
		}
	}
	f, err = ParseFormat(name)
	return f, c, err
}
