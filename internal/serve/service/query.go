package service

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/index"
	"simsearch/internal/match/sequences"
	"simsearch/internal/quality/explain"
	"simsearch/internal/serve/gate"
)

// measure says how near a document is.
func (m *Match) measure(p index.Predicate, by *index.Measures) {
	switch {
	case p.Kind == index.Contained:
		m.Contained = &by.Value
	case p.Kind == index.Copy:
		m.Jaccard, m.Copy = &by.Jaccard, &by.Value
	case p.BySets():
		m.Jaccard = &by.Value
	}
	if by.Distance != index.NoDistance {
		m.Distance = &by.Distance
	}
}

// a query is a NearRequest that is understood.
type query struct {
	*NearRequest
	analysis.Result
	o    index.Options
	self string // the id of the document that is the query, which is no match
}

// Near finds what is near a query.
func (s *Service) Near(ctx context.Context, name string, r *NearRequest) (*NearAnswer, error) {
	return on(ctx, s, name, func(c *collection) (*NearAnswer, error) {
		a, err := c.near(ctx, r, true)
		return &a, err
	})
}

// NearAll finds what is near each query of a batch. Where nothing is near, the nearest document is told only to those
// that ask for it.
func (s *Service) NearAll(ctx context.Context, name string, rs []NearRequest) ([]NearAnswer, error) {
	return on(ctx, s, name, func(c *collection) ([]NearAnswer, error) {
		if err := checkBatch(rs, (*NearRequest).size); err != nil {
			return nil, err
		}
		answers := make([]NearAnswer, len(rs))
		for from := 0; from < len(rs); {
			to, err := from+1, error(nil)
			for rs[from].plain() && to < len(rs) && rs[to].plain() && rs[to].asks(&rs[from]) {
				to++
			}
			if to > from+1 {
				err = c.nearTogether(ctx, rs, from, to, answers)
			} else if answers[from], err = c.near(ctx, &rs[from], false); err != nil {
				err = at(inBatch(rs, from), err)
			}
			if err != nil {
				return nil, err
			}
			from = to
		}
		return answers, nil
	})
}

// plain reports whether a request can be answered together with others.
func (r *NearRequest) plain() bool {
	return r.ID == "" && !r.Passages && r.Nearest == 0 && len(r.Where) == 0
}

// asks reports whether a request asks for what another one does.
func (r *NearRequest) asks(other *NearRequest) bool {
	a, b := r.Nearness, other.Nearness
	if a.K != nil && b.K != nil && *a.K == *b.K {
		b.K = a.K
	}
	return a == b && r.Limit == other.Limit && r.WithTexts == other.WithTexts && (r.Fingerprint == "") == (other.Fingerprint == "")
}

// nearTogether answers the requests from one of a batch up to another one, which ask for the same of other contents.
func (c *collection) nearTogether(ctx context.Context, rs []NearRequest, from, to int, answers []NearAnswer) error {
	v, release, err := c.view()
	if err != nil {
		return err
	}
	defer release()
	o, err := rs[from].options(v, rs[from].Fingerprint != "")
	if err != nil {
		return at(inBatch(rs, from), err)
	}
	documents := make([]document.Document, to-from)
	for i := range documents {
		if documents[i], err = rs[from+i].queried(v); err != nil {
			return at(inBatch(rs, from+i), err)
		}
	}
	batch, err := v.Analysis().AnalyseAll(documents)
	if err != nil {
		return err
	}
	all, err := v.NearBatch(ctx, batch, o)
	for i := 0; i < len(all) && err == nil; i++ {
		answers[from+i], err = answerOf(&all[i], o, rs[from].WithTexts)
	}
	return err
}

// How many documents are compared to tell the nearest one if nothing is near, and nobody has asked for it: no more
// than take about as long as the rest of a request.
const scanSets, scanFingerprints = 1 << 14, 1 << 17

// near answers a request. With miss, it tells the nearest document if nothing is near, unless that takes long.
func (c *collection) near(ctx context.Context, r *NearRequest, miss bool) (a NearAnswer, err error) {
	of := c.view
	if r.Passages || r.Nearest > 0 {
		of = c.fresh // these search a Snapshot
	}
	v, release, err := of()
	if err != nil {
		return a, err
	}
	defer release()
	q, err := r.query(v)
	if err != nil {
		return a, err
	}
	if r.Passages {
		return c.sharing(ctx, v, q)
	}
	o := q.o
	found, err := q.near(ctx, v, o)
	if err == nil {
		a, err = answerOf(&found, o, r.WithTexts)
	}
	if err != nil {
		return a, err
	}
	if o.Nearest > 0 {
		a.Total = len(a.Matches)
	}
	by, most := o.OfSets(), map[bool]int{false: scanFingerprints, true: scanSets}[o.BySets()]
	if len(a.Matches) == 0 && miss && !a.Empty && o.Nearest == 0 && v.Len() <= most && by.Kind.NoNearest == "" {
		o.Predicate, o.Nearest, o.Limit = by, 1, 0
		nearest, err := q.near(ctx, v, o)
		if err != nil || len(nearest.Matches) == 0 {
			return a, err
		}
		match, err := matchOf(&nearest.Matches[0], by, r.WithTexts)
		a.Nearest = &match
		return a, err
	}
	return a, nil
}

// near returns what is near the query, but for the document that it is.
func (q *query) near(ctx context.Context, v *gate.View, o index.Options) (gate.Answer, error) {
	most := max(o.Limit, o.Nearest)
	if q.self != "" { // one more, since it is there itself
		if o.Nearest > 0 {
			o.Nearest++
		}
		if o.Limit > 0 {
			o.Limit++
		}
	}
	found, err := v.Near(ctx, &q.Result, o)
	if err != nil || q.self == "" {
		return found, err
	}
	if i := slices.IndexFunc(found.Matches, func(m gate.Match) bool { return m.ID == q.self }); i >= 0 {
		found.Matches = slices.Delete(found.Matches, i, i+1)
		found.Total--
	}
	found.Matches = found.Matches[:min(len(found.Matches), most)]
	return found, nil
}

// query returns what a request asks for.
func (r *NearRequest) query(v *gate.View) (q *query, err error) {
	q = &query{NearRequest: r, self: r.ID}
	if r.ID == "" {
		var d document.Document
		if d, err = r.queried(v); err == nil {
			q.Result, err = v.Analysis().Analyse(&d)
		}
	} else {
		var stored gate.Stored
		if stored, err = find(v, r.ID); err == nil && (r.Text != nil || r.Fingerprint != "" || r.Set != nil) {
			err = Errorf(BadRequest, "id", "want an id or a content")
		}
		if err == nil {
			q.Result, err = stored.Query()
		}
		if err == nil && r.Passages && q.Result.Text == nil {
			err = index.ErrNoText
		}
	}
	if err == nil {
		q.o, err = r.options(v, q.Given)
	}
	return q, err
}

// queried returns the content of a request.
func (r *NearRequest) queried(v *gate.View) (d document.Document, err error) {
	if d, err = r.document(v.Settings()); err == nil && !d.HasFingerprint {
		in := v.Input()
		if wrong := in.Refusal([]byte("the query"), false); wrong != nil {
			err = Errorf(BadRequest, "text", "%v", wrong)
		}
	}
	return d, err
}

// options returns what a request asks for of a content, which may be a fingerprint.
func (r *NearRequest) options(v *gate.View, ofFingerprint bool) (o index.Options, err error) {
	switch {
	case r.Limit < 0 || r.Limit > mostMatches:
		return o, Errorf(BadRequest, "limit", "%d: want 0 to %d", r.Limit, mostMatches)
	case r.Nearest < 0 || r.Nearest > mostMatches:
		return o, Errorf(BadRequest, "nearest", "%d: want 0 to %d", r.Nearest, mostMatches)
	case r.Nearest > 0 && (r.Passages || r.Contained != 0 || r.Copy != 0):
		return o, Errorf(BadRequest, "nearest", "want the nearest by jaccard or k")
	case r.Passages && ofFingerprint:
		return o, Errorf(BadRequest, "passages", "a fingerprint has no passages")
	}
	if o.Limit, o.Nearest, o.Threads, o.Turned = r.Limit, r.Nearest, 1, true; r.Limit == 0 && r.Nearest == 0 {
		o.Limit = defaultLimit
	}
	if !r.Passages {
		if o.Predicate, err = r.predicate(v.Snapshot, ofFingerprint); r.Nearest > 0 {
			o.Predicate = o.OfSets()
		}
	}
	if err == nil {
		o.Where, err = conditions(v.Snapshot, r.Where)
	}
	return o, err
}

// answerOf returns an answer as clients get it.
func answerOf(found *gate.Answer, o index.Options, withTexts bool) (a NearAnswer, err error) {
	a.Empty, a.Total, a.Matches = found.Empty, found.Total, make([]Match, len(found.Matches))
	for i := range found.Matches {
		if a.Matches[i], err = matchOf(&found.Matches[i], o.Predicate, withTexts); err != nil {
			return a, err
		}
	}
	return a, nil
}

const mostConditions = 16

// conditions returns the conditions of a request, as the flag --where has them.
func conditions(s *index.Snapshot, where []string) ([]index.Where, error) {
	if len(where) > mostConditions {
		return nil, Errorf(TooLarge, "where", "%d conditions: want %d at most", len(where), mostConditions)
	}
	var all []index.Where
	in := s.Input()
	for _, text := range where {
		field, value, ok := strings.Cut(text, "=")
		if !ok || !slices.Contains(in.Kept(), field) {
			return nil, Errorf(BadRequest, "where", "%.200q: want FIELD=VALUE, of the fields %q that the collection keeps", text, in.Kept())
		}
		all = append(all, index.Where{Field: field, Is: results.Equals(value)})
	}
	return all, nil
}

// matchOf returns a match as clients get it.
func matchOf(m *gate.Match, p index.Predicate, withText bool) (match Match, err error) {
	match.ID, match.Turned = m.ID, m.Turned
	match.measure(p, &m.Measures)
	if match.Fields, err = m.Fields(); err == nil && withText {
		if match.Text, err = m.Text(); errors.Is(err, index.ErrNoText) {
			err = nil
		}
	}
	return match, err
}

// quoting is the last Searcher of passages of a collection, which may have read all texts.
type quoting struct {
	mu       sync.Mutex
	of       *gate.View
	words    int
	searcher *index.Quoter
	release  func()
}

// drop forgets the Searcher.
func (q *quoting) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.release != nil {
		q.release()
	}
	q.of, q.searcher, q.release = nil, nil, nil
}

// on returns a Searcher of the passages of a View. hold holds the View on.
func (q *quoting) on(v *gate.View, o index.QuoteOptions, hold func() (*gate.View, func(), error)) (*index.Quoter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.of == v && q.words == o.Words {
		return q.searcher, nil
	}
	s, err := index.NewQuoter(v.Snapshot, o)
	if err != nil || v.HasPassages() { // it has read nothing that is worth to be kept
		return s, err
	}
	held, release, err := hold()
	if err != nil || held != v { // it has changed already
		if release != nil {
			release()
		}
		return s, err
	}
	if q.release != nil {
		q.release()
	}
	q.of, q.words, q.searcher, q.release = v, o.Words, s, release
	return s, nil
}

// sharing answers a request for documents that share passages. v is a fresh View.
func (c *collection) sharing(ctx context.Context, v *gate.View, q *query) (a NearAnswer, err error) {
	of := c.service.o
	by := index.QuoteOptions{Bounds: cmp.Or(of.Passages, sequences.Usual), Base: of.Boilerplate, Threads: of.Threads}
	by.Words = cmp.Or(q.PassageWords, by.Words)
	s, err := c.quotes.on(v, by, c.view)
	if err != nil {
		return a, Errorf(BadRequest, "passages", "%v", err)
	}
	only := map[uint32]bool{}
	if len(q.o.Where) > 0 {
		docs, err := v.Select(q.o.Where)
		if err != nil {
			return a, err
		}
		for _, doc := range docs {
			only[doc] = true
		}
	}
	self, isSelf, err := v.Snapshot.Find([]byte(q.self))
	if err != nil {
		return a, err
	}
	found, _, err := s.Near(ctx, q.Result.Text, func(doc uint32) bool {
		return isSelf && doc == self || len(q.o.Where) > 0 && !only[doc]
	})
	if err != nil {
		return a, err
	}
	a.Total, a.Matches = len(found), make([]Match, 0, min(len(found), q.o.Limit))
	for i := range found[:min(len(found), q.o.Limit)] {
		f := &found[i]
		stored, err := v.At(f.Document)
		if err != nil {
			return a, err
		}
		m := Match{ID: stored.ID, QueryShare: &f.QueryShare, DocumentShare: &f.DocumentShare}
		if m.Fields, err = stored.Fields(); err != nil {
			return a, err
		}
		if q.WithTexts {
			m.Text = f.Text
		}
		for _, p := range f.Passages {
			m.Passages = append(m.Passages, Passage(p))
		}
		a.Matches = append(a.Matches, m)
	}
	return a, nil
}

// find returns the document called id, or a NotFound error.
func find(v *gate.View, id string) (gate.Stored, error) {
	stored, ok, err := v.Find(id)
	if err == nil && !ok {
		err = Errorf(NotFound, "id", "the collection has no document %.200q", id)
	}
	return stored, err
}

// Compare says how near two texts are, and why.
func (s *Service) Compare(ctx context.Context, name string, r *CompareRequest) (CompareAnswer, error) {
	return seeing(ctx, s, name, (*collection).view, func(c *collection, v *gate.View) (CompareAnswer, error) {
		var texts [2]explain.Text
		for i, side := range [...]*Side{&r.A, &r.B} {
			where := string("ab"[i])
			text, err := side.text(v)
			if err != nil {
				return nil, at(where, err)
			}
			texts[i] = explain.Text{ID: side.ID, Text: text}
			if side.ID == "" {
				texts[i].ID = where
			}
		}
		compared, err := results.Compare(v.Analysis(), texts, results.UsualTop)
		if err != nil {
			return nil, err
		}
		return json.Marshal(compared.Object())
	})
}

// text returns the text of a side.
func (s *Side) text(v *gate.View) ([]byte, error) {
	switch {
	case (s.Text == nil) == (s.ID == ""):
		return nil, Errorf(BadRequest, "", "want an id or a text")
	case s.Text != nil && len(*s.Text) > mostText:
		return nil, Errorf(TooLarge, "text", "%d bytes: want %d at most", len(*s.Text), mostText)
	case s.Text != nil:
		return []byte(*s.Text), nil
	}
	stored, err := find(v, s.ID)
	if err != nil {
		return nil, err
	}
	text, err := stored.Text()
	return []byte(text), err
}

// Export writes all documents as they are when it is called, a line of JSON each.
func (s *Service) Export(ctx context.Context, name string, w io.Writer) error {
	_, err := seeing(ctx, s, name, (*collection).fresh, func(c *collection, v *gate.View) (struct{}, error) {
		out := bufio.NewWriterSize(w, 1<<16)
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		const together = 256
		read := func(_ context.Context, part int) ([]*Document, error) {
			docs := make([]*Document, 0, together)
			for doc := part * together; doc < min(v.Len(), (part+1)*together); doc++ {
				d, err := documentAt(v, doc)
				if err != nil {
					return nil, err
				}
				docs = append(docs, d)
			}
			return docs, nil
		}
		err := parallel.Ordered(ctx, c.service.o.Threads, (v.Len()+together-1)/together, read, func(docs []*Document) error {
			for _, d := range docs {
				if err := lines.Encode(d); err != nil {
					return err
				}
			}
			return nil
		})
		return struct{}{}, errors.Join(err, out.Flush())
	})
	return err
}
