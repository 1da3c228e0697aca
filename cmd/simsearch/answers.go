package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/analysis"
	"simsearch/index"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

// lookEvery is the number of rows between two checks whether printing is still wanted.
const lookEvery = 1 << 10

// answer prints the answer to a query called id. query returns the query.
func (s *search) answer(id string, a index.Answer, query func() index.Query) error {
	s.queries++
	if a.Empty {
		s.empty++
	}
	matches := s.wanted(a.Matches)
	if len(matches) == 0 {
		if s.queries == 1 && !a.Empty {
			s.first = query()
		}
		return s.out.PrintNothing(name("query", id), col("id", nil))
	}
	for i, m := range matches {
		if i%lookEvery == 0 && s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if m.CosineEstimated {
			s.estimated++
		}
		columns := append([]column{name("query", id), name("id", string(m.ID))}, s.near.Columns(s.ix.Settings(), results.OfMatch(m), s.out.JSON())...)
		if err := errors.Join(s.remarks.Document(m.Document), s.printMatch(columns, m)); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns the matches that are printed: not the query itself, and of the nearest those that are
// as similar as the flags say.
func (s *search) wanted(matches []index.Match) []index.Match {
	if s.isDocument {
		matches = slices.DeleteFunc(matches, func(m index.Match) bool { return m.Document == s.self })
		if limit := max(s.how.Limit, s.how.Nearest); limit > 0 { // one more than wanted, for the query itself
			matches = matches[:min(limit-1, len(matches))]
		}
	}
	if s.how.Nearest > 0 && s.atLeast > 0 {
		matches = slices.DeleteFunc(matches, func(m index.Match) bool { return m.Jaccard < s.atLeast })
	}
	return matches
}

// document answers the query that is a document of the index.
func (s *search) document(id string) error {
	doc, ok, err := s.ix.Find([]byte(id))
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("the index has no document %s: --id takes an id as near and pairs print it", terminal.Plain(id))
	}
	q, err := s.ix.Stored(doc)
	if err != nil {
		return err
	}
	s.self, s.isDocument = doc, true
	for _, n := range []*int{&s.how.Limit, &s.how.Nearest} {
		if *n > 0 {
			*n++
		}
	}
	return s.query(id, q)
}

// queryOf returns a query like the one that has been analysed. It keeps nothing of r.
func (s *search) queryOf(r *analysis.Result) index.Query {
	if s.near.BySets() {
		return index.Set(slices.Clone(r.Set))
	}
	return index.Fingerprint(r.Fingerprint)
}

// nearestInstead says which document is nearest to the single query, which has no match.
func (s *search) nearestInstead() (string, error) {
	if s.how.Nearest > 0 || s.near.Both || s.near.Cosine != 0 || len(s.how.Where) > 0 || s.sql != nil {
		return "", nil
	}
	isQuery := func(doc uint32) bool { return s.isDocument && doc == s.self }
	return s.near.NearestInstead(s.ctx, s.ix, s.first, isQuery)
}
