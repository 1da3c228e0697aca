package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"simsearch/document"
	"simsearch/internal/htmltext"
	"simsearch/internal/idtext"
	"simsearch/internal/stream"
)

// An emptySource is standard input without a byte, whatever its format: nobody has named a document. An empty file is one.
type emptySource struct{ s *stream.Stream }

func (e *emptySource) close() error { return e.s.Close() }

func (e *emptySource) extent() (start, end int64) { return 0, 0 }

// next returns io.EOF, or the error that has kept the first byte away.
func (e *emptySource) next(*document.Document) error {
	_, err := e.s.ReadByte()
	return err
}

// A textSource is a file that is one document.
type textSource struct {
	r    *Reader
	path string
	name string // in ids
	s    *stream.Stream
	done bool
}

func (t *textSource) close() error { return t.s.Close() }

func (t *textSource) extent() (start, end int64) { return 0, 0 }

func (t *textSource) next(doc *document.Document) error {
	if t.done {
		return io.EOF
	}
	t.done = true
	most := t.r.limits.document
	if t.s.Size > most+int64(len(byteOrderMark)) {
		return bad(t.path, 0, t.r.limits.tooLong())
	}
	buf := t.r.buf[:0]
	for {
		buf = slices.Grow(buf, 4096)
		n, err := t.s.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > most {
			return bad(t.path, 0, t.r.limits.tooLong())
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	t.r.buf = buf
	*doc = document.Document{ID: t.id(doc.ID), Text: buf}
	return nil
}

// id writes the id of the document into buf.
func (t *textSource) id(buf []byte) []byte { return t.r.appendName(buf[:0], t.name) }

// appendName appends to id the id of a document that is the whole file of that name.
func (r *Reader) appendName(id []byte, name string) []byte {
	id = append(id, name...)
	if first := r.o.StdinFirst; name == "-" && first > 0 {
		id = strconv.AppendInt(append(id, '#'), int64(first), 10)
	}
	return id
}

// A lineSource is a file with one document a line.
type lineSource struct {
	r    *Reader
	path string
	name string // in ids
	s    *stream.Stream
	line int
	raw  []byte // what was read last
	// start and length are of what was read last: bytes of the decompressed file.
	start, length int64
}

func (l *lineSource) close() error { return l.s.Close() }

// extent returns the place of what was read last, with its line end.
func (l *lineSource) extent() (start, end int64) { return l.start, l.s.Offset() }

// origin returns the place of what was read last. The reader adds the file.
func (l *lineSource) origin() document.Origin {
	return document.Origin{Offset: l.start, Length: l.length}
}

// asRead returns what was read last as it stands in the file.
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
		return bad(l.path, l.line, errors.New("it has a zero byte"))
	}
	return nil
}

// place writes name#line into id, or the name if the file is one record.
func (l *lineSource) place(id []byte) []byte {
	if l.line == 0 {
		return l.r.appendName(id[:0], l.name)
	}
	id = append(append(id[:0], l.name...), '#')
	line := int64(l.line)
	if first := l.r.o.StdinFirst; l.name == "-" && first > 0 {
		line += int64(first) - 1
	}
	return strconv.AppendInt(id, line, 10)
}

// read returns the next line without its end, which is LF, CRLF or the end of the file. The line is
// valid until the next read. If the line is longer than the longest document, the error is a
// *BadError.
func (l *lineSource) read() ([]byte, error) {
	l.start = l.s.Offset()
	line, err := l.s.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.readLong(line)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err // a line before an error may be incomplete
	}
	l.line++
	l.raw = line
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if int64(len(line)) > l.r.limits.document {
		return nil, bad(l.path, l.line, l.r.limits.tooLong())
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
		more, err = l.s.ReadSlice('\n')
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

// A setSource is a file with one set a line: an id in its form for lists (package idtext), a tab,
// and items separated by spaces.
type setSource struct{ lineSource }

func (s *setSource) next(doc *document.Document) error {
	line, err := s.readRecord()
	if err != nil {
		return err
	}
	id, items, ok := cutSet(line)
	switch {
	case !ok && s.r.o.Pairs:
		return bad(s.path, s.line, errors.New("no tab: want ID<TAB>item item item, or a table with a header and another --format"))
	case !ok:
		return bad(s.path, s.line, errors.New("no tab: want ID<TAB>item item item"))
	case len(id) == 0:
		return bad(s.path, s.line, errors.New("no id before the tab"))
	}
	if err := s.checkZeros(items); err != nil {
		return err
	}
	*doc = document.Document{ID: idtext.List.AppendID(doc.ID[:0], id), Text: items, Line: s.line, Origin: s.origin()}
	return nil
}

// cutSet parts a line into an id and items. ok is false if it has no tab.
func cutSet(line []byte) (id, items []byte, ok bool) { return bytes.Cut(line, []byte("\t")) }

// An htmlSource is a file that is one HTML document.
type htmlSource struct {
	textSource
	text []byte
}

func (h *htmlSource) next(doc *document.Document) error {
	if err := h.textSource.next(doc); err != nil {
		return err
	}
	page := h.decodedPage(doc.Text)
	if int64(len(page)) > h.r.limits.document {
		return bad(h.path, 0, h.r.limits.tooLong())
	}
	h.text = htmltext.Append(h.text[:0], page)
	doc.Text = h.text
	return nil
}
