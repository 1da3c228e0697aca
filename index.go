package simsearch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/sequences"
	"simsearch/internal/serve/gate"
)

// An Index is a collection that is searched while it is written. It is safe for concurrent use. Open, Memory and the
// methods of Settings return one.
type Index struct {
	door   *gate.Gate
	query  index.Predicate // what is near if nobody says
	fields index.Input     // has the names of the fields that are kept
}

// Options say what is near and how much is answered. Zero values are those of the command.
type Options struct {
	Near Criterion
	// Limit is the largest number of matches of a query: the nearest, and of equally near ones those whose ids come
	// first. 0 is no limit.
	Limit int
	// Nearest, if not 0, asks for that many documents, however far they are, in place of those that Near makes near:
	// the nearest by the measure of Near. Documents that have nothing in common with the query are not among them.
	// Contained and Copy have none.
	Nearest int
	// Reject has CheckAndAdd add no near document, whatever it says.
	Reject bool
}

// A Match is a document near a query.
type Match struct {
	ID     string
	Fields map[string]string // that the index keeps; nil if there are none
	// Jaccard is the similarity, in [0, 1]; 0 if near goes by another measure.
	Jaccard float64
	// Copy is how likely it is that one text was made from the other, in [0, 1]; 0 if near goes by another measure.
	Copy float64
	// Contained is the share of the features of the shorter text that the longer one has, in [0, 1]; 0 if near goes
	// by another measure.
	Contained float64
	// Distance is that of the fingerprints in bits, in [0, 64], or -1 if it is not known: one of the two has no
	// fingerprint.
	Distance int
	// Differs names the facts for which CheckAndAdd has added a near document: numbers, negations, symbols, names,
	// words.
	Differs []string
	// Verdict is what CheckAndAdd says of the two texts: same, part, form or copy.
	Verdict string
}

// A Pair is two near documents. A comes before B in the collection. Measures are as those of a Match.
type Pair struct {
	A, B                     string
	Jaccard, Copy, Contained float64
	Distance                 int
}

// A Group is near documents, two or more. Each is near the first, which represents the others.
type Group struct {
	IDs []string
	// The smallest similarity or share of two documents of the group, as near goes by, and the largest distance.
	Jaccard, Copy, Contained float64
	Distance                 int
}

// Close makes all changes durable and releases the index. Further calls of methods return ErrClosed, and Close nil.
func (ix *Index) Close() error { return ix.door.Close() }

// predicate returns what options ask for.
func (ix *Index) predicate(o Options) (p index.Predicate, err error) {
	if p = o.Near.near; p.Kind == nil {
		if p = ix.query; o.Nearest > 0 {
			p = p.OfSets()
		}
	}
	switch {
	case o.Limit < 0 || o.Nearest < 0:
		err = fmt.Errorf("%w: a limit of %d and the nearest %d: want 0 or more", ErrInvalid, o.Limit, o.Nearest)
	case o.Nearest > 0 && p.Kind.NoNearest != "":
		err = fmt.Errorf("%w: %s", ErrNoSearch, p.Kind.NoNearest)
	default:
		err = o.Near.check()
	}
	if err == nil {
		err = p.Check(ix.door.Live().Settings())
	}
	return p, err
}

// Add adds documents, which are durable when it returns. A document takes the place of an earlier one with its id. If
// two documents of a call have one id and other texts, the error is ErrConflict, and the second is not added. After
// another error, the documents before the one that it names may have been added; adding all again is harmless.
func (ix *Index) Add(ctx context.Context, documents ...Document) error {
	return ix.AddAll(ctx, func(yield func(Document, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	})
}

// AddAll is Add for the documents of an iterator, which are not held in memory. An error of the iterator ends it.
func (ix *Index) AddAll(ctx context.Context, documents iter.Seq2[Document, error]) error {
	r, err := ix.door.Live().Add(ctx, document.Map(documents, ix.document))
	if err == nil && r.Refused > 0 {
		err = fmt.Errorf("%w: %d of them are not added", ErrConflict, r.Refused)
	}
	return err
}

// document returns a document as an index takes it.
func (ix *Index) document(d Document) (*document.Document, error) {
	doc := &document.Document{ID: []byte(d.ID), Text: []byte(d.Text)}
	if why := segment.BadID(doc.ID); why != "" {
		return nil, fmt.Errorf("%w: %s", ErrInvalid, why)
	}
	kept := ix.fields.Kept()
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		if !slices.Contains(kept, name) {
			return nil, fmt.Errorf("%w: document %q has the field %q, and the index keeps %q: name it in Settings.Fields", ErrInvalid, d.ID, name, kept)
		}
	}
	if len(d.Fields) > 0 {
		doc.Fields = gate.AppendFields(nil, kept, d.Fields)
	}
	return doc, nil
}

// CheckAndAdd adds a document unless another one with the same numbers, negations, symbols and names is near it, as
// far as the index keeps texts: of several calls at once with such texts, exactly one adds its document. What was
// added is durable when it returns. match is the near one, which may be the one that has the same id; if all near
// ones have other facts, it is the nearest, and Differs names them. A document with the same id that is not near is
// replaced. Add replaces it in any case. Options.Limit and Nearest are not used.
func (ix *Index) CheckAndAdd(ctx context.Context, d Document, o Options) (added bool, match Match, err error) {
	p, err := ix.predicate(Options{Near: o.Near})
	if err != nil {
		return false, match, err
	}
	doc, err := ix.document(d)
	if err != nil {
		return false, match, err
	}
	r, err := ix.door.Live().Analysis().Analyse(doc)
	if err != nil {
		return false, match, err
	}
	how := gate.Tell
	if o.Reject {
		how = gate.Reject
	}
	decisions, _, err := ix.door.Check(ctx, []gate.Candidate{{Result: r, Near: p, IfNear: how}}, nil)
	if err != nil {
		return false, match, err
	}
	if m := decisions[0].Match; m != nil {
		match = matchOf(m.ID, p, &m.Measures)
		match.Fields, match.Differs, match.Verdict = decisions[0].Fields, decisions[0].Differs.Names(), string(decisions[0].Verdict)
	}
	return decisions[0].Outcome != gate.Rejected, match, nil
}

// matchOf returns a match without its fields.
func matchOf(id string, p index.Predicate, by *index.Measures) Match {
	m := Match{ID: id, Distance: by.Distance}
	m.Jaccard, m.Copy, m.Contained = valueOf(p, by)
	return m
}

// valueOf returns the value by which a predicate measures.
func valueOf(p index.Predicate, by *index.Measures) (jaccard, likely, contained float64) {
	switch p.Kind {
	case index.Distance:
		return 0, 0, 0
	case index.Copy:
		return by.Jaccard, by.Value, 0
	case index.Contained:
		return 0, 0, by.Value
	}
	return by.Value, 0, 0
}

// Delete takes documents out of the index, and returns how many of the ids it had. It is durable when it returns.
func (ix *Index) Delete(ctx context.Context, ids ...string) (deleted int, err error) {
	all := make([][]byte, len(ids))
	for i, id := range ids {
		all[i] = []byte(id)
	}
	return ix.door.Live().Delete(ctx, all...)
}

// Len returns the number of documents. The error is ErrClosed.
func (ix *Index) Len() (n int, err error) {
	err = ix.door.See(func(*gate.View) error {
		n = ix.door.Live().Len()
		return nil
	})
	return n, err
}

// Get returns the document of an id, with its text and fields, as far as the index keeps them. The error is
// ErrNotFound.
func (ix *Index) Get(id string) (d Document, err error) {
	err = ix.door.See(func(v *gate.View) error {
		stored, err := find(v, id)
		if err != nil {
			return err
		}
		d.ID = id
		if d.Fields, err = stored.Fields(); err != nil {
			return err
		}
		if d.Text, err = stored.Text(); errors.Is(err, index.ErrNoText) {
			err = nil
		}
		return err
	})
	return d, err
}

func find(v *gate.View, id string) (gate.Stored, error) {
	stored, ok, err := v.Find(id)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return stored, err
}

// Near returns the documents near a text, the nearest first, and equally near ones by id. A text without words is near
// texts that are equal to it.
func (ix *Index) Near(ctx context.Context, text string, o Options) (matches []Match, err error) {
	p, err := ix.predicate(o)
	if err != nil {
		return nil, err
	}
	r, err := ix.door.Live().Analysis().Analyse(&document.Document{Text: []byte(text)})
	if err != nil {
		return nil, err
	}
	err = ix.door.See(func(v *gate.View) error {
		matches, err = ix.near(ctx, v, &r, p, o)
		return err
	})
	return matches, err
}

// NearID returns the documents near the document of an id, which is not among them. The error is ErrNotFound if there
// is none.
func (ix *Index) NearID(ctx context.Context, id string, o Options) (matches []Match, err error) {
	p, err := ix.predicate(o)
	if err != nil {
		return nil, err
	}
	err = ix.door.See(func(v *gate.View) error {
		stored, err := find(v, id)
		if err != nil {
			return err
		}
		r, err := stored.Query()
		if err != nil {
			return err
		}
		more := o // by one, since the document is near itself
		if o.Limit > 0 {
			more.Limit++
		}
		if o.Nearest > 0 {
			more.Nearest++
		}
		matches, err = ix.near(ctx, v, &r, p, more)
		matches = slices.DeleteFunc(matches, func(m Match) bool { return m.ID == id })
		for _, most := range []int{o.Limit, o.Nearest} {
			if most > 0 {
				matches = matches[:min(len(matches), most)]
			}
		}
		return err
	})
	return matches, err
}

// NearFingerprint returns the documents whose fingerprints are near one, as Fingerprint returns it. Without
// Options.Near, these are within the distance that the index was made for, or 3 bits.
func (ix *Index) NearFingerprint(ctx context.Context, fingerprint uint64, o Options) (matches []Match, err error) {
	if o.Near.near.Kind == nil && ix.query.BySets() {
		o.Near = Hamming(index.DefaultDistance)
	}
	p, err := ix.predicate(o)
	if err == nil && p.BySets() {
		err = fmt.Errorf("%w: a fingerprint has a distance and no features: want Hamming", ErrNoSearch)
	}
	if err != nil {
		return nil, err
	}
	err = ix.door.See(func(v *gate.View) error {
		matches, err = ix.near(ctx, v, &analysis.Result{Document: document.Document{Fingerprint: fingerprint, HasFingerprint: true}}, p, o)
		return err
	})
	return matches, err
}

func (ix *Index) near(ctx context.Context, v *gate.View, r *analysis.Result, p index.Predicate, o Options) ([]Match, error) {
	a, err := v.Near(ctx, r, index.Options{Predicate: p, Limit: o.Limit, Nearest: o.Nearest, Threads: 1})
	if err != nil {
		return nil, err
	}
	matches := make([]Match, len(a.Matches))
	for i := range a.Matches {
		m := &a.Matches[i]
		matches[i] = matchOf(m.ID, p, &m.Measures)
		if matches[i].Fields, err = m.Fields(); err != nil {
			return nil, err
		}
	}
	return matches, nil
}

// A Passage is what two texts have in common but for some edits: from where to before where, in bytes of each text.
type Passage struct {
	Query, Document [2]int
	Words           int // of the longer side
	Edits           int // words that were replaced, added or left out
}

// A Quote is a document that shares passages with a query.
type Quote struct {
	ID string
	// QueryShare and DocumentShare are the shares of the words of either that lie in passages, in [0, 1].
	QueryShare, DocumentShare float64
	Passages                  []Passage // in the order of the query
}

// Passages returns the documents that share passages with a text: 50 words or more, of which 15 % may be replaced,
// added or left out. Those with most of the text come first, then by id. An index that was not made with
// Settings.Passages reads all its texts for each call. It is ErrNoSearch if the index keeps no texts. Options.Near
// and Nearest are not used.
func (ix *Index) Passages(ctx context.Context, text string, o Options) (found []Quote, err error) {
	if o.Limit < 0 {
		return nil, fmt.Errorf("%w: a limit of %d: want 0 or more", ErrInvalid, o.Limit)
	}
	err = ix.door.SeeAll(func(v *gate.View) error {
		if v.Keep() == index.KeepNothing {
			return fmt.Errorf("%w: passages are verified in the texts, and the index keeps none", ErrNoSearch)
		}
		s, err := index.NewQuoter(v.Snapshot, index.QuoteOptions{Bounds: sequences.Usual, Threads: threads(), Limit: o.Limit})
		if err != nil {
			return err
		}
		all, _, err := s.Near(ctx, []byte(text), nil)
		if err != nil {
			return err
		}
		for i := range all {
			q := Quote{ID: string(all[i].ID), QueryShare: all[i].QueryShare, DocumentShare: all[i].DocumentShare}
			for _, p := range all[i].Passages {
				q.Passages = append(q.Passages, Passage(p))
			}
			found = append(found, q)
		}
		return nil
	})
	return found, err
}

// errStop ends a loop that its caller has left.
var errStop = errors.New("enough")

// Pairs yields all near pairs, in the order of the documents, as the index is when the first is asked for. An error
// ends them. Options.Limit and Nearest are not used.
func (ix *Index) Pairs(ctx context.Context, o Options) iter.Seq2[Pair, error] {
	return each(func(yield func(Pair) error) error {
		p, err := ix.predicate(Options{Near: o.Near})
		if err != nil {
			return err
		}
		return ix.door.SeeAll(func(v *gate.View) error {
			return v.Pairs(ctx, p, index.PairOptions{Threads: threads()}, func(found index.Pair) error {
				ids, err := idsOf(v, found.A, found.B)
				if err != nil {
					return err
				}
				pair := Pair{A: ids[0], B: ids[1], Distance: found.Distance}
				pair.Jaccard, pair.Copy, pair.Contained = valueOf(p, &found.Measures)
				return yield(pair)
			})
		})
	})
}

// Groups yields the groups of near documents, the largest first, as the index is when the first is asked for. An
// error ends them. A document is in one group at most. Options.Limit and Nearest are not used.
func (ix *Index) Groups(ctx context.Context, o Options) iter.Seq2[Group, error] {
	return each(func(yield func(Group) error) error {
		p, err := ix.predicate(Options{Near: o.Near})
		if err != nil {
			return err
		}
		return ix.door.SeeAll(func(v *gate.View) error {
			return v.Groups(ctx, p, index.PairOptions{Threads: threads()}, func(g index.Group) error {
				first := slices.Index(g.Documents, g.Representative)
				docs := slices.Insert(slices.Delete(slices.Clone(g.Documents), first, first+1), 0, g.Representative)
				ids, err := idsOf(v, docs...)
				if err != nil {
					return err
				}
				group := Group{IDs: ids, Distance: g.Distance}
				group.Jaccard, group.Copy, group.Contained = valueOf(p, &g.Measures)
				return yield(group)
			})
		})
	})
}

func idsOf(v *gate.View, docs ...uint32) ([]string, error) {
	ids := make([]string, len(docs))
	for i, doc := range docs {
		id, err := v.ID(doc)
		if err != nil {
			return nil, err
		}
		ids[i] = string(id)
	}
	return ids, nil
}

// each returns an iterator over what do yields.
func each[T any](do func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := do(func(value T) error {
			if !yield(value, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			var none T
			yield(none, err)
		}
	}
}
