package intake

import (
	"iter"
	"slices"
	"strings"

	"simsearch/document"
	"simsearch/internal/terminal"
)

// Kept tells which fields that are kept some document has.
type Kept struct {
	Names []string // of the fields

	documents int
	missing   []bool // which of the fields no document has had yet; nil before the first document
}

// Of yields documents, and looks at their kept fields.
func (k *Kept) Of(documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	if len(k.Names) == 0 {
		return documents
	}
	if k.missing == nil {
		k.missing = slices.Repeat([]bool{true}, len(k.Names))
	}
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				k.documents++
				for i, missing := range k.missing {
					if _, ok := document.Field(doc.Fields, i); missing && ok {
						k.missing[i] = false
					}
				}
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// Told returns a line about the fields that no document has, or "".
func (k *Kept) Told() string {
	var names []string
	for i, missing := range k.missing {
		if missing && k.documents > 0 {
			names = append(names, terminal.Plain(k.Names[i]))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "no document has the field " + strings.Join(names, " or ") + ", which --keep-fields names"
}
