package rewrite

import (
	"errors"
	"fmt"

	"simsearch/internal/arrowfile"
	"simsearch/internal/corpus"
	"simsearch/internal/objects"
	"simsearch/internal/terminal"
)

// A batches is an Arrow file or stream. Places are numbers of rows.
type batches struct {
	w  *rewriting
	c  *copier
	to *arrowfile.Writer
	at int64 // the next row
}

// newBatches opens the file and the output.
func (w *rewriting) newBatches(r *corpus.Reader) (sink, error) {
	c, err := w.newCopier(r)
	if err != nil {
		return nil, err
	}
	from := c.from
	if w.from == nil && c.packing == "" { // it may want to be read at any place
		f, err := objects.Open(w.o.context(), w.file.Path)
		if err != nil {
			return nil, errors.Join(err, c.close())
		}
		closes := c.close
		from, c.close = f, func() error { return errors.Join(f.Close(), closes()) }
	}
	to, err := arrowfile.NewWriter(from, c.out, w.o.Fields, arrowfile.Most(w.o.Corpus.Memory))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", w.file.Path, err), c.close())
	}
	return &batches{w: w, c: c, to: to}, nil
}

func (b *batches) put(at corpus.Extent, d Decision) error {
	if at.Start != b.at || at.End != b.at+1 {
		return fmt.Errorf("rewrite: row %d where %d should be", at.Start, b.at)
	}
	b.at++
	if d.Drop {
		return b.to.Drop()
	}
	edit := arrowfile.Edit{Values: make([]any, len(b.w.o.Fields))}
	for i, v := range d.Values {
		if s, ok := v.(string); ok {
			v = terminal.String.Text(s)
		}
		edit.Values[i] = v
	}
	if d.Replace {
		name, err := b.w.textField()
		if err != nil {
			return err
		}
		edit.Column, edit.Text = name, d.Text
	}
	return b.to.Keep(edit)
}

// end ends the output. Of what the reader could not read to its end, the batches that it has read are written.
func (b *batches) end(damaged bool) error {
	err := b.to.Close()
	if damaged && err != nil {
		b.w.result.Lost = err
		err = nil
	}
	return errors.Join(err, b.c.out.Close())
}

func (b *batches) close() error { return b.c.close() }
