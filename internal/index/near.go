package index

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
)

// Near returns the documents near q by o.Predicate: all of them, or the o.Limit nearest.
//
// By distance, the answer equals that of a scan of all fingerprints. By similarity, no match is missed
// unless o.Recall is below 1, and every match is verified as o.Verify says. If a segment is not planned for
// the threshold, Near compares all sets of that segment, or all signatures. With o.Nearest, the answer is
// the nearest documents.
//
// The error is ErrNoSearch, ErrWidth, ErrCorrupt, ErrClosed or the cause of ctx. The ids of matches
// are valid until Close.
func (ix *Snapshot) Near(ctx context.Context, q Query, o Options) (a Answer, err error) {
	asked, err := ix.ask(o)
	if err != nil {
		return a, err
	}
	if ctx.Err() != nil {
		return a, context.Cause(ctx)
	}
	err = ix.reading(func() error {
		r, err := q.analyse(ix.analysis)
		if err == nil && q.of == ofStored && o.Kind.Texts {
			r.Text, err = ix.textOf(q.doc)
		}
		if err == nil {
			a.Empty = !asked.by.has(&r)
			a.Matches, a.Total, err = asked.alone(ctx, &r)
		}
		return err
	})
	return a, err
}

// A search is how the documents near others are found: by a criterion, among those that pass a filter.
type search struct {
	ix     *Snapshot
	by     criterion
	filter *filter // nil if all documents pass
	o      Options
}

// ask returns the search for o, or an error that says what is wrong with o.
func (ix *Snapshot) ask(o Options) (s *search, err error) {
	if o.Limit < 0 || o.Batch < 0 || o.Nearest < 0 {
		return nil, fmt.Errorf("%w: a limit of %d matches, the %d nearest and batches of %d documents: want 0 or more", ErrNoSearch, o.Limit, o.Nearest, o.Batch)
	}
	s = &search{ix: ix, o: o}
	if s.by, err = o.criterion(ix); err != nil {
		return nil, err
	}
	if o.Nearest == 0 {
		err = o.canLookUp(ix)
	} else {
		if o.Limit == 0 || o.Nearest < o.Limit {
			s.o.Limit = o.Nearest
		}
		if o.Kind.NoNearest != "" {
			err = fmt.Errorf("%w: no nearest by %s: %s", ErrNoSearch, o.Kind.Short, o.Kind.NoNearest)
		}
	}
	if err == nil && len(o.Where) > 0 {
		s.filter, err = ix.newFilter(o.Where)
	}
	return s, err
}

// turned reports whether pictures are compared in all positions.
func (s *search) turned() bool { return s.o.Turned && s.ix.Settings().Image != 0 }

// find gathers the matches of a document, whether they pass the filter or not.
func (s *search) find(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	switch {
	case s.turned():
		return s.inPositions(ctx, r, g, stats)
	case s.o.Nearest > 0:
		return s.by.nearest(ctx, r, g, stats)
	}
	return nearOne(ctx, s.by, r, g, stats)
}

// one gathers the matches of a document.
func (s *search) one(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	if s.filter == nil {
		return s.find(ctx, r, g, stats)
	}
	limit := 0
	if s.o.Nearest > 0 {
		limit = 4 * g.Limit // the nearest that pass may be far
	}
	for ; ; limit *= 4 {
		all := segment.Gathered{Limit: limit}
		if err := s.find(ctx, r, &all, stats); err != nil {
			return err
		}
		found, enough := all.Matches(), limit == 0 || len(all.Found) < limit
		g.Found = g.Found[:0]
		for _, m := range found {
			if s.filter.passes(m.Document) {
				g.Found = append(g.Found, m)
			}
		}
		if enough || len(g.Found) >= g.Limit {
			return nil
		}
	}
}

// alone returns the matches of a document, and how many there are beyond the limit, too.
func (s *search) alone(ctx context.Context, r *analysis.Result) ([]Match, int, error) {
	h := segment.NewGatheredMany(1, s.o.Limit, math.MaxInt)
	err := s.batch(ctx, alone{r}, h, s.o.Stats)
	return h.Queries[0].Found, h.Queries[0].Total, err
}

// batch gathers the matches of each document of a batch.
func (s *search) batch(ctx context.Context, b queries, h *segment.GatheredMany, stats *Stats) error {
	var err error
	if s.filter == nil && s.o.Nearest == 0 && !s.turned() {
		err = s.by.near(ctx, b, h, stats)
	} else {
		err = eachAlone(ctx, b, h, stats, s.one)
	}
	for i := 0; i < b.Len() && err == nil; i++ {
		r := b.Result(i)
		s.finish(&r, h.Queries[i].Found)
	}
	return err
}

// finish fills in the distances of matches by similarity, where there are fingerprints.
func (s *search) finish(r *analysis.Result, found []Match) {
	if !s.o.BySets() || !s.ix.Settings().Fingerprints() {
		return
	}
	for i := range found {
		m := &found[i]
		fp, ok := s.ix.fingerprint(m.Document)
		m.Distance = NoDistance
		if ok && r.HasFingerprint {
			m.Distance = hamming.Distance(fp[0], r.Fingerprint)
		}
	}
}

// NearAll answers every document as a query, in order, as Near does. It calls yield with each
// answer, which is valid during the call. Documents without a fingerprint are analysed as the
// documents of the index were.
//
// NearAll holds about 260,000 matches at a time, or those of a single query if it has more. If
// queries have many matches, fewer documents are searched for together. A query whose matches
// cannot be held is searched for alone when its turn comes.
//
// A Document needs to be valid only until the next one is asked for. A goroutine of NearAll asks
// for it. Before it yields the answers of a batch, NearAll makes sure that no segment was changed
// in the meantime (see Unchanged). The error is ErrNoSearch, ErrCorrupt, ErrClosed, ErrWidth with
// the id of the query, the error of ctx, or the first error of documents or yield.
func (ix *Snapshot) NearAll(ctx context.Context, documents iter.Seq2[*document.Document, error], o Options, yield func(Answer) error) error {
	asked, err := ix.ask(o)
	if err != nil {
		return err
	}
	hold := holdMatches / (2*max(1, o.Threads) + 1) // of each batch that may exist at a time
	pace := parallel.NewPace(cmp.Or(o.Batch, defaultBatch), hold, o.Threads)
	return ix.reading(func() error { return asked.all(ctx, documents, pace, yield) })
}

// An asked is what a batch of queries has found.
type asked struct {
	*segment.GatheredMany
	stats *Stats // nil if nobody wants them
}

// holdMatches is about how many matches all batches of NearAll hold at a time. A match takes 48
// bytes. A query whose matches have no room is searched alone when its turn comes.
const holdMatches = 1 << 18

// all is NearAll at a pace, for a caller that is reading.
func (s *search) all(ctx context.Context, documents iter.Seq2[*document.Document, error], p *parallel.Pace, yield func(Answer) error) error {
	ask := func(ctx context.Context, b *analysis.Batch) (asked, error) {
		h := asked{GatheredMany: segment.NewGatheredMany(b.Len(), s.o.Limit, p.Hold())}
		if s.o.Stats != nil {
			h.stats = &Stats{}
		}
		err := s.batch(ctx, b, h.GatheredMany, h.stats)
		if err == nil {
			err = s.ix.Unchanged()
		}
		p.Learn(b.Len(), h.Counted)
		return h, err
	}
	return analysis.Each(ctx, s.ix.analysis, documents, s.o.Threads, p.Size, ask, func(b *analysis.Batch, h asked) error {
		if s.o.Stats != nil {
			s.o.Stats.Add(*h.stats)
		}
		return s.answers(ctx, b, h.GatheredMany, yield)
	})
}

// answers calls yield with the answer to each document of a batch, of which h has the matches.
func (s *search) answers(ctx context.Context, b *analysis.Batch, h *segment.GatheredMany, yield func(Answer) error) error {
	for i := range b.Len() {
		r := b.Result(i)
		a := Answer{r.ID, !s.by.has(&r), h.Queries[i].Found, h.Queries[i].Total, &r}
		if h.Late[i] {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var err error
			if a.Matches, a.Total, err = s.alone(ctx, &r); err != nil {
				return err
			}
		}
		if err := yield(a); err != nil {
			return err
		}
	}
	return nil
}

// NearBatch answers each document of a batch, which was analysed as those of the collection were, as Near does.
func (ix *Snapshot) NearBatch(ctx context.Context, b *analysis.Batch, o Options) (answers []Answer, err error) {
	asked, err := ix.ask(o)
	if err != nil {
		return nil, err
	}
	err = ix.reading(func() error {
		h := segment.NewGatheredMany(b.Len(), asked.o.Limit, holdMatches)
		if err := asked.batch(ctx, b, h, o.Stats); err != nil {
			return err
		}
		return asked.answers(ctx, b, h, func(a Answer) error {
			a.Result = nil
			answers = append(answers, a)
			return nil
		})
	})
	return answers, err
}

// Explain says for each segment how a search by p is answered, and whether a query is compared with all sets of some
// segment, or with all signatures. This happens if the segment was planned for a higher threshold. The error is
// ErrNoSearch.
func (ix *Snapshot) Explain(p Predicate) (how []string, comparesAll bool, err error) {
	by, err := p.criterion(ix)
	if err == nil {
		err = p.canLookUp(ix)
	}
	if err != nil {
		return nil, false, err
	}
	for i, s := range ix.segments {
		text, all := by.explain(s)
		how, comparesAll = append(how, fmt.Sprintf("segment %s: %s", ix.parts[i].Ref.Name, text)), comparesAll || all
	}
	return how, comparesAll, nil
}

// A Query is what Near finds the neighbours of. Text, Fingerprint, Long, Analysed and Snapshot.Stored return one.
type Query struct {
	of     origin
	text   []byte          // of ofText
	doc    uint32          // of ofStored
	result analysis.Result // of the others
}

// An origin is where a query comes from.
type origin uint8

const (
	ofText origin = iota
	ofResult
	ofStored
)

// Text returns the query for documents near text. The text is analysed as the documents of the
// collection were. It is not copied.
func Text(text []byte) Query { return Query{text: text} }

// Fingerprint returns the query for documents near a fingerprint.
func Fingerprint(fp uint64) Query { return Long(document.Long{fp}) }

// Long is Fingerprint of any width.
func Long(fp document.Long) Query {
	q := Query{of: ofResult, result: analysis.Result{Given: true, Document: document.Document{HasFingerprint: true}}}
	q.result.Fingerprint, q.result.More = fp.Parts()
	return q
}

// Analysed returns the query for documents near one that was analysed as those of the collection were. It is not
// copied.
func Analysed(r analysis.Result) Query { return Query{of: ofResult, result: r} }

// Stored returns the query for documents near document doc, doc < Len(), which is one of them. The query
// is valid until Close.
func (ix *Snapshot) Stored(doc uint32) (Query, error) {
	q := Query{of: ofStored, doc: doc}
	err := ix.readDocument(doc, func(s *segment.Segment, local uint32) {
		q.result.Picture = ix.picture(s, local)
		if ix.Settings().Fingerprints() {
			var fp document.Long
			fp, q.result.HasFingerprint = s.Long(local)
			q.result.Fingerprint, q.result.More = fp.Parts()
		}
		if s.Sets() == nil {
			return
		}
		if set, ok := s.Sets().Of(local); ok {
			q.result.Set = s.Sets().AppendSet(nil, set)
		}
	})
	return q, err
}

// Features returns the number of features of a query that Stored has returned.
func (q Query) Features() int { return len(q.result.Set) }

// Options say what a search finds and how it works.
type Options struct {
	Predicate
	// Limit is the maximum number of matches of a query: the nearest, and of equally near ones
	// those whose ids come first. 0 is no limit.
	Limit int
	// Nearest, if not 0, asks for that many documents, however far they are: the nearest by distance,
	// or the most similar of those that share a feature with the query, as the kind of the predicate
	// says. Of equally near ones those come first whose ids do. The search is exact. The values of
	// the predicate do not matter, and Limit may ask for less.
	Nearest int
	// Turned compares pictures in all positions, with and without their borders, as Pairs does. Queries that are
	// not in the collection are compared by document.Document.Turned, too, which is more exact.
	Turned bool
	// Stats, if not nil, counts the work of the search in addition to what it has counted before.
	Stats *Stats
	// Where are conditions on kept fields. Only documents that meet all of them are matches.
	Where []Where

	// Threads is the number of goroutines of NearAll, at least one. Batch is the maximum number of
	// documents that NearAll searches for together; 0 is defaultBatch. A large batch is fast as a
	// whole. A batch of one is answered at once.
	Threads, Batch int
}

// defaultBatch is the Batch of Options that name none.
const defaultBatch = 1 << 14

// A Match is a document near a query: its number Document, its ID, which is valid until the index is
// closed, and its Measures.
type Match = segment.Match

// Measures say how near two documents are: their Distance in bits, or NoDistance if one of the two has no
// fingerprint; their Jaccard similarity, in [0, 1], of a search by similarity. Compare is their order.
type Measures = join.Measures

// NoDistance is the distance where there is no fingerprint.
const NoDistance = join.NoDistance

// An Answer is what a search finds for one query.
type Answer struct {
	ID      []byte  // the id of the query's document; empty if it has none
	Empty   bool    // the query is a picture of one colour, which is near nothing
	Matches []Match // nearest first; equally near ones by id
	Total   int     // how many are near, beyond the limit, too; of the nearest, however far, how many there are
	// Result is what the search has compared. NearAll alone sets it. It is valid during the call.
	Result *analysis.Result
}

// Stats counts the work of searches.
type Stats = segment.Stats

// analyse returns what a search needs to know of the query.
func (q *Query) analyse(a *analysis.Analysis) (analysis.Result, error) {
	if q.of == ofText {
		r, err := a.Analyse(&document.Document{Text: q.text})
		if r.Text = q.text; r.Text == nil {
			r.Text = []byte{} // it is a text
		}
		return r, err
	}
	r := q.result
	if len(r.Set) > 0 && a.Settings().Signatures() {
		r.Signature = a.AppendSignature(nil, new(analysis.Scratch), r.Set)
	}
	return r, nil
}
