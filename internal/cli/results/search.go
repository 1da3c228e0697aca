package results

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// A Search answers queries by what an index has near them, and prints the answers.
type Search struct {
	index.Options
	Index   *index.Snapshot
	Near    Nearness
	Rows    *terminal.Rows
	Shower  *Shower // nil if texts are not shown
	Remarks *Remarks
	AtLeast float64 // the least similarity of the nearest
	Waits   bool    // somebody waits for each answer

	Queries int // asked
	Empty   int // queries without features

	first index.Query // the first query
	self  *uint32     // the document of the index that is the query, and is not printed; nil for other queries
	more  int         // 1 if queries may be documents of the index, so that one match more is asked for
	asked *string     // the query whose matches are shown, nil if it is no text
}

// shownBatch is the number of queries that are asked together if their texts are shown.
const shownBatch = 64

// manySets is the number of documents from which it takes long to compare a query with all: some hundredths
// of a second.
const manySets = 100_000

// Explain says how queries are answered, and in slow that this takes long, if it does.
func (s *Search) Explain() (how []string, slow string, err error) {
	how, comparesAll, err := s.Index.Explain(s.Predicate)
	switch {
	case err != nil || s.Nearest > 0 || s.Index.Len() < manySets || !comparesAll:
	case !s.Kind.Banded:
		slow = fmt.Sprintf("queries by --%s are compared with all sets, which are read once for many queries of a file; pairs is faster for all documents of the index", s.Kind.Key)
	default:
		slow = fmt.Sprintf("the index was not planned for a Jaccard similarity of %v, so that queries are compared with all sets; index --jaccard %[1]v makes such queries fast", s.Threshold)
	}
	return how, slow, err
}

// askMore asks for one match more, which may be the query itself.
func (s *Search) askMore() {
	s.more = 1
	for _, n := range []*int{&s.Limit, &s.Nearest} {
		if *n > 0 {
			*n++
		}
	}
}

// Ask answers a query called id, which may be a text.
func (s *Search) Ask(ctx context.Context, id string, q index.Query, text *string) error {
	s.first, s.asked = q, text
	a, err := s.Index.Near(ctx, q, s.Options)
	if err != nil {
		return err
	}
	return s.answer(ctx, id, a)
}

// AskOf answers what is near a document of the index.
func (s *Search) AskOf(ctx context.Context, id string) error {
	doc, err := Named(s.Index, id)
	if err != nil {
		return err
	}
	q, err := s.Index.Stored(doc)
	if err != nil {
		return err
	}
	s.self = &doc
	s.askMore()
	return s.Ask(ctx, id, q, nil)
}

// A Pass takes the answer to a query.
type Pass func(context.Context, index.Answer) error

// Each answers each query. Those of a source that own has are documents of the index, which are not their own answers.
// If pass is not nil, it is called with the answers, and nothing is printed.
func (s *Search) Each(ctx context.Context, queries document.Seq, own map[string]bool, pass Pass) error {
	if len(own) > 0 {
		s.askMore()
	}
	switch {
	case s.Waits:
		s.Batch = 1
	case s.Shower != nil:
		s.Batch = shownBatch
	}
	return s.Index.NearAll(ctx, queries, s.Options, func(a index.Answer) (err error) {
		if s.self, err = itself(s.Index, string(a.ID), own[a.Result.Source]); err != nil {
			return err
		}
		if pass == nil {
			err = s.one(ctx, a)
		} else {
			s.Queries++
			a.Matches = s.wanted(a.Matches)
			err = pass(ctx, a)
		}
		if s.Waits && err == nil {
			err = s.Rows.Flush()
		}
		return err
	})
}

// one answers one of several queries.
func (s *Search) one(ctx context.Context, a index.Answer) error {
	if s.asked = nil; s.Shower != nil && !a.Result.Given {
		text := string(a.Result.Text)
		s.asked = &text
	}
	if s.Queries == 0 {
		first := *a.Result
		first.Text, first.Set = slices.Clone(first.Text), slices.Clone(first.Set)
		s.first = index.Analysed(first)
	}
	return s.answer(ctx, string(a.ID), a)
}

// lookEvery is the number of rows between two checks whether printing is still wanted.
const lookEvery = 1 << 10

// answer prints the answer to a query called id.
func (s *Search) answer(ctx context.Context, id string, a index.Answer) error {
	s.Queries++
	if a.Empty {
		s.Empty++
	}
	matches := s.wanted(a.Matches)
	if len(matches) == 0 {
		return s.Rows.PrintNothing(named("query", id), col("id", nil))
	}
	for i, m := range matches {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		columns := s.Near.AppendColumns([]terminal.Column{named("query", id), named("id", string(m.ID))}, s.Index.Settings(), m.Measures, s.Rows.JSON())
		columns = with(columns, m.Turned && s.Rows.JSON(), "turned", true)
		if err := errors.Join(s.Remarks.Document(m.Document), s.print(columns, m)); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns the matches that are printed: not the query itself, and of the nearest those that are
// as similar as the flags say.
func (s *Search) wanted(matches []index.Match) []index.Match {
	matches = others(matches, s.self)
	if limit := max(s.Limit, s.Nearest); limit > 0 && s.more > 0 {
		matches = matches[:min(limit-s.more, len(matches))]
	}
	if s.Nearest > 0 && s.AtLeast > 0 {
		matches = slices.DeleteFunc(matches, func(m index.Match) bool { return m.Value < s.AtLeast })
	}
	return matches
}

// others returns matches without the document that the query is itself, if it is not nil.
func others(matches []index.Match, itself *uint32) []index.Match {
	return slices.DeleteFunc(matches, func(m index.Match) bool { return itself != nil && m.Document == *itself })
}

// print prints a match, with what is shown of it if that is wanted.
func (s *Search) print(columns []terminal.Column, m index.Match) (err error) {
	var shown Shown
	switch {
	case s.Shower == nil:
		return s.Rows.Print(columns...)
	case s.self != nil:
		shown, err = s.Shower.Pair(*s.self, m.Document)
	case s.asked != nil:
		shown, err = s.Shower.Match(*s.asked, m.Document)
	default:
		shown, err = s.Shower.Document(m.Document)
	}
	if err != nil {
		return err
	}
	return s.Shower.Print(s.Rows, columns, shown, "query_title", "title")
}

// Instead says what is nearest to the only query, if nothing is near it, or returns "".
func (s *Search) Instead(ctx context.Context) (string, error) {
	if s.Queries != 1 || s.Empty > 0 || s.Nearest > 0 || len(s.Where) > 0 {
		return "", nil
	}
	return s.Near.nearestInstead(ctx, s.Index, s.first, s.self)
}
