package intake

import (
	"bytes"

	"simsearch/corpus"
	"simsearch/document"
)

// A Passed is what passes for a document.
type Passed struct {
	Record []byte // a line
	Header string // the line before the rows of the table that the record is a row of, or ""
}

// PassedOf returns what passes for the documents of r. It is called while r is at the document.
func PassedOf(r *corpus.Reader) func(*document.Document) Passed {
	var path, header string
	return func(doc *document.Document) Passed {
		if d, ok := r.Dialect(); !ok {
			path, header = "", ""
		} else if path != doc.Source || header == "" {
			path, header = doc.Source, string(bytes.TrimSuffix(d.Raw, []byte("\n")))+"\n"
		}
		return Passed{Record(doc), header}
	}
}

// Record returns the line that passes for a document: the line of the file, the element of an array on
// one line, the path of a file that is one document, or else the id. It keeps nothing of doc.
func Record(doc *document.Document) []byte {
	switch record := bytes.Clone(doc.Raw); {
	case record == nil && doc.Line == 0:
		return []byte(doc.Source + "\n")
	case record == nil:
		return append(bytes.Clone(doc.ID), '\n')
	case bytes.HasSuffix(record, []byte("\n")):
		return record
	case !bytes.HasPrefix(record, []byte("{")): // the last line or row of a file
		return append(record, '\n')
	default:
		// Within JSON, line ends are white space.
		for i, c := range record {
			if c == '\n' || c == '\r' {
				record[i] = ' '
			}
		}
		return append(record, '\n')
	}
}

// Text returns the text of a document, or nil if it is a fingerprint. It keeps nothing of doc.
func Text(doc *document.Document) *string {
	if doc.Given() {
		return nil
	}
	text := string(doc.Text)
	return &text
}
