package intake

import (
	"bytes"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// Kept yields documents, whose fields of some names are kept. lack returns the names of which no document has had a
// field.
func Kept(documents document.Seq, names []string) (_ document.Seq, lack func() []string) {
	had := make([]bool, len(names))
	lack = func() (lacking []string) {
		for i, name := range names {
			if !had[i] {
				lacking = append(lacking, name)
			}
		}
		return lacking
	}
	return document.Map(documents, func(doc *document.Document) (*document.Document, error) {
		for i := range had {
			if !had[i] {
				_, had[i] = document.Field(doc.Fields, i)
			}
		}
		return doc, nil
	}), lack
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
		for i, c := range record {
			if c == '\n' || c == '\r' {
				record[i] = ' '
			}
		}
		return append(record, '\n')
	}
}
