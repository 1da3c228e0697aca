package corpus

import (
	"errors"
	"io"
	"slices"

	"simsearch/internal/files/document"
)

var textKind = kind{name: "text", words: "one text", layout: InText, open: openText}

func openText(l lineSource, _ bool) (source, error) { return &textSource{lineSource: l}, nil }

// A textSource is a file that is one document.
type textSource struct {
	lineSource // no line is read
	done       bool
}

func (t *textSource) next(doc *document.Document) error {
	if t.done {
		return io.EOF
	}
	t.done = true
	most := t.r.limits.document
	if t.s.Size > most+int64(len(byteOrderMark)) {
		return t.bad(t.r.limits.tooLong())
	}
	buf := t.r.buf[:0]
	for {
		buf = slices.Grow(buf, 4096)
		n, err := t.s.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > most {
			return t.bad(t.r.limits.tooLong())
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	t.r.buf = buf
	*doc = document.Document{ID: t.place(doc.ID), Text: buf}
	return nil
}
