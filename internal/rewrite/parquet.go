package rewrite

import (
	"errors"
	"fmt"

	"simsearch/internal/corpus"
	"simsearch/internal/parquetfile"
	"simsearch/internal/terminal"
)

// A table is a Parquet file. Places are numbers of rows.
type table struct {
	w  *rewriting
	f  *parquetfile.File
	to *parquetfile.Writer
	at int64 // the next row
}

// newTable opens the file and the output.
func (w *rewriting) newTable() (sink, error) {
	f, err := parquetfile.Open(w.o.context(), w.file.Path)
	if err != nil {
		return &whole{w: w}, nil //nolint:nilerr // the reader reports it
	}
	out, err := w.output()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	to, err := f.NewWriter(out, w.o.Fields)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", w.file.Path, err), f.Close())
	}
	return &table{w: w, f: f, to: to}, nil
}

func (t *table) put(at corpus.Extent, d Decision) error {
	if at.Start != t.at || at.End != t.at+1 {
		return fmt.Errorf("rewrite: row %d where %d should be", at.Start, t.at)
	}
	t.at++
	if d.Drop {
		return t.to.Drop()
	}
	edit := parquetfile.Edit{Values: make([]any, len(t.w.o.Fields))}
	for i, v := range d.Values {
		if s, ok := v.(string); ok {
			v = terminal.String.Text(s)
		}
		edit.Values[i] = v
	}
	if d.Replace {
		name, err := t.w.textField()
		if err != nil {
			return err
		}
		column, err := t.f.Column(name)
		if err != nil {
			return err
		}
		edit.Column, edit.Text = &column, d.Text
	}
	return t.to.Keep(edit)
}

// end ends the output. A file that the reader could not read to its end is written as far as it was read.
func (t *table) end(damaged bool) error {
	if !damaged && t.at != t.f.Rows() {
		return fmt.Errorf("%w: it has %d rows, and %d were read", ErrChanged, t.f.Rows(), t.at)
	}
	return t.to.Close()
}

func (t *table) close() error { return t.f.Close() }
