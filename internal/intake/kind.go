package intake

import (
	"iter"

	"simsearch/document"
	"simsearch/index"
)

// OfKind yields queries for an index whose documents are as in says. It yields ErrKind in place of the first
// query that is of another kind. With byDistance, fingerprints are compared with those of texts.
func OfKind(queries iter.Seq2[*document.Document, error], in index.Input, byDistance bool) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range queries {
			if err == nil && (!doc.Given() || !byDistance) {
				err = in.Refusal(doc.ID, doc.Given())
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}
