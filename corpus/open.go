package corpus

import (
	"bytes"
	"errors"
	"fmt"

	"simsearch/document"
	"simsearch/internal/inputs"
	"simsearch/internal/stream"
)

// bufferSize is the size of the read buffers in bytes.
const bufferSize = stream.BufferSize

// sniffSize is the number of bytes at the beginning of a file in which a zero byte marks it as
// binary, as git and grep do it.
const sniffSize = 8 << 10

// byteOrderMark is the character that some texts begin with.
const byteOrderMark = "\ufeff"

var errBinary = errors.New("not text: it has a zero byte near its beginning")

// open returns the source of the documents of a file.
func (r *Reader) open(in inputs.Input) (source, error) {
	format, err := formatOf(r.o, in.Path)
	if err != nil {
		return nil, r.unread(in, err)
	}
	raw := isRaw(in.Path) && (format == Fingerprints || r.o.Format == Auto)
	if raw && r.o.Format == Auto && !in.Named {
		return nil, errBinary
	}
	s, err := r.openStream(in)
	if err != nil {
		return nil, err
	}
	r.origin = document.Origin{}
	name := in.Path
	if name != "-" {
		name = r.names.Name(name)
	}
	lines := lineSource{r: r, path: in.Path, name: name, s: s}
	if raw {
		source, err := newRawSource(lines)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return source, nil
	}
	head := s.Beginning(sniffSize, in.Once())
	if bytes.IndexByte(head, 0) >= 0 {
		err := errBinary
		if in.Path == "-" && r.o.Format == Auto && inputs.NamesFiles(s.Fill()) {
			err = &InputError{in.Path, ErrNames}
		}
		return nil, errors.Join(err, s.Close())
	}
	skipByteOrderMark(s, head)
	byName := format
	if format, err = r.decide(in, s, format); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !in.Once() {
		r.origin = document.Origin{Path: r.names.Absolute(in.Path), Format: format.String()}
	}
	guessed := format != byName
	switch format {
	case JSONL:
		source := r.newJSONSource(lines, guessed)
		return &source, nil
	case JSON:
		return &elementSource{jsonSource: r.newJSONSource(lines, guessed)}, nil
	case Lines:
		return &lines, nil
	case Fingerprints:
		return &fingerprintSource{lineSource: lines}, nil
	case Sets:
		return &setSource{lines}, nil
	case HTML:
		return &htmlSource{textSource: textSource{r: r, path: in.Path, name: name, s: s}}, nil
	default:
		return &textSource{r: r, path: in.Path, name: name, s: s}, nil
	}
}

// skipByteOrderMark moves behind the mark at the beginning of a stream, of which head has arrived. It
// is not part of the text.
func skipByteOrderMark(s *stream.Stream, head []byte) {
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		_, _ = s.Discard(len(byteOrderMark))
	}
}

// unread returns the error for a file that is not read because of its format. err says why not.
func (r *Reader) unread(in inputs.Input, err error) error {
	switch extensionOf(in.Path) {
	case ".csv", ".tsv":
	default:
		return err
	}
	s, openErr := r.openStream(in)
	if openErr != nil {
		return err
	}
	head := s.Beginning(sniffSize, in.Once())
	if r.looksLikeFingerprints(head, len(head) < sniffSize) {
		err = fmt.Errorf("%w: %w", err, ErrFingerprints)
	}
	_ = s.Close()
	return err
}

// openStream opens a file and decompresses it as its name says.
func (r *Reader) openStream(in inputs.Input) (*stream.Stream, error) {
	o := stream.Options{Context: r.o.Context, Window: r.limits.window, Done: &r.done}
	if in.Path == "-" {
		return stream.New(stream.Interruptibly(r.o.Context, r.o.Stdin), o), nil
	}
	return stream.Open(in.Path, in.Irregular, o)
}
