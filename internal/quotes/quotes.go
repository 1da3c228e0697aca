// Package quotes finds who quotes whom: the documents of an index that share passages with a text, and where.
package quotes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/index"
	"simsearch/internal/passages"
)

// Options say what counts.
type Options struct {
	passages.Bounds
	Base  []string      // texts whose passages do not count
	Where []index.Where // conditions that documents fulfil
	Limit int           // most matches; 0 is none
	// Text returns the text of a document.
	Text func(doc uint32) (string, error)
	// Reading, if not nil, is called before all texts are read, since the index was made without passages.
	Reading func()
}

// A Searcher finds the documents that share passages with texts. It must not be used by several goroutines at once.
type Searcher struct {
	ix    *index.Snapshot
	o     Options
	base  []*passages.Text
	only  map[uint32]bool // the documents that fulfil the conditions; nil if there are none
	made  *passages.Index // of all texts, if the index has none
	stats passages.Stats

	document passages.Text
}

// A Match is a document that shares passages with a text.
type Match struct {
	Document uint32
	ID       []byte // valid until the index is closed
	Text     string
	// QueryShare and DocumentShare are the shares of the words of the text and of the document that lie in passages.
	QueryShare, DocumentShare float64
	Passages                  []Passage // in the order of the text
}

// A Passage is where both have it, in bytes, the last one exclusive; the words of the longer side, and how many of these were replaced,
// added or left out.
type Passage struct {
	Query, Document [2]int
	Words, Edits    int
}

// New returns a Searcher. The error says what is wrong with o.
func New(ix *index.Snapshot, o Options) (*Searcher, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if ix.Settings().Image != 0 {
		return nil, errors.New("pictures have no passages")
	}
	s := &Searcher{ix: ix, o: o}
	for _, text := range o.Base {
		s.base = append(s.base, passages.NewText([]byte(text)))
	}
	if len(o.Where) > 0 {
		docs, err := ix.Select(o.Where)
		if err != nil {
			return nil, err
		}
		s.only = map[uint32]bool{}
		for _, doc := range docs {
			s.only[doc] = true
		}
	}
	return s, nil
}

// Stats returns what all searches have looked at.
func (s *Searcher) Stats() passages.Stats { return s.stats }

// Near returns the documents that share passages with text, those that have most of it first, then by id. skip, if it is not nil,
// says which are left out. Texts that cannot be read any more are left out, too, and counted.
func (s *Searcher) Near(text []byte, skip func(doc uint32) bool) (found []Match, unread int, err error) {
	query := passages.NewText(text)
	q := passages.NewQuery(query, s.o.Bounds)
	candidates, err := s.candidates(q)
	if err != nil {
		return nil, 0, err
	}
	var excepted []bool // words of the query that the base has
	if len(candidates) > 0 {
		excepted = s.excepted(q)
	}
	for _, doc := range candidates {
		if skip != nil && skip(doc) || !s.Of(doc) {
			continue
		}
		whole, err := s.o.Text(doc)
		switch {
		case errors.Is(err, index.ErrNoText), errors.Is(err, index.ErrSourceChanged), errors.Is(err, index.ErrSourceGone):
			unread++
			continue
		case err != nil:
			return nil, unread, err
		}
		s.document.Read([]byte(whole))
		m, ok := s.match(query, q.Find(&s.document), excepted)
		if !ok {
			continue
		}
		m.Document, m.Text = doc, whole
		if m.ID, err = s.ix.ID(doc); err != nil {
			return nil, unread, err
		}
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.QueryShare, a.QueryShare), bytes.Compare(a.ID, b.ID))
	})
	if s.o.Limit > 0 {
		found = found[:min(len(found), s.o.Limit)]
	}
	return found, unread, nil
}

// Of reports whether a document fulfils the conditions.
func (s *Searcher) Of(doc uint32) bool { return s.only == nil || s.only[doc] }

// excepted returns which words of a query lie in passages of the base.
func (s *Searcher) excepted(q *passages.Query) []bool {
	words := make([]bool, len(q.Text.Words))
	for _, text := range s.base {
		for _, p := range q.Find(text) {
			for i := p.Query[0]; i < p.Query[1]; i++ {
				words[i] = true
			}
		}
	}
	return words
}

// match returns what a document shares with a query, beside what is excepted. ok is false if it is nothing.
func (s *Searcher) match(query *passages.Text, all []passages.Passage, excepted []bool) (m Match, ok bool) {
	left := 0
	var kept []passages.Passage
	for _, p := range all {
		n := 0
		for _, is := range excepted[p.Query[0]:p.Query[1]] {
			if !is {
				n++
			}
		}
		if len(s.base) > 0 && n < s.o.Words {
			continue
		}
		kept = append(kept, p)
		var o Passage
		o.Query[0], o.Query[1] = query.Bytes(p.Query[0], p.Query[1])
		o.Document[0], o.Document[1] = s.document.Bytes(p.Document[0], p.Document[1])
		o.Words, o.Edits = p.Words, p.Edits
		m.Passages = append(m.Passages, o)
	}
	if len(kept) == 0 {
		return m, false
	}
	inQuery, inDocument := passages.Covered(kept)
	for i, is := range excepted {
		if is && slices.ContainsFunc(kept, func(p passages.Passage) bool { return p.Query[0] <= i && i < p.Query[1] }) {
			left++
		}
	}
	m.QueryShare = float64(inQuery-left) / float64(len(query.Words))
	m.DocumentShare = float64(inDocument) / float64(len(s.document.Words))
	return m, true
}

// candidates returns the documents that may share passages with a query.
func (s *Searcher) candidates(q *passages.Query) (docs []uint32, err error) {
	var stats passages.Stats
	if s.ix.HasPassages() {
		docs, stats, err = s.ix.Quoting(q)
	} else {
		if s.made == nil {
			err = s.makeIndex()
		}
		if err == nil {
			docs, stats, err = s.made.Candidates(nil, q)
		}
	}
	s.stats.Add(stats)
	return docs, err
}

// makeIndex makes the codes and seeds of all texts, in memory.
func (s *Searcher) makeIndex() error {
	if s.ix.Keep() == index.KeepNothing {
		return fmt.Errorf("passages are looked for in the texts: %w", index.ErrNoText)
	}
	if s.o.Reading != nil {
		s.o.Reading()
	}
	var text passages.Text
	codes := make([][]uint8, s.ix.Len())
	for doc := range codes {
		raw, err := s.o.Text(uint32(doc))
		if err != nil {
			if errors.Is(err, index.ErrNoText) || errors.Is(err, index.ErrSourceChanged) || errors.Is(err, index.ErrSourceGone) {
				continue
			}
			return err
		}
		text.Read([]byte(raw))
		codes[doc] = passages.AppendCodes(nil, text.Words)
	}
	made, err := passages.InMemory(codes)
	s.made = made
	return err
}
