package corpus

import (
	"simsearch/internal/files/document"
	"simsearch/internal/files/syntax"
)

var jsonKind = kind{
	name: "json", words: "JSON", layout: InElements, fields: anyField,
	open: func(l lineSource) (source, error) {
		return &elementSource{newJSONSource(l), syntax.NewElements(l.s)}, nil
	},
}

// An elementSource is a file of JSON objects: the elements of an array, or one object after
// another. White space may stand between them. Only one object is in memory at a time.
type elementSource struct {
	jsonSource
	elements *syntax.Elements
}

func (e *elementSource) next(doc *document.Document) error {
	element, err := e.elements.Next(e.r.buf[:0], e.r.limits.document)
	if err != nil {
		return err
	}
	e.r.buf, e.raw = element, element
	e.line, e.start, e.length, e.end = e.elements.Number, e.elements.Start, int64(len(element)), e.elements.End
	if e.length > e.r.limits.document {
		return e.bad(e.r.limits.tooLong())
	}
	if e.line == 1 && !e.elements.InArray && !e.in.Once() && e.elements.AtEnd() {
		e.line = 0 // the file is one record
	}
	return e.record(doc, element)
}
