package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/objects"
)

// ErrChanged marks a source that no longer has a text at the place where one was read. A Rereader
// does not find other changes: the caller must compare the text with a digest of the earlier one.
var ErrChanged = document.ErrChanged

// A Rereader reads texts again that a Reader has yielded, by their origins. It keeps the file that it
// has read last open, as it is by then. So texts of a compressed file should be read in ascending order of
// their offsets: others make it decompress the file from the beginning again. A Rereader must not be used by
// several goroutines at once.
//
// It opens a part of a file as a Reader opens a file.
type Rereader struct {
	r     *Reader         // has no inputs
	file  document.Origin // Path and Format are of the file that is open
	s     *inputs.Stream  // of the whole file, but for Parquet
	plain objects.File    // the file, if it is neither compressed nor in another charset
	src   source
	part  *inputs.Stream // of the text that was read last
}

// NewRereader returns a Rereader. Of the options it uses TextField, Pairs, MailWithout and HTML, which must
// be those of the Reader, MaxDocument, Memory and Context.
func NewRereader(o Options) (*Rereader, error) {
	r, err := newReader(Options{
		TextField: o.TextField, Pairs: o.Pairs, MailWithout: o.MailWithout, HTML: o.HTML, FieldsOptional: true,
		MaxDocument: o.MaxDocument, Memory: o.Memory, Context: o.Context,
	})
	if err != nil {
		return nil, err
	}
	r.wanted, r.again = r.textFields, true
	return &Rereader{r: r}, nil
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
	if err := r.r.interrupted(); err != nil {
		return nil, err
	}
	var doc document.Document
	err := r.read(&doc, from)
	if err == nil {
		return doc.Text, nil
	}
	err = errors.Join(err, r.Close())
	if interrupted := r.r.interrupted(); interrupted != nil {
		return nil, interrupted
	}
	pe, bad := (*os.PathError)(nil), (*BadError)(nil)
	switch {
	case errors.Is(err, syscall.ENOTDIR) && errors.As(err, &pe):
		return nil, &os.PathError{Op: pe.Op, Path: pe.Path, Err: fs.ErrNotExist} // a file stands where a directory was
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: it ends before the text", ErrChanged)
	case errors.As(err, &bad):
		err = bad.Err
	case !errors.As(err, new(*FieldError)):
		return nil, err
	}
	if errors.Is(err, ErrTooLong) {
		return nil, err
	}
	return nil, fmt.Errorf("%w: %w", ErrChanged, err)
}

// read reads the document at from.
func (r *Rereader) read(doc *document.Document, from document.Origin) error {
	format, c, err := parseOrigin(from)
	if err != nil {
		return err
	}
	k := kinds[format]
	if k.prepared || format == Auto {
		return fmt.Errorf("%s has no texts to read again", format)
	}
	if from.Offset < 0 || from.Length < 0 {
		return fmt.Errorf("%w: %d bytes at %d: not a place in a file", ErrChanged, from.Length, from.Offset)
	}
	if from.Length > r.r.limits.document {
		return r.r.limits.tooLong()
	}
	if k.layout.isWhole() || k.layout == InMailbox && from.Length == 0 {
		if err := r.open(from.Path, k, c); err != nil {
			return err
		}
		return r.src.next(doc)
	}
	isOpen := r.file.Path == from.Path && r.file.Format == from.Format && (k.layout != InBatches || r.file.Offset <= from.Offset)
	if !isOpen || k.layout != InBatches && r.s != nil && r.plain == nil && r.s.Offset() > from.Offset {
		if err := r.open(from.Path, k, c); err != nil {
			return err
		}
		r.file = from
	}
	r.file.Offset = from.Offset
	if err := r.toPart(from, k); err != nil {
		return err
	}
	err = r.src.next(doc)
	switch {
	case err == nil && (doc.HasFingerprint || doc.Origin.Length != from.Length):
		err = fmt.Errorf("%w: there is another text", ErrChanged)
	case err != nil && !errors.As(err, new(*BadError)):
		err = bad(from.Path, 0, err)
	}
	return err
}

// open opens a file in a format and a charset.
func (r *Rereader) open(path string, k *kind, c inputs.Charset) (err error) {
	if err := errors.Join(r.Close(), checkRegular(r.r.o.Context, path)); err != nil {
		return err
	}
	in := inputs.Input{Path: path}
	l := lineSource{r: r.r, in: in}
	if k.openFile != nil {
		r.src, err = k.openFile(l)
		return err
	}
	if r.s, err = r.r.openStream(in); err != nil {
		return err
	}
	if c == inputs.UTF8 {
		r.plain = r.s.File()
	}
	l.s = decoded(r.s, c)
	r.src, err = k.open(l)
	return err
}

// toPart makes the source read next what lies at from. That is a new source, unless the format is a table, whose rows
// depend on its header.
func (r *Rereader) toPart(from document.Origin, k *kind) (err error) {
	if rows, ok := r.src.(*columnSource); ok {
		return rows.seek(from.Offset)
	}
	if r.part != nil {
		_ = r.part.Close()
		r.part = nil
	}
	part := io.LimitReader(r.s, from.Length)
	if r.plain != nil {
		part = io.NewSectionReader(r.plain, from.Offset, from.Length)
	} else if _, err := r.s.Discard(int(from.Offset - r.s.Offset())); err != nil {
		return err
	}
	if from.Length == 0 {
		part = strings.NewReader("\n") // the line without its end
	}
	r.part = inputs.StreamOf(part)
	if table, ok := r.src.(*tableSource); ok {
		table.part(r.part)
		return nil
	}
	r.src, err = k.open(lineSource{r: r.r, in: inputs.Input{Path: from.Path}, s: r.part, eol: '\n'})
	return err
}

// Close closes the file that is open.
func (r *Rereader) Close() (err error) {
	if r.part != nil {
		_ = r.part.Close()
	}
	switch {
	case r.s != nil:
		err = r.s.Close()
	case r.src != nil:
		err = r.src.close()
	}
	r.file, r.s, r.plain, r.src, r.part = document.Origin{}, nil, nil, nil, nil
	return err
}

// checkRegular returns an error if path is no regular file. Opening a pipe would wait for a writer.
func checkRegular(ctx context.Context, path string) error {
	info, err := objects.Stat(ctx, path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: it is no file", ErrChanged)
	}
	return err
}

// parseOrigin returns the format and the charset of an origin.
func parseOrigin(from document.Origin) (f Format, c inputs.Charset, err error) {
	name, of, ok := strings.Cut(from.Format, ";")
	if ok {
		if c, err = inputs.ParseCharset(of); err != nil {
			return f, c, err
		}
	}
	f, err = ParseFormat(name)
	return f, c, err
}
