package gate

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/explain"
	"simsearch/preprocess"
)

// A Policy says what becomes of a document that is near another one.
type Policy int

// What becomes of such a document.
const (
	Reject Policy = iota // it is not added
	Link                 // it is added, and names the nearest one
	Take                 // it takes the place of all near it
	Tell                 // it is not added if one of the nearest has the same facts, as far as texts are known; else it is told what differs
)

// A Candidate is a document that may be added.
type Candidate struct {
	analysis.Result
	// Near says what is near. Without a Kind, the document is added whatever is near it.
	Near   index.Predicate
	IfNear Policy
	// OfContent says that the id is made of the content. Then a document with this id is the same one, and counts as
	// near whatever the policy is. Otherwise it counts as near by Reject and Tell: by Link and Take, and if it is not
	// near, it is replaced.
	OfContent bool
	// Linked returns the fields of the document when it names another one, of Link; nil if they stay as they are.
	Linked func(id string) []byte
}

// An Outcome says what became of a Candidate.
type Outcome int

// What became of it.
const (
	Added     Outcome = iota
	Replaced          // it has taken the place of a document with its id
	Unchanged         // it was there already, with this text and these fields
	Rejected          // another one is near it
)

// A Decision says what became of a Candidate, and names the nearest document, if one is near; Of is what is known of that one.
type Decision struct {
	Outcome
	Match   *Match
	Fields  map[string]string // of the match
	Differs explain.FactKinds // by Tell: facts in which the document, which is added, differs from the match
	Verdict explain.Verdict   // on the two, if their texts are known
}

// AtOnce is the largest number of candidates that Check should be called with.
const AtOnce = 128

// A Claim makes the decisions on some candidates those of a key: they are noted in the index, by the same change that adds the
// documents. Nothing is decided for a key that has a note.
type Claim struct {
	Key   index.NoteKey
	Until int64 // seconds since 1970
	// Note returns what is noted of decisions. It is called while nothing changes, and perhaps several times.
	Note func([]Decision) ([]byte, error)
}

// Check decides on candidates, one after the other, and adds documents, which are durable when it returns, with what has led to the
// decisions. All are one change: after an error none of them is added, but for an error that wraps disk.ErrUncertain, after which this
// is unknown. With a Claim whose key has a note already, there are no decisions, and noted is that note, which is durable, too.
func (g *Gate) Check(ctx context.Context, candidates []Candidate, claim *Claim) (decisions []Decision, noted []byte, err error) {
	err = g.lately(func(v *View) error {
		decisions, noted, err = g.check(ctx, v, candidates, claim)
		return err
	})
	return decisions, noted, err
}

// lately calls do with a View of the index, and again if that has become too old meanwhile.
func (g *Gate) lately(do func(*View) error) error {
	for {
		v, err := g.View()
		if err != nil {
			return err
		}
		if err = g.ease(v); err == nil {
			err = do(v)
		}
		if err = errors.Join(err, g.Release(v)); !errors.Is(err, errOld) {
			return err
		}
	}
}

// Noted returns what is noted under a key, and is durable, or nil.
func (g *Gate) Noted(ctx context.Context, key index.NoteKey) (noted []byte, err error) {
	change, err := g.live.Change(ctx, func() (index.Wanted, error) {
		noted = g.live.Noted(key)
		return index.Wanted{}, nil
	})
	if err == nil && noted != nil {
		err = g.live.Durable(change)
	}
	return noted, err
}

// A checking is the work on candidates that one View has been searched for.
type checking struct {
	g          *Gate
	v          *View
	candidates []Candidate
	claim      *Claim           // nil if there is none
	noted      []byte           // under its key, before this
	base       [][]index.Match  // what the Snapshot has near each candidate
	most       []int            // how many of these were asked for; 0 is all
	own        []ownID          // what the Snapshot has under the id of each
	before     *memory          // the candidates that have been searched for
	earlier    [][]near         // those before each that are near it
	prepared   []index.Prepared // of those that may be added
	ready      []bool           // which of prepared are there

	said map[uint32]explain.Said // of documents of the Snapshot

	views     []*View // of since
	decisions []Decision
	removes   map[string]bool // ids that the change deletes
	adds      map[string]int  // the candidates that it adds, by their ids
}

type ownID struct {
	there, same bool
	said        explain.Said // of the candidate, by Tell
}

// A near candidate is near another one.
type near struct {
	candidate int
	index.Measures
}

// atFirst is how many near documents are looked for: the nearest, the one with the id itself, and some that may be gone by now. By Tell,
// the facts of so many are compared.
const atFirst, compared = 4, 128

func (g *Gate) check(ctx context.Context, v *View, candidates []Candidate, claim *Claim) ([]Decision, []byte, error) {
	for most := atFirst; ; most = 0 { // if all of the nearest are gone, all are wanted
		n := len(candidates)
		c := &checking{g: g, v: v, candidates: candidates, claim: claim, base: make([][]index.Match, n), most: make([]int, n),
			own: make([]ownID, n), before: newMemory(g.near), earlier: make([][]near, n), prepared: make([]index.Prepared, n),
			ready: make([]bool, n), said: map[uint32]explain.Said{}}
		if err := c.do(ctx, most); !errors.Is(err, errDeep) {
			return c.decisions, c.noted, err
		}
	}
}

// errDeep is the error of a decision that needs more of what is near than was looked for.
var errDeep = errors.New("what was found is gone")

// do decides, with up to most documents near each candidate if that is not 0, and makes the change.
func (c *checking) do(ctx context.Context, most int) error {
	var all []int // that may be new
	for i := range c.candidates {
		if err := c.search(ctx, i, most); err != nil {
			return err
		}
		c.before.add(c.candidates[i].Result)
		added := len(c.base[i])+len(c.earlier[i]) == 0
		switch c.candidates[i].IfNear {
		case Link, Take:
			added = true
		case Tell:
			found := make([]Match, len(c.base[i]))
			for at, m := range c.base[i] {
				found[at] = Match{Stored{view: c.v, doc: m.Document}, m.Measures}
			}
			_, differs, err := c.alike(i, found)
			if err != nil {
				return err
			}
			added = added || differs != 0
		}
		if added {
			all = append(all, i)
		}
	}
	c.prepare(all...)
	change, err := c.g.live.Change(ctx, c.decide)
	if err == nil {
		err = c.g.live.Durable(change)
	}
	if err == nil {
		err = c.fill()
	}
	if err != nil {
		c.decisions, c.noted = nil, nil
	}
	return err
}

// fill fills in what is known of matches, unless that has been done.
func (c *checking) fill() (err error) {
	for i := range c.decisions {
		d, of := &c.decisions[i], &c.candidates[i]
		if d.Match == nil || d.Verdict != "" {
			continue
		}
		if d.Fields, err = d.Match.Fields(); err != nil {
			return err
		}
		text, err := d.Match.Text()
		if err == nil && !of.Given && c.v.Settings().SetFeatures.Kind != preprocess.Items {
			d.Verdict, _ = explain.VerdictOf(string(of.Text), text, true)
		} else if err != nil && !errors.Is(err, index.ErrNoText) {
			return err
		}
	}
	return nil
}

// search finds what is near candidate i: in the Snapshot, up to most documents if that is not 0, and among the candidates before.
func (c *checking) search(ctx context.Context, i, most int) error {
	d := &c.candidates[i]
	doc, there, err := c.v.Snapshot.Find(d.ID)
	if err != nil {
		return err
	}
	if c.own[i].there = there; there {
		if c.own[i].same, err = c.same(d, Stored{ID: string(d.ID), view: c.v, doc: doc}); err != nil {
			return err
		}
	}
	if d.Near.Kind == nil {
		return nil
	}
	switch d.IfNear {
	case Take:
		most = 0
	case Tell:
		most *= compared / atFirst
	}
	if d.IfNear == Tell && !d.Given && c.v.Settings().SetFeatures.Kind != preprocess.Items {
		c.own[i].said = explain.Read(d.Text)
	}
	by := c.near(i)
	a, err := c.v.Snapshot.Near(ctx, index.Analysed(d.Result), index.Options{Predicate: by, Limit: most})
	if err != nil {
		return err
	}
	c.base[i], c.most[i] = a.Matches, most
	return c.before.near(c.v.Snapshot, &d.Result, index.Options{Predicate: by}, func(j int, m index.Measures) {
		c.earlier[i] = append(c.earlier[i], near{j, m})
	})
}

// same reports whether a document is what the index has under its id: its features, its text and its fields.
func (c *checking) same(d *Candidate, s Stored) (bool, error) {
	f, err := s.Features()
	if err != nil || d.HasFingerprint != f.HasFingerprint || d.Long() != f.Long() || d.Digest != f.Digest {
		return false, err
	}
	fields, err := s.Fields()
	in := c.v.Input()
	if err != nil || len(fields)+len(d.Fields) > 0 && !bytes.Equal(AppendFields(nil, in.Kept(), fields), d.Fields) {
		return false, err
	}
	text, err := s.Text()
	if errors.Is(err, index.ErrNoText) {
		return true, nil
	}
	return string(d.Text) == text, err
}

// prepare packs candidates.
func (c *checking) prepare(which ...int) {
	results := make([]*analysis.Result, len(which))
	for i, which := range which {
		results[i] = &c.candidates[which].Result
	}
	for i, p := range c.g.live.Prepare(results) {
		c.prepared[which[i]], c.ready[which[i]] = p, true
	}
}

// decide decides on all candidates, while nothing changes.
func (c *checking) decide() (want index.Wanted, err error) {
	if c.claim != nil {
		if c.noted = c.g.live.Noted(c.claim.Key); c.noted != nil {
			c.decisions = nil
			return want, nil
		}
	}
	if c.views, err = c.g.since(c.v); err != nil {
		return want, err
	}
	c.decisions, c.removes, c.adds = make([]Decision, len(c.candidates)), map[string]bool{}, map[string]int{}
	for i := range c.candidates {
		if err := c.one(i); err != nil {
			return want, err
		}
	}
	for i := range c.candidates { // in their order
		if at, ok := c.adds[string(c.candidates[i].ID)]; ok && at == i {
			want.Add = append(want.Add, c.prepared[i])
		}
	}
	for id := range c.removes {
		want.Deletes = append(want.Deletes, []byte(id))
	}
	slices.SortFunc(want.Deletes, bytes.Compare)
	if c.claim == nil {
		return want, nil
	}
	if err := c.fill(); err != nil {
		return want, err
	}
	data, err := c.claim.Note(c.decisions)
	want.Notes = []index.Note{{Key: c.claim.Key, Until: c.claim.Until, Data: data}}
	return want, err
}

// one decides on a candidate.
func (c *checking) one(i int) error {
	d := &c.candidates[i]
	found, err := c.found(i)
	if err != nil {
		return err
	}
	made := &c.decisions[i]
	if len(found) > 0 {
		made.Match = &found[0]
	}
	if d.IfNear == Tell {
		if made.Match, made.Differs, err = c.alike(i, found); err != nil {
			return err
		}
	}
	if made.Match != nil && (d.IfNear == Reject || d.IfNear == Tell && made.Differs == 0) {
		made.Outcome = Rejected
		return nil
	}
	there, same, err := c.ownNow(d, c.own[i])
	if err != nil {
		return err
	}
	if there {
		made.Outcome = Replaced
	}
	others := slices.ContainsFunc(found, func(m Match) bool { return m.ID != string(d.ID) })
	if there && (same || d.OfContent && d.Near.Kind != nil) && (d.IfNear != Take || !others) {
		made.Outcome = Unchanged
		return nil
	}
	if d.IfNear == Link && len(found) > 0 && d.Linked != nil {
		if fields := d.Linked(found[0].ID); fields != nil {
			d.Fields, c.ready[i] = fields, false
		}
	}
	if d.IfNear == Take {
		for _, m := range found {
			if m.ID != string(d.ID) {
				delete(c.adds, m.ID)
				c.removes[m.ID] = true
			}
		}
	}
	if !c.ready[i] {
		c.prepare(i)
	}
	c.adds[string(d.ID)] = i
	return nil
}

// found returns what is near a candidate as things are now: the nearest first.
func (c *checking) found(i int) (found []Match, err error) {
	d := &c.candidates[i]
	if d.Near.Kind == nil {
		return nil, nil
	}
	own := d.OfContent || d.IfNear == Reject || d.IfNear == Tell // the document that has the id counts
	counts := func(id string) bool {
		_, added := c.adds[id]
		return !c.removes[id] && !added && (own || id != string(d.ID))
	}
	for _, m := range c.base[i] {
		if id := string(m.ID); counts(id) && !changed(c.views, id) {
			found = append(found, Match{Stored{ID: id, view: c.v, doc: m.Document}, m.Measures})
		}
	}
	if len(found) == 0 && c.most[i] > 0 && len(c.base[i]) == c.most[i] {
		return nil, errDeep
	}
	for n, v := range c.views {
		v.mu.RLock()
		err = v.eachRecent(&d.Result, index.Options{Predicate: c.near(i)}, func(m Match) {
			if counts(m.ID) && !changed(c.views[n+1:], m.ID) {
				found = append(found, m)
			}
		})
		v.mu.RUnlock()
		if err != nil {
			return nil, err
		}
	}
	for _, e := range c.earlier[i] {
		other := &c.candidates[e.candidate]
		if at, ok := c.adds[string(other.ID)]; ok && at == e.candidate && (own || !bytes.Equal(other.ID, d.ID)) {
			found = append(found, Match{Stored{ID: string(other.ID), view: c.v, recent: &c.prepared[at].Document}, e.Measures})
		}
	}
	sortMatches(found, c.near(i))
	return found, nil
}

// near returns what candidates for a document are near by. Texts of few words may be known although a judge takes them for others, and the
// fewest, with a number, although hardly a word is the same: "Python 3.12" and "python3.12".
func (c *checking) near(i int) index.Predicate {
	const fewestFloor = 0.25 // every set is compared
	d, said := &c.candidates[i], &c.own[i].said
	switch {
	case d.Near.Kind != index.Copy || !said.Few():
		return d.Near
	case said.Fewest():
		return index.Similar(fewestFloor)
	}
	return index.Similar(index.CopyFloor)
}

// alike returns the first of the nearest documents with the facts of candidate i; or else the nearest, if there is one, and in which facts
// it differs.
func (c *checking) alike(i int, found []Match) (m *Match, differs explain.FactKinds, err error) {
	d, own := &c.candidates[i], &c.own[i].said
	wide := c.near(i).Kind != d.Near.Kind
	for at := range found[:min(len(found), compared)] {
		is := &found[at]
		said, ok := c.said[is.doc]
		if own.Known() && (is.recent != nil || !ok) {
			text, err := is.Text()
			if said = explain.Read([]byte(text)); errors.Is(err, index.ErrNoText) {
				said = explain.Said{}
			} else if err != nil {
				return nil, 0, err
			}
			if is.recent == nil {
				c.said[is.doc] = said
			}
		}
		kinds := own.Differ(&said) & explain.Content
		if kinds != 0 && m != nil {
			continue
		}
		if unsure := kinds != 0 || !said.Few(); wide {
			if unsure && is.Value < index.CopyFloor {
				continue
			}
			text, err := is.Text()
			if err != nil {
				return nil, 0, err
			}
			words := 1. // what says the same is judged, whatever its words are
			if is.Jaccard = is.Value; unsure {
				words = is.Jaccard
			}
			is.Value = judge.Default.Copy(judge.Read(d.Text), judge.Read([]byte(text)), words)
			if unsure && is.Value < d.Near.Threshold {
				continue
			}
		}
		if kinds == 0 {
			return is, 0, nil
		}
		m, differs = is, kinds
	}
	return m, differs, nil
}

// AppendFields appends to dst the values of fields in the order of names, as a document has them.
func AppendFields(dst []byte, names []string, fields map[string]string) []byte {
	for _, name := range names {
		value, ok := fields[name]
		dst = document.AppendField(dst, []byte(value), ok)
	}
	return dst
}

// changed reports whether a document called id has changed since the Snapshot of the first of views.
func changed(views []*View, id string) bool {
	for _, v := range views {
		v.mu.RLock()
		_, ok := v.newer[id]
		v.mu.RUnlock()
		if ok {
			return true
		}
	}
	return false
}

// ownNow reports whether there is a document with the id of a candidate as things are now, and whether it is the same one. of says what
// the Snapshot has.
func (c *checking) ownNow(d *Candidate, of ownID) (there, same bool, err error) {
	id := string(d.ID)
	var newer *segment.Document
	if at, ok := c.adds[id]; ok {
		newer = &c.prepared[at].Document
	} else if c.removes[id] {
		return false, false, nil
	} else if is, ok := newest(c.views, id); !ok {
		return of.there, of.same, nil
	} else if newer = is; newer == nil {
		return false, false, nil
	}
	same, err = c.same(d, Stored{ID: id, view: c.v, recent: newer})
	return true, same, err
}

// newest returns the document called id that has come since the Snapshot of the first of views, or nil if it was deleted since. ok is
// false if it has not changed.
func newest(views []*View, id string) (d *segment.Document, ok bool) {
	for _, v := range slices.Backward(views) {
		v.mu.RLock()
		i, ok := v.newer[id]
		if ok && i != deleted {
			d = &v.recent[i].Document
		}
		v.mu.RUnlock()
		if ok {
			return d, true
		}
	}
	return nil, false
}

// Delete deletes documents, and reports of each id whether there was one. All are one change, which is durable when it returns.
func (g *Gate) Delete(ctx context.Context, ids []string) (were []bool, err error) {
	err = g.lately(func(v *View) error {
		were, err = g.remove(ctx, v, ids)
		return err
	})
	return were, err
}

func (g *Gate) remove(ctx context.Context, v *View, ids []string) (were []bool, err error) {
	change, err := g.live.Change(ctx, func() (want index.Wanted, err error) {
		views, err := g.since(v)
		were = make([]bool, len(ids))
		once := map[string]bool{}
		for i, id := range ids {
			if err != nil {
				return want, err
			}
			if once[id] {
				continue
			}
			d, changed := newest(views, id)
			if were[i] = d != nil; !changed {
				_, were[i], err = v.Snapshot.Find([]byte(id))
			}
			if once[id] = were[i]; were[i] {
				want.Deletes = append(want.Deletes, []byte(id))
			}
		}
		return want, err
	})
	if err == nil {
		err = g.live.Durable(change)
	}
	return were, err
}
