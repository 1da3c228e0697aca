package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/inputs"
	"simsearch/internal/jsontext"
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
	return &Rereader{r: r, texts: r.recordTexts()}, nil
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
	var text []byte
	switch format {
	case Text, HTML:
		text, err = r.file(from.Path, format, c)
	case Lines, JSONL, JSON, Sets, CSV, TSV, WARC:
		if text, err = r.bytes(from, c); err != nil {
			break
		}
		if format == CSV || format == TSV {
			err = r.readHeader(from.Path, format, c)
		}
		if err == nil {
			text, err = r.textIn(text, format)
		}
	case Parquet:
		text, err = r.row(from)
	case Mail:
		text, err = r.message(from)
	default:
		return nil, fmt.Errorf("%s has no texts to read again", format)
	}
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

// file returns the text of a whole file.
func (r *Rereader) file(path string, format Format, c charset.Charset) (text []byte, err error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	s, err := r.r.openStream(inputs.Input{Path: path})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	whole := textSource{r: r.r, path: path, s: decoded(s, c)}
	var doc document.Document
	switch format {
	case HTML:
		err = (&htmlSource{textSource: whole}).next(&doc)
	case Mail:
		if err = (&messageSource{textSource: whole}).next(&doc); errors.As(err, new(*BadError)) {
			err = brokenSince(err)
		}
	default:
		err = whole.next(&doc)
	}
	if bad := (*BadError)(nil); errors.As(err, &bad) {
		err = bad.Err
	}
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

// textIn returns the text in a line or record.
func (r *Rereader) textIn(line []byte, format Format) ([]byte, error) {
	switch format {
	case JSONL, JSON:
		if len(bytes.TrimSpace(line)) == 0 {
			return nil, fmt.Errorf("%w: no record", ErrChanged)
		}
		if err := parseObject(&r.record, line); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrChanged, err)
		}
		text, found, err := r.texts.text(&r.record)
		switch {
		case errors.Is(err, ErrTooLong):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrChanged, err)
		case !found:
			return nil, fmt.Errorf("%w: %s", ErrChanged, noField(r.texts.fields))
		}
		return text, nil
	case Sets:
		_, items, ok := cutSet(line)
		if !ok {
			return nil, fmt.Errorf("%w: no tab", ErrChanged)
		}
		return items, nil
	case CSV, TSV:
		return r.table.cells(line)
	case WARC:
		return r.recordText(line)
	}
	return line, nil
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
