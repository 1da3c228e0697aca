package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/inputs"
	"simsearch/internal/parquetfile"
	"simsearch/internal/stream"
)

var parquetKind = kind{
	name: "parquet", words: "Parquet", extensions: []string{".parquet"}, layout: InColumns, fields: anyField, charsets: noCharset,
	begins: func(_ string, head []byte) bool {
		return bytes.HasPrefix(head, []byte(parquetfile.Magic)) && bytes.IndexByte(head, 0) >= 0
	},
	openFile: openParquet,
	reread:   func(r *Rereader, from document.Origin, _ charset.Charset) ([]byte, error) { return r.row(from) },
}

// A parquetSource is a file in Parquet. Only the columns that Options name are read.
type parquetSource struct {
	lineSource // line is the number of the row; there is no stream
	f          *parquetfile.File
	columns    parquetColumns
	cursor     *parquetfile.Cursor
	id, text   []byte
	last       []parquet.Value // the row of the last document
	value      []byte          // of a field of it
	done       int64           // bytes that progress has been told of
}

// parquetColumns are the columns that Options name: those of texts, perhaps that of ids, and perhaps that
// of fingerprints.
type parquetColumns struct {
	all                []parquetfile.Column
	texts              int // the first columns of all
	hasID, hasPrepared bool
	prepared           int   // the column of fingerprints, if there is one
	kept               []int // the columns of Reader.keep, -1 for those that the file lacks
}

// errParquetOnce is returned for a Parquet file that cannot be read at any place.
var errParquetOnce = errors.New("a Parquet file is read from a disk, not compressed as a whole, and not from a pipe: write it to a file first")

// openParquet returns the source of a Parquet file.
func openParquet(r *Reader, l lineSource, in inputs.Input, guessed bool) (source, error) {
	if in.Once() || stream.IsCompressed(in.Path) {
		return nil, errParquetOnce
	}
	f, err := parquetfile.Open(in.Path)
	if err != nil {
		return nil, err
	}
	columns, err := findColumns(r, in.Path, f)
	if err == nil {
		err = checkColumns(r, in.Path, f.Names(), columns.hasID, columns.texts > 0 || columns.hasPrepared, guessed)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.begin(in, Parquet)
	return &parquetSource{lineSource: l, f: f, columns: columns, cursor: f.NewCursor(columns.all)}, nil
}

// findColumns finds the columns that Options name.
func findColumns(r *Reader, path string, f *parquetfile.File) (c parquetColumns, err error) {
	find := func(name string, columnOf func(name string) (parquetfile.Column, error)) (bool, error) {
		column, err := columnOf(name)
		if errors.Is(err, parquetfile.ErrNoColumn) {
			return false, nil
		}
		if err == nil {
			c.all = append(c.all, column)
		}
		return err == nil, err
	}
	for _, name := range r.textFields {
		if _, err := find(name, f.Column); err != nil {
			return c, err
		}
	}
	c.texts = len(c.all)
	for _, column := range c.all {
		if !column.IsText() {
			return c, fmt.Errorf("column %q has no strings", column.Name)
		}
	}
	if c.hasID, err = find(r.o.idField(), f.Column); err != nil {
		return c, err
	}
	if name := r.o.FingerprintField; name != "" {
		if c.hasPrepared, err = find(name, f.Column); err != nil {
			return c, err
		}
	}
	c.prepared = len(c.all) - 1
	for i, name := range r.keep {
		at, columnOf := -1, f.Column
		if i == len(r.o.KeepFields) {
			columnOf = f.OrderedColumn
		}
		found, err := find(name, columnOf)
		switch {
		case err != nil && i == len(r.o.KeepFields):
			return c, &InputError{path, err}
		case err != nil:
			return c, err
		}
		if found {
			at = len(c.all) - 1
		}
		c.kept = append(c.kept, at)
	}
	return c, nil
}

func (p *parquetSource) next(doc *document.Document) error {
	if err := context.Cause(p.r.o.Context); err != nil {
		return err
	}
	p.start = p.cursor.Row()
	values, err := p.cursor.Next()
	if errors.Is(err, io.EOF) {
		p.progress(p.f.Size())
	}
	if err != nil {
		return err
	}
	p.last = values
	p.line, p.length = int(p.start)+1, 1
	if p.line%1000 == 0 {
		p.progress(int64(float64(p.f.Size()) * float64(p.line) / float64(p.f.Rows())))
	}
	id := p.place(doc.ID)
	if c := p.columns; c.hasID {
		v := values[c.texts]
		if v.IsNull() {
			return bad(p.path, p.line, fmt.Errorf("column %q is null, want an id", c.all[c.texts].Name))
		}
		if p.id = c.all[c.texts].Append(p.id[:0], v); len(p.id) == 0 {
			return bad(p.path, p.line, fmt.Errorf("column %q is empty, want an id", c.all[c.texts].Name))
		}
		id = append(id[:0], p.id...)
	}
	text, found, err := p.columns.text(p.text[:0], values, p.r.limits)
	p.text = text
	switch {
	case err != nil:
		return bad(p.path, p.line, err)
	case found:
		*doc = document.Document{ID: id, Text: text, Line: p.line, Origin: p.origin()}
		return nil
	}
	return p.prepared(doc, id, values)
}

// prepared fills doc with a row that has no text, and may have a ready-made fingerprint.
func (p *parquetSource) prepared(doc *document.Document, id []byte, row []parquet.Value) error {
	c := p.columns
	last := c.prepared
	if !c.hasPrepared || row[last].IsNull() {
		return bad(p.path, p.line, fmt.Errorf("column %q is null, want a string", c.all[0].Name))
	}
	column := c.all[last]
	notation := column.Append(nil, row[last])
	if !column.IsText() && notation[0] != '-' {
		notation = append([]byte("+"), notation...) // a number is decimal, whatever its length
	}
	return p.givenFingerprint(doc, id, notation)
}

// text appends the text of a row to dst. Of several columns it takes those that are not null. found is
// false if all are null.
func (c *parquetColumns) text(dst []byte, values []parquet.Value, l limits) (text []byte, found bool, err error) {
	for i, column := range c.all[:c.texts] {
		if values[i].IsNull() {
			continue
		}
		if found {
			dst = append(dst, '\n')
		}
		found = true
		if int64(len(dst)+len(values[i].ByteArray())) > l.document {
			return dst, false, l.tooLong()
		}
		dst = column.Append(dst, values[i])
	}
	return dst, found, nil
}

// progress tells that so many bytes have been read, as far as can be said of a file of columns.
func (p *parquetSource) progress(done int64) {
	p.r.done.Add(done - p.done)
	p.done = done
}

// extent returns the number of the row.
func (p *parquetSource) extent() (start, end int64) { return p.start, p.start + 1 }

func (p *parquetSource) close() error { return errors.Join(p.cursor.Close(), p.f.Close()) }

func (p *parquetSource) fieldNames() []string { return p.f.Names() }

// keptField returns the value of a column that is not null.
func (p *parquetSource) keptField(i int) (value []byte, ok bool) {
	at := p.columns.kept[i]
	if at < 0 || p.last[at].IsNull() {
		return nil, false
	}
	p.value = p.columns.all[at].Append(p.value[:0], p.last[at])
	return p.value, true
}

// row returns the text of a row of a Parquet file. It reads no other rows if the file says where its pages
// begin.
func (r *Rereader) row(from document.Origin) ([]byte, error) {
	t := &r.table
	if t.path != from.Path || t.f == nil {
		if err := errors.Join(r.Close(), checkRegular(from.Path)); err != nil {
			return nil, err
		}
		if err := r.openTable(from.Path); err != nil {
			return nil, err
		}
	}
	if from.Offset < 0 || from.Offset >= t.f.Rows() {
		return nil, fmt.Errorf("%w: it has no row %d", ErrChanged, from.Offset+1)
	}
	if err := t.cursor.SeekRow(from.Offset); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	values, err := t.cursor.Next()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	text, found, err := t.columns.text(t.text[:0], values, r.r.limits)
	if t.text = text; err == nil && !found {
		err = fmt.Errorf("%w: the row has no text", ErrChanged)
	}
	return text, err
}

// openTable opens a Parquet file.
func (r *Rereader) openTable(path string) error {
	f, err := parquetfile.Open(path)
	if err != nil {
		return err
	}
	columns, err := findColumns(r.r, path, f)
	if err != nil || columns.texts == 0 {
		return errors.Join(fmt.Errorf("%w: no column with texts", ErrChanged), err, f.Close())
	}
	columns.all = columns.all[:columns.texts] // not those of ids
	r.table.path, r.table.f, r.table.columns, r.table.cursor = path, f, columns, f.NewCursor(columns.all)
	return nil
}
