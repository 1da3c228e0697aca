package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/files/columns"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
)

var parquetKind = kind{
	name: "parquet", words: "Parquet", extensions: []string{".parquet"}, layout: InColumns, fields: anyField, charsets: noCharset,
	begins:   func(_ string, head []byte) bool { return columns.LooksLikeParquet(head) },
	openFile: openParquet,
}

var arrowKind = kind{
	name: "arrow", words: "Arrow", extensions: []string{".arrow", ".arrows", ".feather"}, layout: InBatches, fields: anyField, charsets: ownCharsets,
	begins: func(_ string, head []byte) bool { return columns.LooksLikeArrow(head) },
	open:   openArrow,
}

// A columnSource is a table in columns. Only those that Options name are read.
type columnSource struct {
	fieldSource // line is the number of the row
	f           columns.Table
	closer      io.Closer
	read        []columns.Column
	at          []int  // the number of each wanted field among these, or -1
	texts       []int  // with Options.AllTexts, the numbers of those that are texts
	text, other []byte // of the text of the last row, and of its other fields
	told        bool   // a stream tells how many bytes have been read
	done        int64  // bytes that progress has been told of
}

// errParquetOnce is returned for a Parquet file that cannot be read at any place.
var errParquetOnce = errors.New("a Parquet file is read from a disk, not compressed as a whole, and not from a pipe: write it to a file first")

// errNoArrow is returned for a file that is no Arrow file by its first bytes.
var errNoArrow = errors.New("not a file or a stream of Arrow")

// openParquet returns the source of a Parquet file.
func openParquet(l lineSource) (source, error) {
	if l.in.Once() {
		return nil, errParquetOnce
	}
	f, err := columns.OpenParquet(l.r.o.Context, l.in.Path)
	if err != nil {
		return nil, err
	}
	return openColumns(l, f, f, false, Parquet)
}

// openArrow returns the source of an Arrow file or stream.
func openArrow(l lineSource) (src source, err error) {
	from, told := io.Reader(l.s), true
	if f := l.s.File(); f != nil {
		from, told = f, false
	}
	f, err := columns.NewArrow(from, columns.MostOfBatch(l.r.o.Memory))
	if err == nil {
		src, err = openColumns(l, f, l.s, told, Arrow)
	}
	if err != nil && !l.in.Once() {
		l.r.format, l.r.layout = Auto, InFile
	}
	return src, err
}

func openColumns(l lineSource, f columns.Table, closer io.Closer, told bool, format Format) (source, error) {
	p := &columnSource{fieldSource: fieldSource{lineSource: l, thing: "column"}, f: f, closer: closer, told: told}
	err := p.findColumns()
	if err == nil {
		err = p.checkColumns(f.Paths(), p.at)
	}
	if err != nil {
		return nil, errors.Join(err, closer.Close())
	}
	l.r.begin(l.in, format)
	return p, nil
}

// findColumns finds the columns that Options name.
func (p *columnSource) findColumns() error {
	for i, name := range p.r.wanted {
		n, c, err := p.f.Add(name)
		switch {
		case errors.Is(err, columns.ErrNoColumn), err != nil && p.r.o.AllTexts && i < len(p.r.textFields):
			p.at = append(p.at, -1)
			continue
		case err != nil && i == p.r.keepAt()+len(p.r.o.KeepFields): // Options.Field
			return wrongInput(p.in.Path, err)
		case err != nil:
			return err
		case i < len(p.r.textFields) && !c.Text && !p.r.o.AllTexts:
			return fmt.Errorf("column %q has no strings", name)
		}
		p.at, p.read = append(p.at, n), append(p.read, c)
	}
	if p.r.o.AllTexts {
		for _, name := range p.f.Paths() {
			if n, c, err := p.f.Add(name); err == nil {
				p.read = append(p.read, c)
				if c.Text {
					p.texts = append(p.texts, n)
				}
			}
		}
	}
	return nil
}

// seek moves to a row.
func (p *columnSource) seek(row int64) error {
	ok, err := p.f.SeekRow(row)
	if !ok && (err == nil || errors.Is(err, io.EOF)) {
		err = fmt.Errorf("%w: it has no row %d", ErrChanged, row+1)
	}
	return err
}

func (p *columnSource) next(doc *document.Document) (err error) {
	if err := context.Cause(p.r.o.Context); err != nil {
		return err
	}
	if err = p.f.Next(); err != nil {
		return err
	}
	p.start = p.f.Row()
	p.end, p.length, p.line = p.start+1, 1, int(p.start+1)
	if p.line%1000 == 0 {
		p.progress()
	}
	if err = p.fill(doc, p); errors.Is(err, disk.ErrFault) {
		return disk.ErrFault // of the file, and not of this row
	}
	return err
}

func (p *columnSource) value(i int) (value []byte, is valueKind, err error) {
	at, buf := p.at[i], &p.other
	if at < 0 {
		return nil, isMissing, nil
	}
	if i < len(p.r.textFields) {
		buf = &p.text
	}
	value, ok, err := p.f.Append((*buf)[:0], at)
	switch *buf = value; {
	case err != nil:
		return nil, isMissing, err
	case !ok:
		return []byte("null"), isNull, nil
	case p.read[at].Bare:
		return value, isNumber, nil
	}
	return value, isText, nil
}

func (p *columnSource) eachText(do func(name, text []byte)) {
	for _, at := range p.texts {
		if text, ok, err := p.f.Append(p.text[:0], at); ok && err == nil {
			p.text = text
			do([]byte(p.read[at].Name), text)
		}
	}
}

// progress tells how many bytes have been read, as far as can be said of a file of columns.
func (p *columnSource) progress() {
	if !p.told {
		done := p.f.Bytes()
		p.r.done.Add(done - p.done)
		p.done = done
	}
}

func (p *columnSource) close() error {
	p.progress()
	return p.closer.Close()
}

func (p *columnSource) fieldNames() []string { return p.f.Paths() }
