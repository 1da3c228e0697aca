// Package quotes finds who quotes whom: the documents of an index that share passages with a text, and where.
package quotes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"simsearch/internal/index"
	"simsearch/internal/parallel"
	"simsearch/internal/sequences"
)

// Options say what counts.
type Options struct {
	sequences.Bounds
	Base    []string      // texts whose passages do not count
	Where   []index.Where // conditions that documents fulfil
	Limit   int           // most matches; 0 is none
	Threads int           // at most; 0 is one
	// Text returns the text of a document. Several goroutines may call it at a time.
	Text func(doc uint32) (string, error)
	// Reading, if not nil, is called before all texts are read, since the index was made without passages.
	Reading func()
}

// A Searcher finds the documents that share passages with texts. It is safe for concurrent use.
type Searcher struct {
	ix   *index.Snapshot
	o    Options
	base sequences.Base
	only map[uint32]bool                        // the documents that fulfil the conditions; nil if there are none
	made func() (x *sequences.Index, err error) // of all texts, if the index has none

	mu    sync.Mutex
	stats sequences.Stats
}

// A Match is a document that shares passages with a text.
type Match struct {
	Document uint32
	ID       []byte // valid until the index is closed
	Text     string
	// QueryShare and DocumentShare are the shares of the words of the text and of the document, without those that the base has, that
	// lie in passages.
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
	s := &Searcher{ix: ix, o: o, base: sequences.NewBase(o.Base, o.Bounds)}
	s.made = sync.OnceValues(s.makeIndex)
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
func (s *Searcher) Stats() sequences.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// atOnce is how many documents a goroutine compares one after the other.
const atOnce = 256

// Near returns the documents that share passages with text, those that have most of it first, then by id. skip, if it is not nil,
// says which are left out. Texts that cannot be read any more are left out, too, and counted.
func (s *Searcher) Near(ctx context.Context, text []byte, skip func(doc uint32) bool) (found []Match, unread int, err error) {
	q := sequences.NewQuery(sequences.NewText(text), s.o.Bounds)
	leads, err := s.leads(q)
	if err != nil {
		return nil, 0, err
	}
	leads = slices.DeleteFunc(leads, func(doc uint32) bool { return skip != nil && skip(doc) || !s.Of(doc) })
	excepted := sync.OnceValue(func() []bool { return s.base.Clone().In(q.Text) }) // words of the query that the base has
	spare := sync.Pool{New: func() any { return &comparison{s: s, q: q.Clone(), base: s.base.Clone(), excepted: excepted} }}
	work := func(_ context.Context, i int) (part, error) {
		c := spare.Get().(*comparison)
		defer spare.Put(c)
		return c.compare(leads[i*atOnce : min(len(leads), (i+1)*atOnce)])
	}
	err = parallel.Ordered(ctx, s.o.Threads, (len(leads)+atOnce-1)/atOnce, work, func(p part) error {
		found, unread = append(found, p.found...), unread+p.unread
		return nil
	})
	if err != nil {
		return nil, unread, err
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.QueryShare, a.QueryShare), bytes.Compare(a.ID, b.ID))
	})
	if s.o.Limit > 0 {
		found = found[:min(len(found), s.o.Limit)]
	}
	return found, unread, nil
}

// A comparison of a query with documents, by one goroutine.
type comparison struct {
	s        *Searcher
	q        *sequences.Query
	base     sequences.Base
	excepted func() []bool
	document sequences.Text
}

// A part of an answer is what some documents have.
type part struct {
	found  []Match
	unread int
}

// compare returns what documents share with the query.
func (c *comparison) compare(leads []uint32) (p part, err error) {
	sharing, err := c.s.sharing(c.q, leads)
	if err != nil {
		return p, err
	}
	document := &c.document
	for _, doc := range sharing {
		whole, err := c.s.o.Text(doc)
		switch {
		case Unreadable(err):
			p.unread++
			continue
		case err != nil:
			return p, err
		}
		document.Read([]byte(whole))
		m, ok := c.match(document, c.q.Find(document), c.excepted())
		if !ok {
			continue
		}
		m.Document, m.Text = doc, whole
		if m.ID, err = c.s.ix.ID(doc); err != nil {
			return p, err
		}
		p.found = append(p.found, m)
	}
	return p, nil
}

// Unreadable reports whether an error says that a text is not kept, or not any more what it was.
func Unreadable(err error) bool {
	return errors.Is(err, index.ErrNoText) || errors.Is(err, index.ErrSourceChanged) || errors.Is(err, index.ErrSourceGone)
}

// Of reports whether a document fulfils the conditions.
func (s *Searcher) Of(doc uint32) bool { return s.only == nil || s.only[doc] }

// match returns what a document shares with a query, beside what is excepted. ok is false if it is nothing.
func (c *comparison) match(document *sequences.Text, all []sequences.Passage, excepted []bool) (m Match, ok bool) {
	if len(all) == 0 {
		return m, false
	}
	query, except := c.q.Text, c.base.In(document)
	inQuery, inDocument := make([]bool, len(query.Words)), make([]bool, len(document.Words)) // words that lie in passages that count
	for _, p := range all {
		if !p.Counts(c.s.o.Words, excepted, except) {
			continue
		}
		sequences.Mark(inQuery, p.Query)
		sequences.Mark(inDocument, p.Document)
		o := Passage{Words: p.Words, Edits: p.Edits}
		o.Query[0], o.Query[1] = query.Bytes(p.Query[0], p.Query[1])
		o.Document[0], o.Document[1] = document.Bytes(p.Document[0], p.Document[1])
		m.Passages = append(m.Passages, o)
	}
	share := func(in, base []bool) float64 {
		return float64(sequences.Unmarked(in, base)) / float64(max(1, len(in)-sequences.Unmarked(base, nil)))
	}
	m.QueryShare, m.DocumentShare = share(inQuery, excepted), share(inDocument, except)
	return m, len(m.Passages) > 0
}

// leads returns the documents that may share passages with a query.
func (s *Searcher) leads(q *sequences.Query) (docs []uint32, err error) {
	var stats sequences.Stats
	if s.ix.HasPassages() {
		docs, stats, err = s.ix.Leads(q)
	} else {
		var made *sequences.Index
		if made, err = s.made(); err == nil {
			docs, stats, err = made.Leads(nil, q)
		}
	}
	s.mu.Lock()
	s.stats.Add(stats)
	s.mu.Unlock()
	return docs, err
}

// sharing returns those of docs whose codes have a passage of a query.
func (s *Searcher) sharing(q *sequences.Query, docs []uint32) (sharing []uint32, err error) {
	if s.ix.HasPassages() {
		return s.ix.Sharing(q, docs)
	}
	made, err := s.made()
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		is, err := made.Sharing(q, doc)
		if err != nil {
			return nil, err
		}
		if is {
			sharing = append(sharing, doc)
		}
	}
	return sharing, nil
}

// makeIndex makes the codes and seeds of all texts, in memory.
func (s *Searcher) makeIndex() (*sequences.Index, error) {
	if s.ix.Keep() == index.KeepNothing {
		return nil, fmt.Errorf("passages are looked for in the texts: %w", index.ErrNoText)
	}
	if s.o.Reading != nil {
		s.o.Reading()
	}
	codes := make([][]uint8, s.ix.Len())
	work := func(_ context.Context, part int) (struct{}, error) {
		var text sequences.Text
		for doc := part * atOnce; doc < min(len(codes), (part+1)*atOnce); doc++ {
			raw, err := s.o.Text(uint32(doc))
			switch {
			case Unreadable(err):
				continue
			case err != nil:
				return struct{}{}, err
			}
			text.Read([]byte(raw))
			codes[doc] = sequences.AppendCodes(nil, text.Words)
		}
		return struct{}{}, nil
	}
	err := parallel.Ordered(context.Background(), s.o.Threads, (len(codes)+atOnce-1)/atOnce, work, func(struct{}) error { return nil })
	if err != nil {
		return nil, err
	}
	return sequences.InMemory(codes)
}
