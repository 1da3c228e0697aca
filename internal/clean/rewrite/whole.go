package rewrite

import (
	"errors"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/objects"
)

// A whole is a file that is one document, or that cannot be read. It is copied as it is, compressed or not.
type whole struct {
	w       *rewriting
	r       *corpus.Reader
	replace bool
	text    []byte // in place of that of the file
}

func (h *whole) put(_ corpus.Extent, d Decision) error {
	if d.Replace && h.r.Layout() != corpus.InText {
		return h.w.noText("it is made of the file by leaving out what is no text")
	}
	h.w.nothing = d.Drop
	h.replace, h.text = d.Replace, append([]byte{}, d.Text...)
	return nil
}

// byteOrderMark begins some texts, and belongs to no document.
const byteOrderMark = "\ufeff"

func (h *whole) end(bool) error {
	switch {
	case h.w.nothing:
		return nil
	case !h.replace:
		return h.copy()
	}
	c, err := h.w.newCopier(h.r)
	if err != nil {
		return err
	}
	mark, err := c.take(int64(len(byteOrderMark)))
	if string(mark) != byteOrderMark {
		mark = nil
		if errors.Is(err, ErrChanged) { // the file is shorter than that
			err = nil
		}
	}
	if err == nil {
		err = write(c.out, append(mark, h.text...))
	}
	return errors.Join(err, c.out.Close(), c.close())
}

// copy copies the file as it is.
func (h *whole) copy() error {
	out, err := h.w.output()
	if err != nil {
		return err
	}
	from := h.w.from
	if from == nil {
		f, err := objects.Open(h.w.o.Corpus.Context, h.w.file.Path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was read only
		from = f
	}
	_, err = (&copier{ctx: h.w.o.Corpus.Context, from: from, out: unpacked{out}}).rest(false)
	return err
}

func (h *whole) close() error { return nil }
