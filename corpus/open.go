package corpus

import (
	"bytes"
	"errors"
	"slices"

	"simsearch/document"
	"simsearch/internal/inputs"
	"simsearch/internal/jsontext"
	"simsearch/internal/parquetfile"
	"simsearch/internal/stream"
	"simsearch/internal/warc"
)

// bufferSize is the size of the read buffers in bytes.
const bufferSize = stream.BufferSize

// sniffSize is the number of bytes at the beginning of a file that say whether it is binary.
const sniffSize = 8 << 10

// byteOrderMark is the character that some texts begin with.
const byteOrderMark = "\ufeff"

// open returns the source of the documents of a file.
func (r *Reader) open(in inputs.Input) (source, error) {
	format := formatOf(r.o, in.Path)
	raw := isRaw(in.Path) && (format == Fingerprints || r.o.Format == Auto)
	if raw && r.o.Format == Auto && !in.Named {
		return nil, ErrBinary
	}
	r.origin = document.Origin{}
	if format == Image {
		return r.openPicture(in)
	}
	lines := lineSource{r: r, path: in.Path, name: in.Path}
	if in.Path != "-" {
		lines.name = r.names.Name(in.Path)
	}
	if format == Parquet {
		return r.openTable(lines, in, false)
	}
	s, err := r.openStream(in)
	if err != nil {
		return nil, err
	}
	lines.s = s
	if raw {
		r.format = Fingerprints
		source, err := newRawSource(lines)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return source, nil
	}
	head := s.Beginning(sniffSize, in.Once())
	if in.Path == "-" && len(head) == 0 {
		r.format = format
		return &emptySource{s}, nil
	}
	byName := format
	if r.o.Format == Auto && format == Text {
		switch {
		case bytes.HasPrefix(head, []byte(parquetfile.Magic)) && bytes.IndexByte(head, 0) >= 0:
			r.decided(in, Parquet, Parquet)
			if err := s.Close(); err != nil {
				return nil, err
			}
			return r.openTable(lines, in, true)
		case bytes.HasPrefix(head, []byte(warc.Magic+"1.")) && !slices.Contains(textExtensions, extensionOf(in.Path)):
			format = WARC
		}
	}
	if r.decodeWide(in, s, format, head) {
		head = s.Beginning(sniffSize, in.Once())
	}
	if err := refusal(format, head); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if r.isBinary(in, format, head) {
		err := ErrBinary
		if in.Path == "-" && r.o.Format == Auto && inputs.NamesFiles(s.Fill()) {
			err = &InputError{in.Path, ErrNames}
		}
		return nil, errors.Join(err, s.Close())
	}
	skipByteOrderMark(s, head)
	if format, err = r.decide(in, s, format); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	r.decodePage(in, s, format)
	source, err := r.sourceOf(in, lines, format, format != byName)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return source, nil
}

// openTable returns the source of a Parquet file.
func (r *Reader) openTable(l lineSource, in inputs.Input, guessed bool) (source, error) {
	source, err := r.openParquet(l, in, guessed)
	if err != nil {
		return nil, err
	}
	r.format = Parquet
	r.setOrigin(in)
	return source, nil
}

// sourceOf returns the source of the documents of a stream. guessed says that the format follows from the
// content.
func (r *Reader) sourceOf(in inputs.Input, lines lineSource, format Format, guessed bool) (source, error) {
	r.format = format
	r.setOrigin(in)
	r.whole = format == Text || format == HTML
	switch format {
	case JSONL:
		source := r.newJSONSource(lines, guessed)
		return &source, nil
	case JSON:
		return &elementSource{r.newJSONSource(lines, guessed), jsontext.NewElements(lines.s)}, nil
	case Lines:
		return &lines, nil
	case Fingerprints:
		return &fingerprintSource{lineSource: lines}, nil
	case Sets:
		return &setSource{lines}, nil
	case CSV, TSV:
		return r.newTableSource(lines, format, guessed)
	case WARC:
		return newWARCSource(lines), nil
	case Mail:
		return r.newMailSource(lines), nil
	case HTML:
		return &htmlSource{textSource: textSource{r: r, path: in.Path, name: lines.name, s: lines.s}}, nil
	default:
		return &textSource{r: r, path: in.Path, name: lines.name, s: lines.s}, nil
	}
}

// skipByteOrderMark moves behind the mark at the beginning of a stream, of which head has arrived. It
// is not part of the text.
func skipByteOrderMark(s *stream.Stream, head []byte) {
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		_, _ = s.Discard(len(byteOrderMark))
	}
}

// openStream opens a file and decompresses it as its name says, and standard input as its first bytes say.
func (r *Reader) openStream(in inputs.Input) (*stream.Stream, error) {
	o := stream.Options{Context: r.o.Context, Window: r.limits.window, Done: &r.done}
	if in.Path == "-" {
		return stream.NewUnpacked(stream.Interruptibly(r.o.Context, r.o.Stdin), o)
	}
	return stream.Open(in.Path, in.Irregular, o)
}
