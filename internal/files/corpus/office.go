package corpus

import (
	"errors"

	"simsearch/internal/files/document"
	"simsearch/internal/files/syntax"
)

var officeKind = kind{
	name: "office", words: "a document of a word processor", extensions: []string{".docx", ".odt"}, charsets: ownCharsets,
	begins: func(_ string, head []byte) bool { return isOffice(head) }, open: openOffice,
}

func openOffice(l lineSource, _ bool) (source, error) {
	return &officeSource{textSource: textSource{lineSource: l}}, nil
}

// An officeSource is a file that is one document of a word processor.
type officeSource struct {
	textSource
	text []byte
}

func (o *officeSource) next(doc *document.Document) (err error) {
	if err = o.textSource.next(doc); err != nil {
		return err
	}
	o.text, err = syntax.AppendOfficeText(o.text[:0], doc.Text, o.r.limits.document)
	switch {
	case errors.Is(err, syntax.ErrTooLong):
		return o.bad(o.r.limits.tooLong())
	case err != nil:
		return o.bad(err)
	}
	doc.Text = o.text
	return nil
}
