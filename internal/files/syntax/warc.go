package syntax

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// CrawlMagic is what a record begins with, before its version.
const CrawlMagic = "WARC/"

// ErrDamaged marks bytes that are no record, or that end inside of one. Nothing more can be read.
var ErrDamaged = errors.New("the file is damaged")

// A CrawlReader reads the records of a file. It holds one in memory at most.
type CrawlReader struct {
	from   Source
	most   int64
	n      int // records
	buf    []byte
	record CrawlRecord
}

// A CrawlRecord is one record of a file. Its slices are valid until the next one is read.
type CrawlRecord struct {
	// Number is that of the record in the file, from 1.
	Number int
	// Offset is where the record begins in the decompressed file, and Length its length in bytes, with its
	// header, and without the line ends behind its block. End is where these end.
	Offset, Length, End int64

	Type   string // such as "response"
	Header []byte // with its version, and the empty line that ends it
	Block  []byte // nil if it was not asked for
}

// NewCrawlReader returns a CrawlReader. Records of more than most bytes are not read into memory.
func NewCrawlReader(from Source, most int64) *CrawlReader {
	return &CrawlReader{from: from, most: most}
}

// Next returns the next record. It reads the block if wanted returns true for the record without it. After
// ErrTooLong there may be more records. An error that wraps ErrDamaged says where the damage is; the error at
// the end is io.EOF. After any error the record has its number and its offset.
func (r *CrawlReader) Next(wanted func(*CrawlRecord) bool) (*CrawlRecord, error) {
	if err := skipLineEnds(r.from, math.MaxInt); errors.Is(err, io.EOF) {
		return &r.record, err
	} else if err != nil {
		return &r.record, fmt.Errorf("behind record %d, at byte %d: %w", r.n, r.from.Offset(), err)
	}
	r.n++
	r.record = CrawlRecord{Number: r.n, Offset: r.from.Offset()}
	err := r.read(wanted)
	if err == nil || errors.Is(err, ErrTooLong) {
		_ = skipLineEnds(r.from, len("\r\n\r\n")) // an error is there again for the next record
		r.record.End = r.from.Offset()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it ends inside of record %d, which begins at byte %d", ErrDamaged, r.n, r.record.Offset)
	} else if err != nil && !errors.Is(err, ErrTooLong) {
		err = fmt.Errorf("record %d, which begins at byte %d: %w", r.n, r.record.Offset, err)
	}
	return &r.record, err
}

func (r *CrawlReader) read(wanted func(*CrawlRecord) bool) error {
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
	rec.Length = int64(header) + size
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
func (r *CrawlReader) readHeader() error {
	head, start := r.buf[:0], 0 // of the line
	for {
		part, err := r.from.ReadSlice('\n')
		head = append(head, part...)
		r.buf = head
		switch first := head[:min(len(head), len(CrawlMagic))]; {
		case !bytes.HasPrefix([]byte(CrawlMagic), first):
			return fmt.Errorf("%w: %.40q, where %s should begin a record", ErrDamaged, head[:min(len(head), 40)], CrawlMagic)
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
func (r *CrawlReader) discard(n int64) error {
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
func (rec *CrawlRecord) Field(name string) []byte { return field(rec.Header, name) }

// Fields returns the values of a named field that the header may have several times.
func (rec *CrawlRecord) Fields(name string) (values [][]byte) {
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

// Host returns the host of an address, in lower case and with its port, if it has one. It is "" if text is none.
func Host(text string) string {
	address, err := url.Parse(strings.Trim(text, " <>"))
	if err != nil {
		return ""
	}
	return strings.ToLower(address.Host)
}
