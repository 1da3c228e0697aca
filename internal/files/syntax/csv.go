package syntax

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrOpenQuote is returned for a row that ends inside of quotes, at the end of the file, and by ParseRow.
var ErrOpenQuote = errors.New("a quote that opens a cell is not closed")

// lines is what rows are read from: a Source, or any other *bufio.Reader.
type lines interface {
	ReadSlice(delim byte) ([]byte, error)
}

// A RowReader reads the rows of a table. It holds one row in memory.
type RowReader struct {
	from  lines
	comma byte
	most  int64
	line  int // lines that have been read
	buf   []byte
	row   Row
}

// NewRowReader returns a RowReader of the rows of from, with comma between cells. Rows have at most so many
// bytes.
func NewRowReader(from lines, comma byte, most int64) *RowReader {
	return &RowReader{from: from, comma: comma, most: most}
}

// Next returns the next row that is not blank. It is valid until the next call. After ErrTooLong and
// ErrOpenQuote the row has only its line; the rows behind it can be read. At the end, the error is io.EOF.
func (r *RowReader) Next() (*Row, error) {
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
func (r *RowReader) read() error {
	row := &r.row
	*row = Row{Line: r.line + 1, cells: row.cells[:0], comma: r.comma}
	raw := r.buf[:0]
	tooLong := false
	for {
		part, err := r.from.ReadSlice('\n')
		if !tooLong {
			raw = append(raw, part...)
			row.Raw, r.buf = raw, raw
			tooLong = int64(len(raw)) > r.most+int64(len("\r\n"))
		} else {
			row.Raw, row.at, row.cells = part, 0, row.cells[:0]
		}
		row.scan()
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil:
			r.line++
			if row.state == inQuotes {
				continue
			}
		case !errors.Is(err, io.EOF):
			return err
		case len(raw) == 0:
			return io.EOF
		default:
			r.line++
		}
		switch open := row.state == inQuotes; {
		case tooLong || int64(len(trimEnd(raw))) > r.most:
			err = ErrTooLong
		case open:
			err = fmt.Errorf("%w, so that all up to the end of the file is one row", ErrOpenQuote)
		default:
			row.end()
			return nil
		}
		row.Raw, row.cells = nil, row.cells[:0]
		return err
	}
}

// trimEnd returns a row, or a part of a message, without its line end.
func trimEnd(row []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(row, []byte("\n")), []byte("\r"))
}

// A state is where a row stands that is read in parts.
type state uint8

const (
	atStart  state = iota // of a cell
	inPlain               // in a cell without quotes, or behind the quotes of one
	inQuotes              // between quotes
	atQuote               // behind a quote that ends the quotes, unless another one follows
)

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
	comma byte
	cells []cell
	state state
	at    int // what is before it in Raw has been seen
	start int // of the next cell
}

// A cell is a part of a row, with its quotes.
type cell struct{ start, end int }

// scan finds the cells of what has come of the row, but for the last one.
func (r *Row) scan() {
	for r.at < len(r.Raw) {
		rest := r.Raw[r.at:]
		n, behind := 0, atStart
		switch r.state {
		case inQuotes:
			n, behind = bytes.IndexByte(rest, '"'), atQuote
		case inPlain:
			n = bytes.IndexByte(rest, r.comma)
		default:
			behind = next(rest[0], r.comma)
		}
		if n < 0 {
			r.at = len(r.Raw)
			return
		}
		if r.state = behind; behind == atStart {
			r.cells = append(r.cells, cell{r.start, r.at + n})
			r.start = r.at + n + 1
		}
		r.at += n + 1
	}
}

// end ends the last cell.
func (r *Row) end() { r.cells = append(r.cells, cell{r.start, len(trimEnd(r.Raw))}) }

// ParseRow returns the row that is all of raw, as a RowReader has found it, with or without its line end. It keeps
// raw. The error is ErrOpenQuote if raw ends inside of quotes, or has more than one row.
func ParseRow(raw []byte, comma byte) (*Row, error) {
	row := &Row{Line: 1, comma: comma}
	for line := range bytes.Lines(raw) {
		if len(row.Raw) > 0 && row.state != inQuotes {
			return nil, ErrOpenQuote
		}
		row.Raw = raw[:len(row.Raw)+len(line)]
		row.scan()
	}
	if row.state == inQuotes {
		return nil, ErrOpenQuote
	}
	row.end()
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
