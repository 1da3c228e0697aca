package main

import (
	"simsearch/index"
	"simsearch/internal/results"
)

// shownBatch is the number of queries that are asked together if their texts are shown, and so are kept
// until they are answered.
const shownBatch = 64

// printMatch prints a match, with what is shown of it if that is wanted.
func (s *search) printMatch(columns []column, m index.Match) (err error) {
	var shown results.Shown
	switch {
	case s.shower == nil:
		return s.out.Print(columns...)
	case s.isDocument:
		shown, err = s.shower.Pair(s.self, m.Document)
	case s.asked != nil:
		shown, err = s.shower.Match(*s.asked, m.Document)
	default:
		shown, err = s.shower.Document(m.Document)
	}
	if err != nil {
		return err
	}
	return s.shower.Print(s.out, columns, shown, "query_title", "title")
}
