package rewrite

import (
	"errors"
	"io"
	"os"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/stream"
)

// A whole is a file that is one document, or that cannot be read. It is copied as it is, compressed or not.
type whole struct {
	w       *rewriting
	text    bool // the document is a text as it stands
	dropped bool
	changed *Decision
	charset func() charset.Charset
}

func (h *whole) keep(_ corpus.Extent, _ *document.Document, d Decision) error {
	if d.Replace {
		if !h.text {
			return h.w.noText("it is made of the file by leaving out what is no text")
		}
		d.Text = append([]byte{}, d.Text...)
		h.changed = &d
	}
	return nil
}

func (h *whole) drop(corpus.Extent) error {
	h.dropped = true
	return nil
}

func (h *whole) copy(corpus.Extent) error { return nil }

func (h *whole) end(bool) error {
	if h.dropped {
		h.w.nothing = true
		return nil
	}
	out, err := h.w.output()
	if err != nil {
		return err
	}
	if h.changed != nil {
		return h.replace(out)
	}
	from := h.w.from
	if from == nil {
		f, err := os.Open(h.w.file.Path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was read only
		from = f
	}
	return (&copier{ctx: h.w.context(), from: from, out: unpacked{out}}).rest(false)
}

// replace writes another text.
func (h *whole) replace(out io.Writer) error {
	packing, err := packingOf(h.w.file.Path)
	if err != nil {
		return err
	}
	mark, err := h.mark()
	if err != nil {
		return err
	}
	packed, err := packing.writer(out)
	if err != nil {
		return err
	}
	w := charset.NewWriter(packed, h.charset)
	if _, err := w.Write(append(mark, h.changed.Text...)); err != nil {
		return err
	}
	return w.Close()
}

// byteOrderMark begins some texts, and belongs to no document.
const byteOrderMark = "\ufeff"

// mark returns the byte order mark of the file, or nothing if it has none.
func (h *whole) mark() (mark []byte, err error) {
	from := h.w.from
	if from == nil {
		f, err := stream.Open(h.w.file.Path, false, stream.Options{Context: h.w.context(), Window: maxWindow})
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // it was read only
		from = f
	}
	from = charset.Follow(from, h.charset)
	mark = make([]byte, len(byteOrderMark))
	if _, err := io.ReadFull(from, mark); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if string(mark) != byteOrderMark {
		return nil, nil
	}
	return mark, nil
}

func (h *whole) close() error { return nil }
