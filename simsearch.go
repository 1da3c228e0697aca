// Package simsearch finds near-duplicate documents: what is near a text, which documents of a collection are near each
// other, and which are left without near duplicates. It misses no near pair, and verifies each one exactly.
//
//	ix, err := simsearch.Memory()
//	defer ix.Close()
//	err = ix.Add(ctx,
//		simsearch.Document{ID: "hours", Text: "The library opens at nine and closes at noon."},
//		simsearch.Document{ID: "tour", Text: "A walk along the river, with a guide."},
//	)
//	matches, err := ix.Near(ctx, "The library opens at nine, and closes at six.", simsearch.Options{Near: simsearch.Jaccard(0.7)})
//
// Open keeps an index in a directory, and Dedup decides on documents without an index. Zero options are the defaults of the command
// of that name. Two texts are then near if their sets of words have a Jaccard similarity of 0.8 or more: the number of words that
// both have, divided by the number of words that either has.
package simsearch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"runtime"
	"sync"

	"simsearch/internal/analysis"
	"simsearch/internal/collected"
	"simsearch/internal/dedup"
	"simsearch/internal/document"
	"simsearch/internal/explain"
	"simsearch/internal/gate"
	"simsearch/internal/index"
	"simsearch/internal/keeping"
)

// A Document is a text and the id that names it in its collection. Text need not be UTF-8; other bytes separate words.
type Document struct {
	ID   string
	Text string
}

// A Criterion says what is near. The zero value stands for what the index was made for, by default Jaccard(0.8).
type Criterion struct{ near index.Predicate }

// Jaccard makes texts near whose sets of features have a similarity of at least t, in (0, 1]. The answer is exact. An index
// finds it fast from the similarity on that it was made for, 0.8, and compares all sets below.
func Jaccard(t float64) Criterion { return Criterion{index.Similar(t)} }

// Hamming makes texts near whose SimHash fingerprints of 64 bits differ in at most k bits, in [0, 64]. The answer is exact.
func Hamming(k int) Criterion { return Criterion{index.Within(k)} }

// check returns an error if the criterion is out of its range.
func (c Criterion) check() error {
	switch {
	case c.near.Kind == index.Jaccard && !(c.near.Threshold > 0 && c.near.Threshold <= 1):
		return fmt.Errorf("a Jaccard similarity of %v: want more than 0 and at most 1", c.near.Threshold)
	case c.near.Kind == index.Distance && (c.near.Distance < 0 || c.near.Distance > 64):
		return fmt.Errorf("a Hamming distance of %d bits: want 0 to 64", c.near.Distance)
	}
	return nil
}

// Options say what is near and how much is answered. Zero values are those of the command.
type Options struct {
	Near Criterion
	// Limit is the largest number of matches of a query: the nearest, and of equally near ones those whose ids come first.
	// 0 is no limit.
	Limit int
}

// A Match is a document near a query.
type Match struct {
	ID       string
	Jaccard  float64 // in [0, 1]; 0 if near goes by distance
	Distance int     // of the fingerprints in bits, or -1 if one of the two texts has none
}

// A Pair is two near documents. A comes before B in the collection.
type Pair struct {
	A, B     string
	Jaccard  float64 // as of a Match
	Distance int     // as of a Match
}

// A Group is near documents, two or more. Each is near the first, which represents the others.
type Group struct {
	IDs []string
	// Jaccard is the smallest similarity of two documents of the group, and Distance the largest distance, as near goes by.
	Jaccard  float64
	Distance int
}

// An Index is a collection that is searched while it is written. It is safe for concurrent use.
type Index struct {
	live  *index.Live
	query index.Predicate

	mu   sync.Mutex // guards door
	door *gate.Gate // of the documents of CheckAndAdd; nil before the first one
}

// Open opens the index in a directory, and makes it if there is none. One process at a time can have it open. An index that the
// command has made keeps its settings. The caller closes the Index.
func Open(dir string) (*Index, error) {
	settings, err := index.ReadSettings(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*index.AbsentError)) {
		settings, err = analysis.Default(), nil
	}
	if err != nil {
		return nil, err
	}
	return open(index.OpenLive(dir, settings, index.WriterOptions{Threads: threads()}))
}

// Memory returns an empty index in memory, which is gone when it is closed.
func Memory() (*Index, error) {
	return open(index.NewMemory(analysis.Default(), index.WriterOptions{Threads: threads()}))
}

func threads() int { return runtime.GOMAXPROCS(0) }

func open(live *index.Live, err error) (*Index, error) {
	if err != nil {
		return nil, err
	}
	ix := &Index{live: live}
	err = ix.see(func(s *index.Snapshot) error {
		ix.query = index.Default(s.Settings(), s.Search())
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, live.Close())
	}
	return ix, nil
}

// Close makes all changes durable and releases the index.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.door != nil {
		return ix.door.Close()
	}
	return ix.live.Close()
}

// gate returns the gate of the index.
func (ix *Index) gate() (_ *gate.Gate, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.door == nil {
		ix.door, err = gate.New(ix.live, 0)
	}
	return ix.door, err
}

// see calls do with the index as it is now.
func (ix *Index) see(do func(*index.Snapshot) error) error {
	s, err := ix.live.Snapshot()
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func (ix *Index) predicate(o Options) (p index.Predicate, err error) {
	if p = o.Near.near; p.Kind == nil {
		p = ix.query
	}
	return p, errors.Join(o.Near.check(), p.Check(ix.live.Settings()))
}

// Add adds documents, which are durable when it returns. A document takes the place of an earlier one with its id. Two documents of one
// call must not have one id and other texts: the error names the second, and the others are added.
func (ix *Index) Add(ctx context.Context, documents ...Document) error {
	return ix.AddAll(ctx, func(yield func(Document, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	})
}

// AddAll is Add for the documents of an iterator. An error of the iterator ends it.
func (ix *Index) AddAll(ctx context.Context, documents iter.Seq2[Document, error]) error {
	r, err := ix.live.Add(ctx, plain(documents))
	if err == nil && r.Refused > 0 {
		err = fmt.Errorf("%d documents have the id of another one of the same call, and another text: they are not added", r.Refused)
	}
	return err
}

// plain returns documents as an index takes them.
func plain(documents iter.Seq2[Document, error]) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for d, err := range documents {
			if !yield(&document.Document{ID: []byte(d.ID), Text: []byte(d.Text)}, err) || err != nil {
				return
			}
		}
	}
}

// CheckAndAdd adds a document unless another one is near it: of several calls at once with near texts, exactly one adds its
// document. match is the nearest one otherwise, which may be the one that has the same id. If that one is not near, it is
// replaced. Add replaces it in any case.
func (ix *Index) CheckAndAdd(ctx context.Context, d Document, o Options) (added bool, match Match, err error) {
	p, err := ix.predicate(o)
	if err != nil {
		return false, match, err
	}
	g, err := ix.gate()
	if err != nil {
		return false, match, err
	}
	r, err := ix.live.Analysis().Analyse(&document.Document{ID: []byte(d.ID), Text: []byte(d.Text)})
	if err != nil {
		return false, match, err
	}
	decisions, err := g.Check(ctx, []gate.Candidate{{Result: r, Near: p}})
	if err != nil {
		return false, match, err
	}
	if m := decisions[0].Match; m != nil {
		match = Match{m.ID, m.Value, m.Distance}
	}
	return decisions[0].Outcome != gate.Rejected, match, nil
}

// Delete takes documents out of the index, and returns how many of the ids it had. It is durable when it returns.
func (ix *Index) Delete(ctx context.Context, ids ...string) (deleted int, err error) {
	all := make([][]byte, len(ids))
	for i, id := range ids {
		all[i] = []byte(id)
	}
	return ix.live.Delete(ctx, all...)
}

// Len returns the number of documents.
func (ix *Index) Len() (n int, err error) {
	err = ix.see(func(s *index.Snapshot) error {
		n = s.Len()
		return nil
	})
	return n, err
}

// Near returns the documents near a text, the nearest first, and equally near ones by id. A text without words is near
// nothing.
func (ix *Index) Near(ctx context.Context, text string, o Options) (matches []Match, err error) {
	p, err := ix.predicate(o)
	if err != nil {
		return nil, err
	}
	err = ix.see(func(s *index.Snapshot) error {
		a, err := s.Near(ctx, index.Text([]byte(text)), index.Options{Predicate: p, Limit: o.Limit, Threads: 1})
		for _, m := range a.Matches {
			matches = append(matches, Match{string(m.ID), m.Value, m.Distance})
		}
		return err
	})
	return matches, err
}

// errStop ends a loop that its caller has left.
var errStop = errors.New("enough")

// Pairs yields all near pairs, in the order of the documents. An error ends them. Limit is not used.
func (ix *Index) Pairs(ctx context.Context, o Options) iter.Seq2[Pair, error] {
	return each(func(yield func(Pair) error) error {
		near, err := ix.predicate(o)
		if err != nil {
			return err
		}
		return ix.see(func(s *index.Snapshot) error {
			return s.Pairs(ctx, near, index.PairOptions{Threads: threads()}, func(p index.Pair) error {
				a, err := s.ID(p.A)
				if err != nil {
					return err
				}
				b, err := s.ID(p.B)
				if err != nil {
					return err
				}
				return yield(Pair{string(a), string(b), p.Value, p.Distance})
			})
		})
	})
}

// Groups yields the groups of near documents, the largest first. An error ends them. Limit is not used.
func (ix *Index) Groups(ctx context.Context, o Options) iter.Seq2[Group, error] {
	return each(func(yield func(Group) error) error {
		near, err := ix.predicate(o)
		if err != nil {
			return err
		}
		return ix.see(func(s *index.Snapshot) error {
			return s.Groups(ctx, near, index.PairOptions{Threads: threads()}, func(g index.Group) error {
				group := Group{Jaccard: g.Value, Distance: g.Distance}
				for _, doc := range append([]uint32{g.Representative}, g.Documents...) {
					if doc == g.Representative && len(group.IDs) > 0 {
						continue
					}
					id, err := s.ID(doc)
					if err != nil {
						return err
					}
					group.IDs = append(group.IDs, string(id))
				}
				return yield(group)
			})
		})
	})
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

// DedupOptions say which documents stand for others. The zero value is what the command dedup does.
type DedupOptions struct {
	Near Criterion
	// KeepFirst keeps the first of near documents. By default the longest is kept, and of equally long ones the first.
	KeepFirst bool
}

// Dedup returns for each document the number, from 0 in the order of the iterator, of the one that is kept in its place: its own
// number if it is kept. Every document that is not kept is near the one in its place, and no two kept documents are near.
// Ids are not used. Documents are not kept in memory, their sets of words are, beyond some size in a temporary file.
func Dedup(ctx context.Context, documents iter.Seq2[Document, error], o DedupOptions) (kept []int, err error) {
	how := collected.Options{Settings: collected.DefaultSettings(), Threshold: index.DefaultThreshold, Threads: threads()}
	if o.KeepFirst {
		how.Keep.Way = keeping.First
	}
	switch o.Near.near.Kind {
	case index.Jaccard:
		how.Threshold = o.Near.near.Threshold
	case index.Distance:
		how.Settings, how.Distance = collected.DefaultFingerprints(), o.Near.near.Distance
	}
	if err := o.Near.check(); err != nil {
		return nil, err
	}
	c, err := collected.Of(ctx, plain(documents), how)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := dedup.Decide(ctx, c)
	if err != nil {
		return nil, err
	}
	kept = make([]int, c.Len())
	for i := range kept {
		kept[i] = d.KeptFor(i)
	}
	return kept, nil
}

// A Comparison says how near two texts are, by the default settings.
type Comparison struct {
	Jaccard  float64 // of the sets of words, in [0, 1]
	Cosine   float64 // of the weighted words without stop words, in [0, 1]
	AInB     float64 // the share of the words of A that B has, in [0, 1]
	BInA     float64
	Distance int // of the fingerprints in bits, or -1 if one of the texts has none
}

// Compare compares two texts. It is an error if one has no words.
func Compare(a, b string) (c Comparison, err error) {
	by, err := analysis.New(analysis.Default())
	if err != nil {
		return c, err
	}
	is, err := explain.Compare(by, explain.Text{Text: []byte(a)}, explain.Text{Text: []byte(b)}, 0)
	if err != nil {
		return c, err
	}
	return Comparison{Jaccard: is.Jaccard.Exact, Cosine: is.Cosine.Exact, AInB: is.AInB.Exact, BInA: is.BInA.Exact, Distance: is.Distance}, nil
}
