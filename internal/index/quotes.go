package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/sequences"
)

// QuoteOptions say which passages count.
type QuoteOptions struct {
	sequences.Bounds
	Base    []string // texts whose passages do not count
	Where   []Where  // conditions that documents fulfil
	Limit   int      // most matches; 0 is none
	Threads int      // at most; 0 is one
	// Text returns the text of a document; nil is Snapshot.Text. Several goroutines may call it at a time.
	Text func(doc uint32) (string, error)
	// Reading, if not nil, is called before all texts are read, since the index was made without passages.
	Reading func()
}

// A Quoter finds the documents of an index that share passages with texts. It is safe for concurrent use.
type Quoter struct {
	ix    *Snapshot
	o     QuoteOptions
	base  sequences.Base
	only  map[uint32]bool       // the documents that fulfil the conditions; nil if there are none
	codes func() (coded, error) // of the index, or of all texts, if the index has none

	mu    sync.Mutex
	stats sequences.Stats
}

// A coded finds documents by the codes of their words: those that may share passages with a query are leads, in
// order, and few of those that are sharing then do not.
type coded interface {
	Leads(dst []uint32, q *sequences.Query) ([]uint32, sequences.Stats)
	Sharing(q *sequences.Query, docs []uint32) []uint32 // in the memory of docs
}

// A Quote is a document that shares passages with a text.
type Quote struct {
	Document uint32
	ID       []byte // valid until the index is closed
	Text     string
	// QueryShare and DocumentShare are the shares of the words of the text and of the document, without those that
	// the base has, that lie in passages.
	QueryShare, DocumentShare float64
	Passages                  []sequences.Passage // in bytes, in the order of the text
}

// NewQuoter returns a Quoter. The error says what is wrong with o.
func NewQuoter(ix *Snapshot, o QuoteOptions) (*Quoter, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if ix.Settings().Image != 0 {
		return nil, errors.New("pictures have no passages")
	}
	s := &Quoter{ix: ix, o: o, base: sequences.NewBase(o.Base, o.Bounds)}
	if s.o.Text == nil {
		s.o.Text = func(doc uint32) (string, error) { return ix.Text(doc, nil) }
	}
	s.codes = func() (coded, error) { return storedCodes{ix}, nil }
	if !ix.HasPassages() {
		s.codes = sync.OnceValues(s.makeIndex)
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
func (s *Quoter) Stats() sequences.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// atOnce is how many documents a goroutine compares one after the other.
const atOnce = 256

// Near returns the documents that share passages with text, those that have most of it first, then by id. skip, if it
// is not nil, says which are left out. Texts that cannot be read any more are left out, too, and counted.
func (s *Quoter) Near(ctx context.Context, text []byte, skip func(doc uint32) bool) (found []Quote, unread int, err error) {
	q := sequences.NewQuery(sequences.NewText(text), s.o.Bounds)
	codes, err := s.codes()
	if err != nil {
		return nil, 0, err
	}
	var leads []uint32
	err = s.ix.reading(func() error {
		var stats sequences.Stats
		leads, stats = codes.Leads(nil, q)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stats.Add(stats)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	leads = slices.DeleteFunc(leads, func(doc uint32) bool { return skip != nil && skip(doc) || !s.Of(doc) })
	if len(leads) > 0 && len(q.Text.Words) > 0 {
		q.Text.Bytes(0, 1) // the places of all words are found before several goroutines ask for them
	}
	excepted := sync.OnceValue(func() []bool { return s.base.Clone().In(q.Text) }) // words of the query that the base has
	spare := sync.Pool{New: func() any {
		return &comparison{s: s, codes: codes, q: q.Clone(), base: s.base.Clone(), excepted: excepted}
	}}
	work := func(_ context.Context, i int) (quoted, error) {
		c := spare.Get().(*comparison)
		defer spare.Put(c)
		return c.compare(leads[i*atOnce : min(len(leads), (i+1)*atOnce)])
	}
	err = parallel.Ordered(ctx, s.o.Threads, (len(leads)+atOnce-1)/atOnce, work, func(p quoted) error {
		found, unread = append(found, p.found...), unread+p.unread
		return nil
	})
	if err != nil {
		return nil, unread, err
	}
	slices.SortFunc(found, func(a, b Quote) int {
		return cmp.Or(cmp.Compare(b.QueryShare, a.QueryShare), bytes.Compare(a.ID, b.ID))
	})
	if s.o.Limit > 0 {
		found = found[:min(len(found), s.o.Limit)]
	}
	return found, unread, nil
}

// A comparison of a query with documents, by one goroutine.
type comparison struct {
	s        *Quoter
	codes    coded
	q        *sequences.Query
	base     sequences.Base
	excepted func() []bool
	document sequences.Text
}

// A quoted is what some documents have, a part of an answer.
type quoted struct {
	found  []Quote
	unread int
}

// compare returns what documents share with the query.
func (c *comparison) compare(leads []uint32) (p quoted, err error) {
	var sharing []uint32
	err = c.s.ix.reading(func() error {
		sharing = c.codes.Sharing(c.q, leads)
		return nil
	})
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
	return errors.Is(err, ErrNoText) || errors.Is(err, errSourceChanged) || errors.Is(err, errSourceGone)
}

// Of reports whether a document fulfils the conditions.
func (s *Quoter) Of(doc uint32) bool { return s.only == nil || s.only[doc] }

// match returns what a document shares with a query, beside what is excepted. ok is false if it is nothing.
func (c *comparison) match(document *sequences.Text, all []sequences.Passage, excepted []bool) (m Quote, ok bool) {
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
		m.Passages = append(m.Passages, p.Bytes(query, document))
	}
	share := func(in, base []bool) float64 {
		return float64(sequences.Unmarked(in, base)) / float64(max(1, len(in)-sequences.Unmarked(base, nil)))
	}
	m.QueryShare, m.DocumentShare = share(inQuery, excepted), share(inDocument, except)
	return m, len(m.Passages) > 0
}

// makeIndex makes the codes and seeds of all texts, in memory.
func (s *Quoter) makeIndex() (coded, error) {
	if s.ix.Keep() == KeepNothing {
		return nil, fmt.Errorf("passages are looked for in the texts: %w", ErrNoText)
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

// HasPassages reports whether the index was made to find passages.
func (ix *Snapshot) HasPassages() bool { return ix.manifest.Passages }

// storedCodes are the codes of an index that HasPassages, for a caller that is reading.
type storedCodes struct{ *Snapshot }

func (ix storedCodes) Leads(dst []uint32, q *sequences.Query) (_ []uint32, stats sequences.Stats) {
	for i, s := range ix.segments {
		var of sequences.Stats
		dst, of = s.Leads(dst, q, ix.starts[i])
		stats.Add(of)
	}
	return dst, stats
}

func (ix storedCodes) Sharing(q *sequences.Query, docs []uint32) []uint32 {
	return slices.DeleteFunc(docs, func(doc uint32) bool {
		s, local := ix.locate(doc)
		return !s.Shares(q, local)
	})
}
