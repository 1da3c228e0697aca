package main

import (
	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/results"
)

// shownBatch is the number of queries that are asked together if their texts are shown, and so are kept
// until they are answered.
const shownBatch = 64

// A queryText is the text of a query.
type queryText struct {
	text string
	ok   bool // false if the query is a fingerprint
}

func queryTextOf(doc *document.Document) queryText {
	return queryText{string(doc.Text), !doc.HasFingerprint}
}

// printShown prints a match with what is shown of it.
func (s *search) printShown(columns []column, m index.Match) error {
	var shown results.Shown
	var err error
	switch {
	case s.isDocument:
		shown, err = s.shower.Pair(s.self, m.Document)
	case s.asked.ok:
		shown, err = s.shower.Match(s.asked.text, m.Document)
	default:
		shown, err = s.shower.Document(m.Document)
	}
	if err != nil {
		return err
	}
	return s.shower.Print(s.out, columns, shown, "query_title", "title")
}
