package corpus

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// bufferSize is the size of the read buffers in bytes.
	bufferSize = 256 << 10
	// sniffSize is the number of bytes at the beginning of a file in which a zero byte marks it as
	// binary, as git and grep do it.
	sniffSize = 8 << 10
)

// byteOrderMark is the character that some texts begin with.
const byteOrderMark = "\ufeff"

var errBinary = errors.New("not text: it has a zero byte near its beginning")

// A stream is the decompressed content of a file.
type stream struct {
	*bufio.Reader
	closers []func() error // innermost last
	// size is the number of bytes in all, or -1 if it is not known before the end.
	size  int64
	ended bool // the buffer holds all that is left
}

func (s *stream) close() error {
	var err error
	for _, c := range s.closers {
		err = errors.Join(err, c())
	}
	return err
}

// open returns the source of the documents of a file.
func (r *Reader) open(in input) (source, error) {
	format, err := formatOf(r.o, in.path)
	if err != nil {
		return nil, r.unread(in, err)
	}
	raw := isRaw(in.path) && (format == Fingerprints || r.o.Format == Auto)
	if raw && r.o.Format == Auto && !in.named {
		return nil, errBinary
	}
	s, err := r.openStream(in)
	if err != nil {
		return nil, err
	}
	name := in.path
	if name != "-" {
		name = r.names.name(name)
	}
	lines := lineSource{r: r, path: in.path, name: name, s: s}
	if raw {
		source, err := newRawSource(lines)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		return source, nil
	}
	head := s.sniff(in.once())
	if bytes.IndexByte(head, 0) >= 0 {
		err := errBinary
		if in.path == "-" && r.o.Format == Auto && namesFiles(s.fill()) {
			err = &InputError{in.path, ErrNames}
		}
		return nil, errors.Join(err, s.close())
	}
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		_, _ = s.Discard(len(byteOrderMark)) // not part of the text
	}
	byName := format
	if format, err = r.decide(in, s, format); err != nil {
		return nil, errors.Join(err, s.close())
	}
	guessed := format != byName
	switch format {
	case JSONL:
		return &jsonSource{lineSource: lines, guessed: guessed}, nil
	case JSON:
		return &elementSource{jsonSource: jsonSource{lineSource: lines, guessed: guessed}}, nil
	case Lines:
		return &lines, nil
	case Fingerprints:
		return &fingerprintSource{lineSource: lines}, nil
	case Sets:
		return &setSource{lines}, nil
	case HTML:
		return &htmlSource{textSource: textSource{r: r, path: in.path, name: name, s: s}}, nil
	default:
		return &textSource{r: r, path: in.path, name: name, s: s}, nil
	}
}

// unread returns the error for a file that is not read because of its format. err says why not.
func (r *Reader) unread(in input, err error) error {
	switch extensionOf(in.path) {
	case ".csv", ".tsv":
	default:
		return err
	}
	s, openErr := r.openStream(in)
	if openErr != nil {
		return err
	}
	head := s.sniff(in.once())
	if r.looksLikeFingerprints(head, len(head) < sniffSize) {
		err = fmt.Errorf("%w: %w", err, ErrFingerprints)
	}
	_ = s.close()
	return err
}

// sniff returns the beginning of the stream without consuming it. If mayWait is set it returns only
// what has arrived, since the next line may not have been written yet.
func (s *stream) sniff(mayWait bool) []byte {
	n := sniffSize
	if mayWait {
		_, _ = s.Peek(1) // a read will return the error again
		n = min(n, s.Buffered())
	}
	head, _ := s.Peek(n)
	return head
}

// openStream opens a file and decompresses it as its name says.
func (r *Reader) openStream(in input) (*stream, error) {
	s := &stream{size: -1}
	from, err := r.openRaw(in, s)
	if err != nil {
		return nil, err
	}
	raw := &countingReader{from: from, r: r}
	var plain io.Reader
	switch strings.ToLower(path.Ext(in.path)) {
	case ".gz":
		z, err := gzip.NewReader(bufio.NewReaderSize(raw, bufferSize))
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.closers = append([]func() error{z.Close}, s.closers...)
		plain = z
	case ".zst":
		z, err := zstd.NewReader(raw, zstd.WithDecoderMaxWindow(uint64(r.limits.window)), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.closers = append([]func() error{func() error { z.Close(); return nil }}, s.closers...)
		plain = &windowReader{z, in.path, r.limits.window}
	case ".bz2":
		plain = bzip2.NewReader(bufio.NewReaderSize(raw, bufferSize))
	}
	if plain == nil {
		s.Reader = bufio.NewReaderSize(raw, bufferSize)
		return s, nil
	}
	s.size = -1
	s.Reader = bufio.NewReaderSize(&expansionReader{from: plain, raw: raw}, bufferSize)
	return s, nil
}

// openRaw opens a file without decompressing it, and registers its Close with s.
func (r *Reader) openRaw(in input, s *stream) (io.Reader, error) {
	if in.path == "-" {
		return interruptibly(r.o.Context, r.o.Stdin), nil
	}
	if in.irregular {
		f, err := openIrregular(r.o.Context, in.path)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, f.Close)
		return interruptibly(r.o.Context, f), nil
	}
	f, err := os.Open(in.path)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, f.Close)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return f, nil
}

// A countingReader adds what is read to the progress of its reader.
type countingReader struct {
	from io.Reader
	r    *Reader
	n    int64 // bytes read of this file
	err  error // that from has returned: a terminal would have to be told again that it has ended
}

// Read fails if the context of the reader is done.
func (c *countingReader) Read(p []byte) (int, error) {
	if err := c.r.interrupted(); err != nil {
		return 0, err
	}
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.from.Read(p)
	c.err = err
	c.n += int64(n)
	c.r.done.Add(int64(n))
	return n, err
}
