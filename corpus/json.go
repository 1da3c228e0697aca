package corpus

import (
	"simsearch/document"
	"simsearch/internal/jsontext"
)

var jsonKind = kind{
	name: "json", words: "JSON", layout: InElements, fields: anyField, open: openJSON, reread: rereadPart(textOfRecord),
}

func openJSON(l lineSource, guessed bool) (source, error) {
	records := jsonSource{lineSource: l, texts: newRecordTexts(l.r), guessed: guessed}
	return &elementSource{records, jsontext.NewElements(l.s)}, nil
}

// An elementSource is a file of JSON objects: the elements of an array, or one object after
// another. White space may stand between them. Only one object is in memory at a time.
type elementSource struct {
	jsonSource
	elements *jsontext.Elements
}

// extent returns the place of the element that was read last.
func (e *elementSource) extent() (start, end int64) { return e.elements.Start, e.elements.End }

func (e *elementSource) next(doc *document.Document) error {
	element, err := e.elements.Next(e.r.buf[:0], e.r.limits.document)
	if err != nil {
		return err
	}
	e.r.buf, e.raw = element, element
	e.line, e.start, e.length = e.elements.Number, e.elements.Start, int64(len(element))
	if e.length > e.r.limits.document {
		return bad(e.path, e.line, e.r.limits.tooLong())
	}
	if e.line == 1 && !e.elements.InArray && !e.r.found.Inputs[e.r.next-1].Once() && e.elements.AtEnd() {
		e.line = 0 // the file is one record
	}
	return e.record(doc, element)
}
