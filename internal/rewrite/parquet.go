package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/idtext"
	"simsearch/internal/parquetfile"
)

// A table is a Parquet file. Places are numbers of rows.
type table struct {
	w    *rewriting
	f    *parquetfile.File
	to   *parquetfile.Writer
	at   int64               // the next row
	text *parquetfile.Column // nil until a text is replaced
}

// newTable opens the file and the output.
func (w *rewriting) newTable() (sink, error) {
	f, err := parquetfile.Open(w.file.Path)
	if err != nil {
		return &whole{w: w}, nil //nolint:nilerr // the reader reports it
	}
	out, err := w.output()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var added []parquetfile.NewColumn
	for _, field := range w.o.Fields {
		added = append(added, parquetfile.NewColumn(field))
	}
	to, err := f.NewWriter(out, added)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", w.file.Path, err), f.Close())
	}
	return &table{w: w, f: f, to: to}, nil
}

// step checks that rows come one after the other.
func (t *table) step(at corpus.Extent) error {
	if at.Start != t.at || at.End != t.at+1 {
		return fmt.Errorf("rewrite: row %d where %d should be", at.Start, t.at)
	}
	t.at++
	return nil
}

func (t *table) keep(at corpus.Extent, _ *document.Document, d Decision) error {
	edit := parquetfile.Edit{Values: slices.Clone(d.Values)}
	for i, v := range edit.Values {
		if s, ok := v.(string); ok {
			edit.Values[i] = idtext.String.Text(s)
		}
	}
	if d.Replace {
		if err := t.findText(); err != nil {
			return err
		}
		edit.Column, edit.Text = t.text, d.Text
	}
	return errors.Join(t.step(at), t.to.Keep(edit))
}

// findText finds the column of texts.
func (t *table) findText() error {
	if t.text != nil {
		return nil
	}
	name := t.w.o.Corpus.TextField
	if name == "" {
		name = "text"
	}
	if strings.Contains(name, ",") {
		return t.w.noText("it is several columns")
	}
	c, err := t.f.Column(name)
	t.text = &c
	return err
}

func (t *table) drop(at corpus.Extent) error { return errors.Join(t.step(at), t.to.Drop()) }

func (t *table) copy(at corpus.Extent) error {
	return errors.Join(t.step(at), t.to.Keep(parquetfile.Edit{Values: make([]any, len(t.w.o.Fields))}))
}

// end ends the output. A file that the reader could not read to its end is written as far as it was read.
func (t *table) end(damaged bool) error {
	if !damaged && t.at != t.f.Rows() {
		return fmt.Errorf("%w: it has %d rows, and %d were read", ErrChanged, t.f.Rows(), t.at)
	}
	return t.to.Close()
}

func (t *table) close() error { return t.f.Close() }
