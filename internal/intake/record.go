package intake

import (
	"bytes"

	"simsearch/document"
)

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
