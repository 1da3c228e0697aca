package corpus

import (
	"errors"
	"fmt"
	"io"

	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/csvtext"
	"simsearch/internal/inputs"
	"simsearch/internal/parquetfile"
	"simsearch/internal/warc"
)

// A table is what a Rereader knows of a file of rows.
type table struct {
	path    string
	header  *header // of CSV and TSV
	f       *parquetfile.File
	columns parquetColumns
	cursor  *parquetfile.Cursor
	text    []byte
}

// close closes the file, if it is open. The header of a table in CSV is forgotten with it.
func (t *table) close() (err error) {
	if t.f != nil {
		err = errors.Join(t.cursor.Close(), t.f.Close())
	}
	*t = table{text: t.text}
	return err
}

// readHeader reads the header of the table in CSV or TSV that is open, unless it is known.
func (r *Rereader) readHeader(path string, format Format, c charset.Charset) (err error) {
	if r.table.path == path && r.table.header != nil {
		return nil
	}
	s, err := r.r.openStream(inputs.Input{Path: path})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	h, _, err := r.r.readHeader(decoded(s, c), format)
	switch {
	case err != nil && (errors.Is(err, io.EOF) || errors.Is(err, csvtext.ErrOpenQuote)):
		return fmt.Errorf("%w: no header", ErrChanged)
	case err != nil:
		return err
	case len(h.texts) == 0:
		return fmt.Errorf("%w: no column with texts", ErrChanged)
	}
	r.table.path, r.table.header = path, h
	return nil
}

// cells returns the text of a row in CSV or TSV.
func (t *table) cells(line []byte) ([]byte, error) {
	row, err := csvtext.Parse(line, t.header.comma)
	if err != nil || row.Len() != len(t.header.names) {
		return nil, fmt.Errorf("%w: no row of the table", ErrChanged)
	}
	t.text, _ = t.header.appendText(t.text[:0], row)
	return t.text, nil
}

// recordText returns the text of a record of a crawl.
func (r *Rereader) recordText(data []byte) ([]byte, error) {
	record, err := warc.Parse(data)
	if err != nil || !record.HasText() {
		return nil, fmt.Errorf("%w: no record with a text", ErrChanged)
	}
	text, ok, err := recordText(r.table.text[:0], record, r.r.limits)
	r.table.text = text
	switch {
	case errors.Is(err, ErrTooLong):
		return nil, err
	case err != nil || !ok:
		return nil, fmt.Errorf("%w: no record with a text", ErrChanged)
	}
	return text, nil
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
	columns, err := r.r.findColumns(f)
	if err != nil || columns.texts == 0 {
		return errors.Join(fmt.Errorf("%w: no column with texts", ErrChanged), err, f.Close())
	}
	columns.all = columns.all[:columns.texts] // not those of ids
	r.table.path, r.table.f, r.table.columns, r.table.cursor = path, f, columns, f.NewCursor(columns.all)
	return nil
}
