package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"simsearch/internal/document"
	"simsearch/internal/inputs"
	"simsearch/internal/parquetfile"
)

var parquetKind = kind{
	name: "parquet", words: "Parquet", extensions: []string{".parquet"}, layout: InColumns, fields: anyField, charsets: noCharset,
	begins: func(_ string, head []byte) bool {
		return bytes.HasPrefix(head, []byte(parquetfile.Magic)) && bytes.IndexByte(head, 0) >= 0
	},
	openFile: openParquet,
}

// A parquetSource is a file in Parquet. Only the columns that Options name are read.
type parquetSource struct {
	fieldSource // line is the number of the row; there is no stream
	f           *parquetfile.File
	columns     []parquetfile.Column
	at          []int // the number in columns of each wanted field, or -1
	texts       []int // with Options.AllTexts, the numbers in columns of those that are texts
	cursor      *parquetfile.Cursor
	last        []parquet.Value // the row of the last document
	text, other []byte          // of its text, and of its other fields
	done        int64           // bytes that progress has been told of
}

// errParquetOnce is returned for a Parquet file that cannot be read at any place.
var errParquetOnce = errors.New("a Parquet file is read from a disk, not compressed as a whole, and not from a pipe: write it to a file first")

// openParquet returns the source of a Parquet file.
func openParquet(r *Reader, l lineSource, in inputs.Input, guessed bool) (source, error) {
	if in.Once() || inputs.IsCompressed(in.Path) {
		return nil, errParquetOnce
	}
	f, err := parquetfile.Open(in.Path)
	if err != nil {
		return nil, err
	}
	p := &parquetSource{fieldSource: fieldSource{lineSource: l, thing: "column", guessed: guessed}, f: f}
	if err = p.findColumns(); err == nil {
		err = p.checkColumns(f.Names(), p.at)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.begin(in, Parquet)
	p.cursor = f.NewCursor(p.columns)
	return p, nil
}

// findColumns finds the columns that Options name.
func (p *parquetSource) findColumns() error {
	if p.r.o.AllTexts {
		defer p.allColumns()
	}
	for i, name := range p.r.wanted {
		column, err := p.f.Column(name)
		switch {
		case errors.Is(err, parquetfile.ErrNoColumn):
			p.at = append(p.at, -1)
			continue
		case err != nil && i == p.r.keepAt()+len(p.r.o.KeepFields): // Options.Field
			return &InputError{p.in.Path, err}
		case err != nil:
			return err
		case i < len(p.r.textFields) && !column.IsText() && !p.r.o.AllTexts:
			return fmt.Errorf("column %q has no strings", column.Name)
		}
		p.at = append(p.at, len(p.columns))
		p.columns = append(p.columns, column)
	}
	return nil
}

// part moves to a row. It reads no other rows if the file says where its pages begin.
func (p *parquetSource) part(_ *inputs.Stream, from document.Origin) error {
	if from.Offset >= p.f.Rows() {
		return fmt.Errorf("%w: it has no row %d", ErrChanged, from.Offset+1)
	}
	return p.cursor.SeekRow(from.Offset)
}

func (p *parquetSource) next(doc *document.Document) (err error) {
	if err := context.Cause(p.r.o.Context); err != nil {
		return err
	}
	p.start, p.end, p.length = p.cursor.Row(), p.cursor.Row()+1, 1
	if p.last, err = p.cursor.Next(); errors.Is(err, io.EOF) {
		p.progress(p.f.Size())
	}
	if err != nil {
		return err
	}
	p.line = int(p.end)
	if p.line%1000 == 0 {
		p.progress(int64(float64(p.f.Size()) * float64(p.line) / float64(p.f.Rows())))
	}
	return p.fill(doc, p)
}

func (p *parquetSource) value(i int) (value []byte, is valueKind, err error) {
	at, buf := p.at[i], &p.other
	switch {
	case at < 0:
		return nil, isMissing, nil
	case p.last[at].IsNull():
		return []byte("null"), isNull, nil
	case i < len(p.r.textFields):
		buf = &p.text
	}
	*buf = p.columns[at].Append((*buf)[:0], p.last[at])
	if p.columns[at].IsNumber() {
		return *buf, isNumber, nil
	}
	return *buf, isText, nil
}

// progress tells that so many bytes have been read, as far as can be said of a file of columns.
func (p *parquetSource) progress(done int64) {
	p.r.done.Add(done - p.done)
	p.done = done
}

func (p *parquetSource) close() error { return errors.Join(p.cursor.Close(), p.f.Close()) }

func (p *parquetSource) fieldNames() []string { return p.f.Names() }
