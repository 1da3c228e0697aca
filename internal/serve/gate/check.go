package gate

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
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

// A Decision says what became of a Candidate, and names the nearest document, if one is near; Of is what is known of
// that one.
type Decision struct {
	Outcome
	Match   *Match
	Fields  map[string]string // of the match
	Differs explain.FactKinds // by Tell: facts in which the document, which is added, differs from the match
	Verdict explain.Verdict   // on the two, if their texts are known
}

// AtOnce is the largest number of candidates that Check should be called with.
const AtOnce = 128

// A Claim makes the decisions on some candidates those of a key: they are noted in the index, by the same change that
// adds the documents. Nothing is decided for a key that has a note.
type Claim struct {
	Key   index.NoteKey
	Until int64 // seconds since 1970
	// Note returns what is noted of decisions. It is called while nothing changes, and perhaps several times.
	Note func([]Decision) ([]byte, error)
}

// Check decides on candidates, one after the other, and adds documents, which are durable when it returns, with what
// has led to the decisions. All are one change: after an error none of them is added, but for an error that wraps
// disk.ErrUncertain, after which this is unknown. With a Claim whose key has a note already, there are no decisions,
// and noted is that note, which is durable, too.
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
		err := g.See(func(v *View) error {
			if err := g.ease(v); err != nil {
				return err
			}
			return do(v)
		})
		if !errors.Is(err, errOld) {
			return err
		}
	}
}

// A checking is the work on candidates that one View has been searched for.
type checking struct {
	g          *Gate
	v          *View
	candidates []checked
	claim      *Claim                  // nil if there is none
	noted      []byte                  // under its key, before this
	said       map[uint32]explain.Said // of documents of the Snapshot

	made      *View   // what the change deletes and adds so far
	adds      []int   // the candidates whose documents are the recent ones of made
	views     []*View // of since, and made
	decisions []Decision
}

// A checked is a Candidate, and what the Snapshot has near it and under its id.
type checked struct {
	Candidate
	said        explain.Said    // by Tell
	by          index.Predicate // what is looked for
	base        []index.Match
	most        int // how many of base were asked for; 0 is all
	there, same bool
	prepared    *index.Prepared // nil before it is packed
}

// atFirst is how many near documents are looked for: the nearest, the one with the id itself, and some that may be
// gone by now. By Tell, the facts of so many are compared.
const atFirst, compared = 4, 128

// check decides on candidates by a View. What takes long is done before the change, while others decide.
func (g *Gate) check(ctx context.Context, v *View, candidates []Candidate, claim *Claim) ([]Decision, []byte, error) {
	c := &checking{g: g, v: v, candidates: make([]checked, len(candidates)), claim: claim, said: map[uint32]explain.Said{}}
	var fresh []*checked        // that are probably added, and are packed together now
	before := newMemory(g.near) // what is like one of these is packed alone, if it is added
	for i := range candidates {
		d := &c.candidates[i]
		d.Candidate = candidates[i]
		if err := c.search(ctx, d); err != nil {
			return nil, nil, err
		}
		added, by := len(d.base) == 0, d.by
		if by.Kind == index.Copy {
			by = index.Similar(index.CopyFloor)
		}
		if by.Kind != nil {
			err := before.near(v.Snapshot, &d.Result, index.Options{Predicate: by}, func(int, index.Measures) { added = false })
			if err != nil {
				return nil, nil, err
			}
			before.add(d.Result)
		}
		added = added || d.IfNear == Link || d.IfNear == Take
		if !added && d.IfNear == Tell {
			found := make([]Match, len(d.base))
			for at, m := range d.base {
				found[at] = Match{Stored{view: v, doc: m.Document}, m.Turned, m.Measures}
			}
			_, differs, err := c.alike(d, found)
			if err != nil {
				return nil, nil, err
			}
			added = differs != 0
		}
		if added {
			fresh = append(fresh, d)
		}
	}
	c.prepare(fresh...)
	change, err := g.live.Change(ctx, func() (index.Wanted, error) { return c.decide(ctx) })
	if err == nil {
		err = g.live.Durable(change)
	}
	if err == nil {
		err = c.fill()
	}
	if err != nil {
		return nil, nil, err
	}
	return c.decisions, c.noted, nil
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

// search finds what the Snapshot has under the id of a candidate, and the nearest documents.
func (c *checking) search(ctx context.Context, d *checked) (err error) {
	doc, there, err := c.v.Snapshot.Find(d.ID)
	if d.there = there; err == nil && there {
		d.same, err = c.same(d, Stored{ID: string(d.ID), view: c.v, doc: doc})
	}
	if err != nil || d.Near.Kind == nil {
		return err
	}
	if d.most = atFirst; d.IfNear == Take {
		d.most = 0
	} else if d.IfNear == Tell {
		d.most = compared
	}
	if d.IfNear == Tell && !d.Given && c.v.Settings().SetFeatures.Kind != preprocess.Items {
		d.said = explain.Read(d.Text)
	}
	d.by = d.near()
	return c.ask(ctx, d)
}

// ask asks the Snapshot for the documents near a candidate.
func (c *checking) ask(ctx context.Context, d *checked) error {
	a, err := c.v.Snapshot.Near(ctx, index.Analysed(d.Result), index.Options{Predicate: d.by, Limit: d.most})
	d.base = a.Matches
	return err
}

// same reports whether a document is what the index has under its id: its features, its text and its fields.
func (c *checking) same(d *checked, s Stored) (bool, error) {
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
func (c *checking) prepare(which ...*checked) {
	results := make([]*analysis.Result, len(which))
	for i, d := range which {
		results[i] = &d.Result
	}
	for i, p := range c.g.live.Prepare(results) {
		which[i].prepared = &p
	}
}

// decide decides on all candidates, while nothing changes.
func (c *checking) decide(ctx context.Context) (want index.Wanted, err error) {
	if c.claim != nil {
		if c.noted = c.g.live.Noted(c.claim.Key); c.noted != nil {
			c.decisions = nil
			return want, nil
		}
	}
	if c.views, err = c.g.since(c.v); err != nil {
		return want, err
	}
	c.made, c.adds = &View{Snapshot: c.v.Snapshot, newer: map[string]int{}, memory: newMemory(c.g.near)}, nil
	c.views = append(c.views, c.made)
	c.decisions = make([]Decision, len(c.candidates))
	for i := range c.candidates {
		if err := c.one(ctx, i); err != nil {
			return want, err
		}
	}
	for n, i := range c.adds {
		if !c.made.recent[n].gone {
			want.Add = append(want.Add, *c.candidates[i].prepared)
		}
	}
	for id, at := range c.made.newer {
		if at == deleted {
			want.Deletes = append(want.Deletes, []byte(id))
		}
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
func (c *checking) one(ctx context.Context, i int) error {
	d, made := &c.candidates[i], &c.decisions[i]
	found, err := c.found(ctx, d)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		made.Match = &found[0]
	}
	if d.IfNear == Tell {
		if made.Match, made.Differs, err = c.alike(d, found); err != nil {
			return err
		}
	}
	if made.Match != nil && (d.IfNear == Reject || d.IfNear == Tell && made.Differs == 0) {
		made.Outcome = Rejected
		return nil
	}
	there, same, err := c.ownNow(d)
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
			d.Fields, d.prepared = fields, nil
		}
	}
	if d.IfNear == Take {
		for _, m := range found {
			if m.ID != string(d.ID) {
				c.made.remove(m.ID)
			}
		}
	}
	if d.prepared == nil {
		c.prepare(d)
	}
	c.made.add(&recent{Document: d.prepared.Document}, d.Result)
	c.adds = append(c.adds, i)
	return nil
}

// found returns what is near a candidate as things are now: the nearest first.
func (c *checking) found(ctx context.Context, d *checked) (found []Match, err error) {
	if d.Near.Kind == nil {
		return nil, nil
	}
	own := d.OfContent || d.IfNear == Reject || d.IfNear == Tell // the document that has the id counts
	stands := func(id string, since []*View) bool {
		_, changed := newest(since, id)
		return !changed && (own || id != string(d.ID))
	}
	for {
		for _, m := range d.base {
			if id := string(m.ID); stands(id, c.views) {
				found = append(found, Match{Stored{ID: id, view: c.v, doc: m.Document}, m.Turned, m.Measures})
			}
		}
		if len(found) > 0 || d.most == 0 || len(d.base) < d.most {
			break
		}
		d.most = 0 // all of the nearest are gone, and so all are wanted
		if err := c.ask(ctx, d); err != nil {
			return nil, err
		}
	}
	for n, v := range c.views {
		v.mu.RLock()
		err = v.eachRecent(&d.Result, index.Options{Predicate: d.by}, func(m Match) {
			if stands(m.ID, c.views[n+1:]) {
				found = append(found, m)
			}
		})
		v.mu.RUnlock()
		if err != nil {
			return nil, err
		}
	}
	sortMatches(found, d.by)
	return found, nil
}

// near returns what documents near a candidate are found by. Texts of few words may be known although a judge takes
// them for others, and the fewest, with a number, although hardly a word is the same: "Python 3.12" and "python3.12".
func (d *checked) near() index.Predicate {
	const fewestFloor = 0.25 // every set is compared
	switch {
	case d.Near.Kind != index.Copy || !d.said.Few():
		return d.Near
	case d.said.Fewest():
		return index.Similar(fewestFloor)
	}
	return index.Similar(index.CopyFloor)
}

// alike returns the first of the nearest documents with the facts of a candidate; or else the nearest, if there is
// one, and in which facts it differs.
func (c *checking) alike(d *checked, found []Match) (m *Match, differs explain.FactKinds, err error) {
	wide := d.by.Kind != d.Near.Kind
	for at := range found[:min(len(found), compared)] {
		is := &found[at]
		said, ok := c.said[is.doc]
		if d.said.Known() && (is.recent != nil || !ok) {
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
		kinds := d.said.Differ(&said) & explain.Content
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

// ownNow reports whether there is a document with the id of a candidate as things are now, and whether it is the same
// one.
func (c *checking) ownNow(d *checked) (there, same bool, err error) {
	id := string(d.ID)
	newer, changed := newest(c.views, id)
	switch {
	case !changed:
		return d.there, d.same, nil
	case newer == nil:
		return false, false, nil
	}
	same, err = c.same(d, Stored{ID: id, view: c.v, recent: newer})
	return true, same, err
}

// newest returns the document called id that has come since the Snapshot of the first of views, or nil if it was
// deleted since. ok is false if it has not changed.
func newest(views []*View, id string) (d *recent, ok bool) {
	for _, v := range slices.Backward(views) {
		v.mu.RLock()
		i, ok := v.newer[id]
		if ok && i != deleted {
			d = v.recent[i]
		}
		v.mu.RUnlock()
		if ok {
			return d, true
		}
	}
	return nil, false
}

// Delete deletes documents, and reports of each id whether there was one. All are one change, which is durable when
// it returns.
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
