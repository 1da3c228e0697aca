package gate

import (
	"context"
	"slices"
	"strings"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/analysis"
	"simsearch/internal/document"
	"simsearch/internal/index"
	"simsearch/internal/intake"
	"simsearch/internal/segment"
)

// A View is an index as it is now: a Snapshot, and what has changed since. What changes while somebody has a View is seen in it, so
// that two searches by one View may differ. It is safe for concurrent use.
type View struct {
	*index.Snapshot
	users int // guarded by Gate.mu

	mu       sync.Mutex // guards all below
	recent   []*recent  // documents that have come since, in order
	bytes    int        // of their features and texts, about
	newer    map[string]int
	overflow bool // so much has come that it is not written down any more: the View is no longer what the index is

	// seen has those of recent that have what near compares, and at says which they are.
	near index.Predicate
	seen *intake.Seen
	at   []int
}

// A recent is a document that has come since the Snapshot.
type recent struct {
	segment.Document
	gone bool // it is deleted, or replaced by a later one
}

// deleted stands in View.newer for a document that is gone; other values are numbers in recent. All ids there are shown by the
// Snapshot, if it has them, as they were.
const deleted = -1

// NewView returns a View of an index that does not change. It has the Snapshot, which Close closes.
func NewView(s *index.Snapshot) *View {
	return &View{Snapshot: s, near: index.Default(s.Settings(), s.Search())}
}

// record writes down a change. overflow is how many documents are written down at most.
func (v *View) record(b *segment.Batch, overflow int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.overflow = v.overflow || len(v.newer)+len(b.Documents)+len(b.Deletes) > overflow; v.overflow {
		return
	}
	for _, id := range b.Deletes {
		v.forget(string(id))
		v.newer[string(id)] = deleted
	}
	for i := range b.Documents {
		d := b.Documents[i].Clone()
		id := string(d.ID)
		v.forget(id)
		v.newer[id] = len(v.recent)
		v.bytes += len(d.ID) + 16*len(d.Set) + 64
		if d.HasFingerprint && !v.near.BySets() || len(d.Set) > 0 && v.near.BySets() {
			v.seen.Add(d.Fingerprint, d.Set)
			v.at = append(v.at, len(v.recent))
		}
		v.recent = append(v.recent, &recent{Document: d})
	}
}

// forget marks the recent document called id, if there is one, as gone.
func (v *View) forget(id string) {
	if i, ok := v.newer[id]; ok && i != deleted {
		v.recent[i].gone = true
	}
}

// Changes returns how many ids have changed since the Snapshot.
func (v *View) Changes() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.newer)
}

// A Match is a document near a query.
type Match struct {
	Stored
	index.Measures
}

// order is the order of the matches of a query: by nearness, then by id.
func order(a, b Match) int {
	if c := a.Compare(&b.Measures); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// An Answer is what is near a query: the nearest first, and how many there are beyond the limit, too.
type Answer struct {
	Matches []Match
	Total   int
	Empty   bool // the query has no features, and so is near nothing
}

// Near returns what is near a document that has been analysed by the settings of the index, as index.Snapshot.Near does.
func (v *View) Near(ctx context.Context, r *analysis.Result, o index.Options) (Answer, error) {
	changes := v.Changes()
	ask := o
	if o.Limit > 0 {
		ask.Limit += changes
	}
	if o.Nearest > 0 {
		ask.Nearest += changes
	}
	a, err := v.Snapshot.Near(ctx, index.Analysed(*r), ask)
	if err == nil && changes > 0 && ask.Nearest == 0 && ask.Limit > 0 && len(a.Matches) == ask.Limit {
		ask.Limit = 0 // how many of the others are still there is known when all are
		a, err = v.Snapshot.Near(ctx, index.Analysed(*r), ask)
	}
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Empty: a.Empty, Total: a.Total, Matches: make([]Match, 0, min(len(a.Matches), max(o.Limit, o.Nearest)+1))}
	v.mu.Lock()
	for _, m := range a.Matches {
		if _, ok := v.newer[string(m.ID)]; ok {
			answer.Total--
		} else {
			answer.Matches = append(answer.Matches, Match{Stored{ID: string(m.ID), view: v, doc: m.Document}, m.Measures})
		}
	}
	if len(v.recent) > 0 {
		err = v.eachRecent(r, o, func(m Match) {
			answer.Matches = append(answer.Matches, m)
			answer.Total++
		})
	}
	v.mu.Unlock()
	slices.SortFunc(answer.Matches, order)
	if limit := max(o.Limit, o.Nearest); limit > 0 && len(answer.Matches) > limit {
		answer.Matches = answer.Matches[:limit]
	}
	return answer, err
}

// eachRecent calls yield with each recent document that is near r, and not gone. The caller holds v.mu.
func (v *View) eachRecent(r *analysis.Result, o index.Options, yield func(Match)) error {
	var wrong error
	passes := v.passes(o.Where)
	take := func(i int, m index.Measures) {
		d := &v.recent[i].Document
		if v.recent[i].gone || !passes(d) {
			return
		}
		if o.BySets() && v.Settings().Fingerprints() && !o.Kind.Within {
			m.Distance = distance(*r, resultOf(d))
		}
		yield(Match{Stored{ID: string(d.ID), view: v, recent: d}, m})
	}
	if v.looksUp(&o) {
		last := -1 // a record may be told again, but not after another one that is near
		told := map[int]bool{}
		v.seen.Each(r.Fingerprint, r.Set, func(i int, m index.Measures) bool {
			if at := v.at[i]; at != last && !told[at] && o.Reached(&m) {
				last, told[at] = at, true
				take(at, m)
			}
			return true
		})
		return nil
	}
	for i := range v.recent {
		d := &v.recent[i].Document
		other := resultOf(d)
		m, err := o.Kind.Compare(v.Analysis(), r, &other)
		if err != nil {
			wrong = err
			break
		}
		has := len(r.Set) > 0 && len(d.Set) > 0
		if o.Kind.Within && m.Distance == index.NoDistance || !o.Kind.Bare && !has || o.Nearest > 0 && !o.Kind.Bare && m.Value == 0 {
			continue
		}
		if o.Nearest > 0 || o.Reached(&m) {
			take(i, m)
		}
	}
	return wrong
}

// looksUp reports whether what is near by o is looked up among what is seen; otherwise all recent documents are compared, which is
// the reference.
func (v *View) looksUp(o *index.Options) bool {
	return o.Nearest == 0 && o.Kind == v.near.Kind && o.Distance <= v.near.Distance && o.Threshold >= v.near.Threshold
}

// distance returns the distance of two documents, or index.NoDistance.
func distance(x, y analysis.Result) int {
	if !x.HasFingerprint || !y.HasFingerprint {
		return index.NoDistance
	}
	return hamming.Distance(x.Fingerprint, y.Fingerprint)
}

// resultOf returns what is compared of a document.
func resultOf(d *segment.Document) analysis.Result {
	return analysis.Result{ID: d.ID, HasFingerprint: d.HasFingerprint, Fingerprint: d.Fingerprint, Set: d.Set, Signature: d.Signature,
		Digest: d.Digest}
}

// passes returns what reports whether a recent document meets conditions, which the Snapshot has found to be possible.
func (v *View) passes(where []index.Where) func(*segment.Document) bool {
	in := v.Input()
	kept := in.Kept()
	return func(d *segment.Document) bool {
		if len(where) == 0 {
			return true
		}
		k, err := d.Fields.At(d.Number)
		for _, w := range where {
			at := slices.Index(kept, w.Field)
			if err != nil || at < 0 {
				return false
			}
			if value, ok := document.Field(k.Text, at); !ok || !w.Is(value) {
				return false
			}
		}
		return true
	}
}

// Find returns the document called id.
func (v *View) Find(id string) (s Stored, ok bool, err error) {
	v.mu.Lock()
	i, changed := v.newer[id]
	if changed && i != deleted {
		s = Stored{ID: id, view: v, recent: &v.recent[i].Document}
	}
	v.mu.Unlock()
	if changed {
		return s, i != deleted, nil
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
	doc    uint32            // its number in the Snapshot
	recent *segment.Document // or what came later
}

// Number returns the number of the document in the Snapshot. ok is false if it has come later.
func (s *Stored) Number() (doc uint32, ok bool) { return s.doc, s.recent == nil }

// Fields returns the values of the kept fields, by name.
func (s *Stored) Fields() (fields map[string]string, err error) {
	in := s.view.Input()
	value := func(i int) (string, bool, error) { return s.view.Field(s.doc, i) }
	if s.recent != nil && in.KeepFields != "" {
		k, err := s.recent.Fields.At(s.recent.Number)
		if err != nil {
			return nil, err
		}
		value = func(i int) (string, bool, error) {
			v, ok := document.Field(k.Text, i)
			return string(v), ok, nil
		}
	}
	for i, name := range in.Kept() {
		v, ok, err := value(i)
		if err != nil {
			return nil, err
		}
		if ok {
			if fields == nil {
				fields = map[string]string{}
			}
			fields[name] = v
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

// Features returns what searches compare of the document.
func (s *Stored) Features() (r analysis.Result, err error) {
	if s.recent != nil {
		return resultOf(s.recent), nil
	}
	r.ID = []byte(s.ID)
	if r.Fingerprint, r.HasFingerprint, err = s.view.Fingerprint(s.doc); err == nil {
		r.Set, r.Digest, err = s.view.AppendSet(nil, s.doc)
	}
	if err == nil && len(r.Set) > 0 && s.view.Settings().Signatures() {
		var signature []byte
		signature, _, err = s.view.Signature(s.doc)
		r.Signature = slices.Clone(signature)
	}
	return r, err
}
