package corpus

import (
	"errors"
	"io"

	"simsearch/internal/files/document"
	"simsearch/internal/files/syntax"
)

var textKind = kind{name: "text", words: "one text", layout: InText, open: openWhole(nil)}

var officeKind = kind{
	name: "office", words: "a document of a word processor", extensions: []string{".docx", ".odt"}, charsets: ownCharsets,
	begins: func(_ string, head []byte) bool { return isOffice(head) }, open: openWhole((*textSource).officeText),
}

// openWhole returns the function that opens files that are one document. textOf returns the text of the content; nil
// stands for all of it.
func openWhole(textOf func(t *textSource, content []byte) ([]byte, error)) opener {
	return func(l lineSource) (source, error) { return &textSource{lineSource: l, textOf: textOf}, nil }
}

// A textSource is a file that is one document.
type textSource struct {
	lineSource // no line is read
	textOf     func(t *textSource, content []byte) ([]byte, error)
	done       bool
}

func (t *textSource) next(doc *document.Document) error {
	if t.done {
		return io.EOF
	}
	t.done = true
	text, err := t.r.limits.readAll(t.s, t.r.buf[:0])
	switch {
	case errors.Is(err, ErrTooLong):
		return t.bad(err)
	case err != nil:
		return err
	}
	if t.r.buf = text; t.textOf != nil {
		if text, err = t.textOf(t, text); err != nil {
			return t.bad(err)
		}
	}
	*doc = document.Document{ID: t.place(doc.ID), Text: text}
	return nil
}

// officeText returns the text of a document of a word processor.
func (t *textSource) officeText(content []byte) ([]byte, error) {
	return syntax.AppendOfficeText(nil, content, t.r.limits.document)
}
