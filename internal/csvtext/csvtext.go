// Package csvtext reads tables of text: CSV and TSV. A row is known by its bytes, so that it can be
// written again as it stands.
//
// Rows end with LF or CRLF. A cell may be in double quotes: it may then hold delimiters, line ends and,
// written twice, quotes. A quote behind the beginning of a cell stands for itself, as in Python's reader,
// so that every sequence of bytes is a row but one that ends inside of quotes.
package csvtext

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

var (
	// ErrTooLong is returned for a row that is longer than the limit of a Reader. The row is passed over.
	ErrTooLong = errors.New("the row is too long")
	// ErrOpenQuote is returned for a row that ends inside of quotes, at the end of the file, and by Parse.
	ErrOpenQuote = errors.New("a quote that opens a cell is not closed")
)

// A Source is what rows are read from. A *bufio.Reader with a count of the bytes is one.
type Source interface {
	// ReadSlice reads up to and with delim, as bufio.Reader.ReadSlice does.
	ReadSlice(delim byte) ([]byte, error)
}

// A Reader reads the rows of a table. It holds one row in memory.
type Reader struct {
	from  Source
	comma byte
	most  int64
	line  int // lines that have been read
	buf   []byte
	row   Row
}

// NewReader returns a Reader of the rows of from, with comma between cells. Rows have at most so many
// bytes.
func NewReader(from Source, comma byte, most int64) *Reader {
	return &Reader{from: from, comma: comma, most: most}
}

// Next returns the next row that is not blank. It is valid until the next call. After ErrTooLong and
// ErrOpenQuote the row has only its line; the rows behind it can be read. At the end, the error is io.EOF.
func (r *Reader) Next() (*Row, error) {
	for {
		if err := r.read(); err != nil {
			return &r.row, err
		}
		if len(bytes.TrimRight(r.row.Raw, "\r\n")) > 0 {
			return &r.row, nil
		}
	}
}

// read reads the next row.
func (r *Reader) read() error {
	r.row.Line, r.row.Raw, r.row.cells = r.line+1, nil, r.row.cells[:0]
	raw := r.buf[:0]
	scan := scanner{comma: r.comma}
	tooLong := false
	for {
		part, err := r.from.ReadSlice('\n')
		scan.scan(part)
		if !tooLong {
			raw = append(raw, part...)
			tooLong = int64(len(raw)) > r.most+int64(len("\r\n"))
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil:
			r.line++
			if scan.inQuotes() {
				continue
			}
		case !errors.Is(err, io.EOF):
			return err
		case scan.n == 0:
			return io.EOF
		default:
			r.line++
		}
		r.buf = raw
		if tooLong || int64(len(trimEnd(raw))) > r.most {
			return ErrTooLong
		}
		if scan.inQuotes() {
			return fmt.Errorf("%w, so that all up to the end of the file is one row", ErrOpenQuote)
		}
		r.row.Raw = raw
		r.row.split(r.comma)
		return nil
	}
}

// trimEnd returns a row without its line end.
func trimEnd(row []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(row, []byte("\n")), []byte("\r"))
}

// A state is where a scanner stands in a row.
type state uint8

const (
	atStart  state = iota // of a cell
	inPlain               // in a cell without quotes, or behind the quotes of one
	inQuotes              // between quotes
	atQuote               // behind a quote that ends the quotes, unless another one follows
)

// A scanner finds out whether a row that is seen in parts ends inside of quotes.
type scanner struct {
	comma byte
	state state
	n     int64 // bytes
}

func (s *scanner) inQuotes() bool { return s.state == inQuotes }

// scan goes on with the next part of the row.
func (s *scanner) scan(part []byte) {
	s.n += int64(len(part))
	for i := 0; i < len(part); i++ {
		switch s.state {
		case inQuotes:
			n := bytes.IndexByte(part[i:], '"')
			if n < 0 {
				return
			}
			i += n
			s.state = atQuote
		case inPlain:
			n := bytes.IndexByte(part[i:], s.comma)
			if n < 0 {
				return
			}
			i += n
			s.state = atStart
		default: // atStart, atQuote
			s.state = next(part[i], s.comma)
		}
	}
}

// next returns the state behind the byte c at the beginning of a cell, or behind a quote.
func next(c, comma byte) state {
	switch c {
	case '"':
		return inQuotes
	case comma:
		return atStart
	}
	return inPlain
}

// A Row is one row of a table as it stands in the file.
type Row struct {
	// Raw is the row with its line end.
	Raw []byte
	// Line is the number of its first line in the file, from 1.
	Line  int
	cells []cell
}

// A cell is a part of a row, with its quotes.
type cell struct{ start, end int }

// split finds the cells of the row, which ends outside of quotes.
func (r *Row) split(comma byte) {
	text := trimEnd(r.Raw)
	at, start := atStart, 0
	for i := 0; i < len(text); i++ {
		switch at {
		case inQuotes:
			n := bytes.IndexByte(text[i:], '"')
			i += n // there is one
			at = atQuote
		case inPlain:
			n := bytes.IndexByte(text[i:], comma)
			if n < 0 {
				i = len(text)
				break
			}
			i += n
			r.cells = append(r.cells, cell{start, i})
			at, start = atStart, i+1
		default:
			if at = next(text[i], comma); at == atStart {
				r.cells = append(r.cells, cell{start, i})
				start = i + 1
			}
		}
	}
	r.cells = append(r.cells, cell{start, len(text)})
}

// Parse returns the row that is all of raw, as a Reader has found it, with or without its line end. It keeps
// raw. The error is ErrOpenQuote if raw ends inside of quotes, or has more than one row.
func Parse(raw []byte, comma byte) (*Row, error) {
	scan := scanner{comma: comma}
	for line := range bytes.Lines(raw) {
		if scan.n > 0 && !scan.inQuotes() {
			return nil, ErrOpenQuote
		}
		scan.scan(line)
	}
	if scan.inQuotes() {
		return nil, ErrOpenQuote
	}
	row := &Row{Raw: raw, Line: 1}
	row.split(comma)
	return row, nil
}

// Len returns the number of cells, at least 1.
func (r *Row) Len() int { return len(r.cells) }

// Size returns the length of the row in bytes, without its line end.
func (r *Row) Size() int { return len(trimEnd(r.Raw)) }

// Span returns the place of cell i, 0 ≤ i < Len(), in Raw: [start, end). Its quotes belong to it.
func (r *Row) Span(i int) (start, end int) { return r.cells[i].start, r.cells[i].end }

// AppendCell appends the value of cell i, 0 ≤ i < Len(), to dst: without quotes, and with one quote for
// two inside of them.
func (r *Row) AppendCell(dst []byte, i int) []byte {
	text := r.Raw[r.cells[i].start:r.cells[i].end]
	if len(text) == 0 || text[0] != '"' {
		return append(dst, text...)
	}
	for rest := text[1:]; ; {
		n := bytes.IndexByte(rest, '"')
		if n < 0 {
			return append(dst, rest...)
		}
		dst = append(dst, rest[:n]...)
		rest = rest[n+1:]
		if len(rest) == 0 || rest[0] != '"' {
			return append(dst, rest...) // what stands behind the quotes
		}
		dst = append(dst, '"')
		rest = rest[1:]
	}
}

// Cells returns the values of all cells.
func (r *Row) Cells() []string {
	cells := make([]string, r.Len())
	for i := range cells {
		cells[i] = string(r.AppendCell(nil, i))
	}
	return cells
}

// AppendQuoted appends value to dst as a cell of a table with comma between cells: in quotes if it must
// be, or if quote is set.
func AppendQuoted(dst, value []byte, comma byte, quote bool) []byte {
	if !quote && !bytes.ContainsAny(value, "\"\r\n") && bytes.IndexByte(value, comma) < 0 {
		return append(dst, value...)
	}
	dst = append(slices.Grow(dst, len(value)+2), '"')
	for {
		n := bytes.IndexByte(value, '"')
		if n < 0 {
			return append(append(dst, value...), '"')
		}
		dst = append(append(dst, value[:n+1]...), '"')
		value = value[n+1:]
	}
}
