package intake

import (
	"bytes"
	"slices"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// Kept yields documents, whose fields of some names are kept. lacking then has the names of which none of these has had
// a field.
func Kept(documents document.Seq, names []string, lacking *[]string) document.Seq {
	*lacking = slices.Clone(names)
	return document.Map(documents, func(doc *document.Document) (*document.Document, error) {
		*lacking = slices.DeleteFunc(*lacking, func(name string) bool {
			_, has := document.Field(doc.Fields, slices.Index(names, name))
			return has
		})
		return doc, nil
	})
}

// CheckKind returns ErrKind if a query is of another kind than the documents of an index, which are as in says. With
// byDistance, fingerprints are compared with those of texts.
func CheckKind(query *document.Document, in index.Input, byDistance bool) error {
	if query.Given() && byDistance {
		return nil
	}
	return in.Refusal(query.ID, query.Given())
}

// A Passed is what passes for a document.
type Passed struct {
	Record []byte // a line
	Header string // the line before the rows of the table that the record is a row of, or ""
}

// PassedOf returns what makes what passes for a document of r a Passed. It is called while r is at the document.
func PassedOf(r *corpus.Reader) func(*document.Document) any {
	var path, header string
	return func(doc *document.Document) any {
		if d, ok := r.Dialect(); !ok {
			path, header = "", ""
		} else if path != doc.Source || header == "" {
			path, header = doc.Source, string(bytes.TrimSuffix(d.Raw, []byte("\n")))+"\n"
		}
		return Passed{Record: record(doc), Header: header}
	}
}

// record returns the line that passes for a document: the line of the file, the element of an array on
// one line, the path of a file that is one document, or else the id. It keeps nothing of doc.
func record(doc *document.Document) []byte {
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
		record = bytes.ReplaceAll(bytes.ReplaceAll(record, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
		return append(record, '\n')
	}
}
