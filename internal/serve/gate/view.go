package gate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"simsearch/internal/features/analysis"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/index/segment"
)

// A View is an index as it is now: a Snapshot, and what has changed since. What changes while somebody has a View is
// seen in it, so that two searches by one View may differ. It is safe for concurrent use.
type View struct {
	*index.Snapshot
	users int // guarded by Gate.mu
	most  int // changes that are written down

	changes  atomic.Int64 // as many ids as newer has
	overflow atomic.Bool  // so much has come that it is not written down any more: the View is no longer what the index is

	mu     sync.RWMutex // guards all below
	recent []*recent    // documents that have come since, in order
	memory *memory      // of them, with the same numbers
	bytes  int          // of their features and texts, about
	newer  map[string]int
}

// A recent is a document that has come since the Snapshot.
type recent struct {
	segment.Document
	gone bool // it is deleted, or replaced by a later one
}

// deleted stands in View.newer for a document that is gone; other values are numbers in recent. All ids there are
// shown by the Snapshot, if it has them, as they were.
const deleted = -1

// record writes down a change. documents are copies of those that it adds. Changes are recorded one after the other.
func (v *View) record(b *segment.Batch, documents []segment.Document) {
	if v.overflow.Load() || int(v.changes.Load())+len(b.Documents)+len(b.Deletes) > v.most {
		v.overflow.Store(true)
		return
	}
	added := make([]recent, len(documents))
	v.mu.Lock() // queries wait: all that can be done before is done
	defer v.mu.Unlock()
	for _, id := range b.Deletes {
		v.remove(string(id))
	}
	for i := range documents {
		added[i].Document = documents[i]
		v.add(&added[i], resultOf(&documents[i]))
	}
	v.changes.Store(int64(len(v.newer)))
}

// add adds a document, of which r is what is compared.
func (v *View) add(d *recent, r analysis.Result) {
	v.remove(string(d.ID))
	v.newer[string(d.ID)] = len(v.recent)
	v.bytes += len(d.ID) + 16*len(d.Set) + 64
	v.recent = append(v.recent, d)
	v.memory.add(r)
}

// remove deletes the document called id.
func (v *View) remove(id string) {
	if i, ok := v.newer[id]; ok && i != deleted {
		v.recent[i].gone = true
	}
	v.newer[id] = deleted
}

// Changes returns how many ids have changed since the Snapshot.
func (v *View) Changes() int { return int(v.changes.Load()) }

// A Match is a document near a query.
type Match struct {
	Stored
	Turned bool // as of index.Match
	index.Measures
}

// sortMatches sorts the matches of a query by nearness, then by id. Distances that are told beside a similarity do
// not count.
func sortMatches(matches []Match, p index.Predicate) {
	slices.SortFunc(matches, func(a, b Match) int {
		x, y := a.Measures, b.Measures
		if p.BySets() {
			x.Distance, y.Distance = 0, 0
		}
		if c := x.Compare(&y); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// An Answer is what is near a query: the nearest first, and how many there are beyond the limit, too.
type Answer struct {
	Matches []Match
	Total   int
	Empty   bool // the query has no features, such as a picture of one colour, and so is near nothing
}

// Near returns what is near a document that has been analysed by the settings of the index, as index.Snapshot.Near
// does.
func (v *View) Near(ctx context.Context, r *analysis.Result, o index.Options) (Answer, error) {
	ask := v.ask(o)
	a, err := v.Snapshot.Near(ctx, index.Analysed(*r), ask)
	if err != nil {
		return Answer{}, err
	}
	return v.answer(ctx, a, r, ask, o)
}

// NearBatch is Near for each document of a batch.
func (v *View) NearBatch(ctx context.Context, b *analysis.Batch, o index.Options) (answers []Answer, err error) {
	ask := v.ask(o)
	all, err := v.Snapshot.NearBatch(ctx, b, ask)
	if err != nil {
		return nil, err
	}
	answers = make([]Answer, len(all))
	for i := range all {
		r := b.Result(i)
		if answers[i], err = v.answer(ctx, all[i], &r, ask, o); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// ask returns what the Snapshot is asked for, if o is asked for: some of its documents may be gone.
func (v *View) ask(o index.Options) index.Options {
	changes := v.Changes()
	if o.Limit > 0 {
		o.Limit += changes
	}
	if o.Nearest > 0 {
		o.Nearest += changes
	}
	return o
}

// answer returns the answer to r, of which the Snapshot has answered a when it was asked for ask.
func (v *View) answer(ctx context.Context, a index.Answer, r *analysis.Result, ask, o index.Options) (answer Answer, err error) {
	if ask.Limit > o.Limit && len(a.Matches) == ask.Limit { // how many of the others are gone is known when all are
		ask.Limit = 0
		if a, err = v.Snapshot.Near(ctx, index.Analysed(*r), ask); err != nil {
			return answer, err
		}
	}
	answer = Answer{Empty: a.Empty, Total: a.Total}
	if n := min(len(a.Matches), max(o.Limit, o.Nearest)+1); n > 0 {
		answer.Matches = make([]Match, 0, n)
	}
	v.mu.RLock()
	for _, m := range a.Matches {
		if _, ok := v.newer[string(m.ID)]; ok {
			answer.Total--
		} else {
			answer.Matches = append(answer.Matches, Match{Stored{ID: string(m.ID), view: v, doc: m.Document}, m.Turned, m.Measures})
		}
	}
	before := len(answer.Matches)
	if len(v.recent) > 0 {
		err = v.eachRecent(r, o, func(m Match) {
			answer.Matches = append(answer.Matches, m)
			answer.Total++
		})
	}
	v.mu.RUnlock()
	if len(answer.Matches) > before {
		sortMatches(answer.Matches, o.Predicate)
	}
	if limit := max(o.Limit, o.Nearest); limit > 0 && len(answer.Matches) > limit {
		answer.Matches = answer.Matches[:limit]
	}
	return answer, err
}

// eachRecent calls yield with each recent document that is near r, and not gone. The caller holds v.mu.
func (v *View) eachRecent(r *analysis.Result, o index.Options, yield func(Match)) error {
	take := func(i int, m index.Measures) {
		if d := v.recent[i]; !d.gone && v.meets(&d.Document, o.Where) {
			yield(Match{Stored{ID: string(d.ID), view: v, recent: d}, false, m})
		}
	}
	return v.memory.near(v.Snapshot, r, o, take)
}

// resultOf returns what is compared of a document.
func resultOf(d *segment.Document) analysis.Result {
	of := document.Document{ID: d.ID, HasFingerprint: d.HasFingerprint, Fingerprint: d.Fingerprint, More: d.More}
	return analysis.Result{Document: of, Set: d.Set, Signature: d.Signature, Digest: d.Digest}
}

// meets reports whether a recent document meets conditions, which the Snapshot has found to be possible.
func (v *View) meets(d *segment.Document, where []index.Where) bool {
	if len(where) == 0 {
		return true
	}
	in := v.Input()
	k, err := d.Fields.At(d.Number)
	return err == nil && !slices.ContainsFunc(where, func(w index.Where) bool {
		value, ok := document.Field(k.Text, slices.Index(in.Kept(), w.Field))
		return !ok || !w.Is(value)
	})
}

// Find returns the document called id.
func (v *View) Find(id string) (s Stored, ok bool, err error) {
	if d, changed := newest([]*View{v}, id); changed {
		return Stored{ID: id, view: v, recent: d}, d != nil, nil
	}
	doc, ok, err := v.Snapshot.Find([]byte(id))
	return Stored{ID: id, view: v, doc: doc}, ok, err
}

// At returns the document of the Snapshot with a number, as it was.
func (v *View) At(doc uint32) (Stored, error) {
	id, err := v.ID(doc)
	return Stored{ID: string(id), view: v, doc: doc}, err
}

// A Stored is a document that a View has. It is valid until the View is released.
type Stored struct {
	ID     string
	view   *View
	doc    uint32  // its number in the Snapshot
	recent *recent // or what came later
}

// Fields returns the values of the kept fields, by name.
func (s *Stored) Fields() (fields map[string]string, err error) {
	in := s.view.Input()
	var kept segment.Kept
	if s.recent != nil && in.KeepFields != "" {
		if kept, err = s.recent.Fields.At(s.recent.Number); err != nil {
			return nil, err
		}
	}
	for i, name := range in.Kept() {
		v, ok := document.Field(kept.Text, i)
		value := string(v)
		if s.recent == nil {
			if value, ok, err = s.view.Field(s.doc, i); err != nil {
				return nil, err
			}
		}
		if ok {
			if fields == nil {
				fields = map[string]string{}
			}
			fields[name] = value
		}
	}
	return fields, nil
}

// Text returns the text. The error is index.ErrNoText if it is not kept.
func (s *Stored) Text() (string, error) {
	if s.recent == nil {
		return s.view.Text(s.doc, nil)
	}
	k, err := s.recent.Texts.At(s.recent.Number)
	if err == nil && k.Text == nil {
		err = index.ErrNoText
	}
	return string(k.Text), err
}

// Query returns the document as a query: its features, and its text if that is kept.
func (s *Stored) Query() (r analysis.Result, err error) {
	r, err = s.Features()
	if err == nil && s.view.Settings().Image != 0 {
		var fields map[string]string
		fields, err = s.Fields()
		r.Picture = index.PictureOf(fields[imagehash.Unbordered])
	}
	if err != nil {
		return r, err
	}
	text, err := s.Text()
	if errors.Is(err, index.ErrNoText) {
		return r, nil
	}
	r.Text = []byte(text)
	return r, err
}

// Features returns what searches compare of the document.
func (s *Stored) Features() (r analysis.Result, err error) {
	if s.recent != nil {
		return resultOf(&s.recent.Document), nil
	}
	r.ID = []byte(s.ID)
	fp, has, err := s.view.Long(s.doc)
	r.HasFingerprint = has
	if r.Fingerprint, r.More = fp.Parts(); err == nil {
		r.Set, r.Digest, err = s.view.AppendSet(nil, s.doc)
	}
	if err == nil && len(r.Set) > 0 && s.view.Settings().Signatures() {
		var signature []byte
		signature, _, err = s.view.Signature(s.doc)
		r.Signature = slices.Clone(signature)
	}
	return r, err
}
