// Package warc reads the records of WARC files, versions 0.17 to 1.1, as ISO 28500 has them. WET files are
// such files, whose records hold texts. Records that gzip compresses one by one look here like any others:
// the decompressed members follow one another.
package warc

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Magic is what a record begins with, before its version.
const Magic = "WARC/"

var (
	// ErrTooLong is returned for a record that is longer than the limit of a Reader. The record is passed
	// over.
	ErrTooLong = errors.New("the record is too long")
	// ErrDamaged marks bytes that are no record, or that end inside of one. Nothing more can be read.
	ErrDamaged = errors.New("the file is damaged")
)

// maxHeader is the size in bytes of the largest header of a record, or of the HTTP message in one.
const maxHeader = 1 << 20

// A Source is what records are read from.
type Source interface {
	io.Reader
	// ReadSlice reads up to and with delim, as bufio.Reader.ReadSlice does.
	ReadSlice(delim byte) ([]byte, error)
	// Peek and Discard are those of bufio.Reader.
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	// Offset returns the number of bytes that have been consumed.
	Offset() int64
}

// A Reader reads the records of a file. It holds one in memory at most.
type Reader struct {
	from   Source
	most   int64
	n      int // records
	buf    []byte
	record Record
}

// A Record is one record of a file. Its slices are valid until the next one is read.
type Record struct {
	// Number is that of the record in the file, from 1.
	Number int
	// Offset is where the record begins in the decompressed file, and Length its length in bytes, with its
	// header, and without the line ends behind its block. End is where these end.
	Offset, Length, End int64

	Type   string // such as "response"
	Header []byte // with its version, and the empty line that ends it
	Block  []byte // nil if it was not asked for
	size   int64  // of the block
}

// NewReader returns a Reader. Records of more than most bytes are not read into memory.
func NewReader(from Source, most int64) *Reader { return &Reader{from: from, most: most} }

// Next returns the next record. It reads the block if wanted returns true for the record without it. After
// ErrTooLong there may be more records. An error that wraps ErrDamaged says where the damage is; the error at
// the end is io.EOF. After any error the record has its number and its offset.
func (r *Reader) Next(wanted func(*Record) bool) (*Record, error) {
	if err := r.skipLineEnds(); err != nil {
		return &r.record, err
	}
	r.n++
	r.record = Record{Number: r.n, Offset: r.from.Offset()}
	err := r.read(wanted)
	if err == nil || errors.Is(err, ErrTooLong) {
		r.endRecord()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it ends inside of record %d, which begins at byte %d", ErrDamaged, r.n, r.record.Offset)
	} else if err != nil && !errors.Is(err, ErrTooLong) {
		err = fmt.Errorf("record %d, which begins at byte %d: %w", r.n, r.record.Offset, err)
	}
	return &r.record, err
}

// skipLineEnds moves behind the line ends between records.
func (r *Reader) skipLineEnds() error {
	for {
		head, err := r.from.Peek(1)
		if len(head) == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				err = fmt.Errorf("behind record %d, at byte %d: %w", r.n, r.from.Offset(), err)
			}
			return err
		}
		if head[0] != '\r' && head[0] != '\n' {
			return nil
		}
		_, _ = r.from.Discard(1)
	}
}

// endRecord moves behind the two line ends that end a record.
func (r *Reader) endRecord() {
	for range len("\r\n\r\n") {
		if head, _ := r.from.Peek(1); len(head) == 0 || head[0] != '\r' && head[0] != '\n' {
			break // an error is there again for the next record
		}
		_, _ = r.from.Discard(1)
	}
	r.record.End = r.from.Offset()
}

func (r *Reader) read(wanted func(*Record) bool) error {
	rec := &r.record
	if err := r.readHeader(); err != nil {
		return err
	}
	rec.Type = string(bytes.ToLower(rec.Field("WARC-Type")))
	length := rec.Field("Content-Length")
	size, err := strconv.ParseInt(string(length), 10, 64)
	if err != nil || size < 0 {
		return fmt.Errorf("%w: a Content-Length of %.40q", ErrDamaged, length)
	}
	header := len(rec.Header)
	rec.size, rec.Length = size, int64(header)+size
	if rec.Length < size {
		return fmt.Errorf("%w: a Content-Length of %d", ErrDamaged, size)
	}
	if !wanted(rec) {
		return r.discard(size)
	}
	if rec.Length > r.most {
		return cmp.Or(r.discard(size), ErrTooLong)
	}
	buf := bytes.NewBuffer(rec.Header) // the length may be wrong: it grows by what there is
	_, err = io.CopyN(buf, r.from, size)
	r.buf = buf.Bytes()
	rec.Header, rec.Block = r.buf[:header], r.buf[header:]
	return err
}

// readHeader reads the version and the named fields, up to the empty line.
func (r *Reader) readHeader() error {
	head, start := r.buf[:0], 0 // of the line
	for {
		part, err := r.from.ReadSlice('\n')
		head = append(head, part...)
		r.buf = head
		switch first := head[:min(len(head), len(Magic))]; {
		case !bytes.HasPrefix([]byte(Magic), first):
			return fmt.Errorf("%w: %.40q, where %s should begin a record", ErrDamaged, head[:min(len(head), 40)], Magic)
		case len(head) > maxHeader:
			return fmt.Errorf("%w: a header of more than %d bytes", ErrDamaged, maxHeader)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return err
		case len(bytes.TrimRight(head[start:], "\r\n")) == 0:
			r.record.Header = head
			return nil
		}
		start = len(head)
	}
}

// discard passes over so many bytes.
func (r *Reader) discard(n int64) error {
	for n > 0 {
		passed, err := r.from.Discard(int(min(n, 1<<30)))
		if err != nil {
			return err
		}
		n -= int64(passed)
	}
	return nil
}

// Field returns the value of a named field of the header, or nil if there is none.
func (rec *Record) Field(name string) []byte { return field(rec.Header, name) }

// Fields returns the values of a named field that the header may have several times.
func (rec *Record) Fields(name string) (values [][]byte) {
	for line := range bytes.Lines(rec.Header) {
		if value := field(line, name); len(value) > 0 {
			values = append(values, value)
		}
	}
	return values
}

// field returns the value of a field in lines such as "name: value", without white space around it. A
// line that begins with white space continues the one before, and is left out.
func field(header []byte, name string) []byte {
	for line := range bytes.Lines(header) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && len(key) == len(name) && bytes.EqualFold(key, []byte(name)) {
			return bytes.TrimSpace(value)
		}
	}
	return nil
}

// Parse returns the record that is all of data, as a Reader has found it at an offset.
func Parse(data []byte) (*Record, error) {
	r := NewReader(&memory{Reader: bufio.NewReader(bytes.NewReader(data))}, int64(len(data)))
	rec, err := r.Next(func(*Record) bool { return true })
	if err == nil && rec.Length != int64(len(data)) {
		err = fmt.Errorf("%w: a record of %d bytes in %d", ErrDamaged, rec.Length, len(data))
	}
	return rec, err
}

// A memory is a Source whose offsets are not used.
type memory struct{ *bufio.Reader }

func (*memory) Offset() int64 { return 0 }
