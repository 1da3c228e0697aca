package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
)

var linesKind = kind{name: "lines", layout: InLines, open: func(l lineSource) (source, error) { return &l, nil }}

// A lineSource is a file with one document a line.
type lineSource struct {
	r       *Reader
	in      inputs.Input
	name    string // in ids
	guessed bool   // the format follows from the content
	s       *inputs.Stream
	line    int
	eol     byte   // that lines end with: LF, or CR if there is no LF; 0 before the first line
	raw     []byte // what was read last
	// start and length are of what was read last: bytes of the decompressed file. end is behind its line end.
	start, length, end int64
}

func (l *lineSource) close() error { return l.s.Close() }

// extent returns the place of what was read last, with its line end.
func (l *lineSource) extent() (start, end int64) { return l.start, l.end }

// bad returns a BadError about what was read last.
func (l *lineSource) bad(err error) *BadError {
	if errors.Is(err, syntax.ErrTooLong) {
		err = l.r.limits.tooLong()
	}
	return bad(l.in.Path, l.line, err)
}

// origin returns the place of what was read last. The reader adds the file.
func (l *lineSource) origin() document.Origin {
	return document.Origin{Offset: l.start, Length: l.length}
}

func (l *lineSource) asRead() []byte { return l.raw }

func (l *lineSource) next(doc *document.Document) error {
	text, err := l.read()
	if err != nil {
		return err
	}
	if err := l.checkZeros(text); err != nil {
		return err
	}
	*doc = document.Document{ID: l.place(doc.ID), Text: text, Line: l.line, Origin: l.origin()}
	return nil
}

// checkZeros returns an error if a line or record has a zero byte, which no text has.
func (l *lineSource) checkZeros(record []byte) error {
	if bytes.IndexByte(record, 0) >= 0 {
		return l.bad(errors.New("it has a zero byte"))
	}
	return nil
}

// given fills doc with a fingerprint.
func (l *lineSource) given(doc *document.Document, id []byte, fp document.Long) {
	*doc = document.Document{ID: id, HasFingerprint: true, Line: l.line}
	doc.Fingerprint, doc.More = fp.Parts()
}

// place writes name#line into id, or the name if the file is one record.
func (l *lineSource) place(id []byte) []byte {
	id, line := append(id[:0], l.name...), l.line
	if first := l.r.o.StdinFirst; l.name == "-" && first > 0 {
		line = max(1, line) + first - 1
	}
	if line > 0 {
		id = strconv.AppendInt(append(id, '#'), int64(line), 10)
	}
	return id
}

// lineEnd returns what lines end with. A file has CR alone if it has that, and no LF, in its beginning, as far as
// that is there.
func (l *lineSource) lineEnd() byte {
	if l.in.Once() && l.r.format != JSONL {
		return '\n' // more may come
	}
	head := l.s.Beginning(bufferSize, l.in.Once())
	if at := bytes.IndexByte(head, '\r'); at >= 0 && at+1 < len(head) && bytes.IndexByte(head, '\n') < 0 {
		return '\r'
	}
	return '\n'
}

// read returns the next line without its end, which is LF, CRLF, CR in a file with that alone, or the end of the
// file. The line is valid until the next read. If the line is longer than the longest document, the error is a
// *BadError.
func (l *lineSource) read() ([]byte, error) {
	if l.eol == 0 {
		l.eol = l.lineEnd()
	}
	l.start = l.s.Offset()
	line, err := l.s.ReadSlice(l.eol)
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.readLong(line)
	}
	l.end = l.s.Offset()
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err // a line before an error may be incomplete
	}
	l.line++
	l.raw = line
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if int64(len(line)) > l.r.limits.document {
		return nil, l.bad(l.r.limits.tooLong())
	}
	l.length = int64(len(line))
	return line, nil
}

// readLong returns, with its end, the line that begins with begun, which has filled the buffer. Of
// a line that is too long it returns only enough to show that.
func (l *lineSource) readLong(begun []byte) (line []byte, err error) {
	most := l.r.limits.document + int64(len("\r\n"))
	line, err = append(l.r.buf[:0], begun...), bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) {
		var more []byte
		more, err = l.s.ReadSlice(l.eol)
		if int64(len(line)) <= most {
			line = append(line, more...)
		}
	}
	l.r.buf = line
	return line, err
}

// readRecord is read for formats that ignore blank lines.
func (l *lineSource) readRecord() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}
