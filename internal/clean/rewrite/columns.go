package rewrite

import (
	"errors"
	"fmt"

	"simsearch/internal/files/columns"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
)

// A table is a file in columns. Places are numbers of rows.
type table struct {
	w    *rewriting
	c    *copier // the file and the output
	to   columns.Writer
	at   int64 // the next row
	rows int64 // as a Parquet file says, or -1
}

// newTable opens the file or stream and the output.
func (w *rewriting) newTable(r *corpus.Reader) (sink, error) {
	c, err := w.newCopier(r)
	if err != nil {
		return nil, err
	}
	t := &table{w: w, c: c, rows: -1}
	from := c.from
	if c.file != nil { // it may want to be read at any place
		from = c.file
	}
	switch {
	case r.Layout() == corpus.InBatches:
		t.to, err = columns.NewArrowWriter(from, c.out, w.o.Fields, columns.MostOfBatch(w.o.Corpus.Memory))
	case c.file == nil:
		err = ErrChanged
	default:
		var f *columns.Parquet
		if f, err = columns.NewParquet(c.file); err == nil {
			t.rows = f.Rows()
			t.to, err = f.NewWriter(c.out, w.o.Fields)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", w.file.Path, err), c.close())
	}
	return t, nil
}

func (t *table) put(at corpus.Extent, d Decision) error {
	if at.Start != t.at || at.End != t.at+1 {
		return fmt.Errorf("rewrite: row %d where %d should be", at.Start, t.at)
	}
	t.at++
	if d.Drop {
		return t.to.Drop()
	}
	edit := columns.Edit{Values: make([]any, len(t.w.o.Fields))}
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
		edit.Column, edit.Text = name, d.Text
	}
	return t.to.Keep(edit)
}

// end ends the output. A Parquet file that the reader could not read to its end is written as far as it was read, and
// of Arrow the batches that it has read.
func (t *table) end(damaged bool) error {
	if !damaged && t.rows >= 0 && t.at != t.rows {
		return fmt.Errorf("%w: it has %d rows, and %d were read", ErrChanged, t.rows, t.at)
	}
	err := t.to.Close()
	if damaged && err != nil && t.rows < 0 {
		t.w.result.Lost, err = err, nil
	}
	return errors.Join(err, t.c.out.Close())
}

func (t *table) close() error { return t.c.close() }
