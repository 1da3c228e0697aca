package index

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"simsearch/document"
	"simsearch/hamming"
	"simsearch/internal/parallel"
)

// Near appends to dst the documents within distance k of a fingerprint, ordered by
// distance, then by id, and returns the extended slice. The answer is that of a
// scan of all fingerprints. The error is ErrCriterion, ErrWidth, ErrCorrupt or ErrClosed, with dst
// as it was.
func (ix *Index) Near(dst []Match, fp uint64, k int) ([]Match, error) {
	return ix.Nearest(dst, fp, Within(k))
}

// Nearest is Near by a criterion of distance: it appends no more than c.Limit documents, if
// that is not 0, the first that Near would.
func (ix *Index) Nearest(dst []Match, fp uint64, c Criterion) ([]Match, error) {
	if c.BySets() {
		return dst, fmt.Errorf("%w: a fingerprint has no features", ErrCriterion)
	}
	if err := c.Check(ix.Settings()); err != nil {
		return dst, err
	}
	if err := ix.Settings().checkWidth(fp); err != nil {
		return dst, err
	}
	out := dst
	err := ix.reading(func() (err error) {
		out, err = ix.nearest(dst, fp, c)
		return err
	})
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (ix *Index) nearest(dst []Match, fp uint64, c Criterion) ([]Match, error) {
	g := gathering{limit: c.Limit, found: dst[len(dst):]}
	var found []hamming.Match
	var near []neighbour
	for i, s := range ix.segments {
		var err error
		if found, err = s.tables.Near(found[:0], fp, c.Distance); err != nil {
			return dst, fileError(s.path, err)
		}
		near = byDistance(near[:0], found)
		if err := g.addAll(ix, i, &s.groups, near); err != nil {
			return dst, err
		}
	}
	return g.appendTo(dst), nil
}

// byDistance appends matches of tables as groups, in their order: nearest first.
func byDistance(dst []neighbour, found []hamming.Match) []neighbour {
	for _, f := range found {
		dst = append(dst, neighbour{group: f.Index, distance: int(f.Distance)})
	}
	return dst
}

// An Answer is what NearDocuments finds for one document.
type Answer struct {
	ID      []byte // of the query
	Empty   bool   // it has no features, and so is near nothing
	Matches []Match
}

// NearDocuments answers every document as a query, in their order, as Nearest or Similar do: it
// calls yield with each answer, which is valid during the call. Documents without a
// fingerprint are analysed as those of the index were. Up to together documents are
// asked at a time on each of threads goroutines: many are fast, one answers at once.
//
// About holdMatches matches are held at a time, or those of a single query if it has more: where
// very much is near, fewer documents are asked together, and what cannot be held is searched
// when it is its turn.
//
// A Document needs to be valid only until the next one is asked for, from a goroutine of
// NearDocuments'. Before the answers of a batch are handed on, it is made sure that no segment was
// changed meanwhile (Unchanged). The error is ErrCriterion, ErrCorrupt, ErrClosed, ErrWidth with the
// id of the query, that of ctx, or the first one of documents or yield.
func (ix *Index) NearDocuments(ctx context.Context, documents iter.Seq2[*document.Document, error], c Criterion, threads, together int, yield func(Answer) error) error {
	if err := c.Check(ix.Settings()); err != nil {
		return err
	}
	hold := holdMatches / (2*max(1, threads) + 1) // of each batch that there can be at a time
	return ix.reading(func() error {
		return ix.nearDocuments(ctx, documents, c, threads, newPace(together, hold), yield)
	})
}

func (ix *Index) nearDocuments(ctx context.Context, documents iter.Seq2[*document.Document, error], c Criterion, threads int, p *pace, yield func(Answer) error) error {
	pool := sync.Pool{New: func() any { return new(batch) }}
	type answers struct {
		b *batch
		h *held
	}
	ask := func(ctx context.Context, b *batch) (answers, error) {
		if err := b.analyse(ix.analysis); err != nil {
			return answers{}, err
		}
		search := ix.nearBatch
		if c.BySets() {
			search = ix.similarBatch
		}
		h := newHeld(ix, len(b.docs), c.Limit, p.hold)
		err := search(ctx, b, c, h)
		if err == nil {
			err = ix.Unchanged()
		}
		p.learn(len(b.docs), h.counted)
		return answers{b, h}, err
	}
	var alone []Match
	return parallel.Stream(ctx, threads, batchesOf(documents, p.together, &pool), ask, func(a answers) error {
		for i, d := range a.b.docs {
			matches := a.h.queries[i].found
			if a.h.late[i] {
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				var err error
				if alone, err = ix.alone(alone[:0], a.b, i, c); err != nil {
					return err
				}
				matches = alone
			}
			if err := yield(Answer{a.b.id(i), !d.ok, matches}); err != nil {
				return err
			}
		}
		a.b.reset()
		pool.Put(a.b)
		return nil
	})
}

// alone appends the matches of document i of a batch, which has been analysed.
func (ix *Index) alone(dst []Match, b *batch, i int, c Criterion) ([]Match, error) {
	if !c.BySets() {
		return ix.nearest(dst, b.docs[i].fp, c)
	}
	set, signature := b.set(&b.docs[i], ix.Settings().Perms)
	return ix.similar(dst, c, set, signature)
}

// nearBatch gathers the matches of each document of a batch that has been analysed.
func (ix *Index) nearBatch(ctx context.Context, b *batch, c Criterion, h *held) error {
	var queries []uint64
	var asked []int // the document of each query
	for i, d := range b.docs {
		if err := ix.Settings().checkWidth(d.fp); err != nil {
			return fmt.Errorf("query %s: %w", b.id(i), err)
		}
		if d.ok {
			queries, asked = append(queries, d.fp), append(asked, i)
		}
	}
	for i, s := range ix.segments {
		err := s.tables.NearBatch(queries, c.Distance, func(q int, found []hamming.Match) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			h.near = byDistance(h.near[:0], found)
			return h.add(asked[q], i, &s.groups, h.near)
		})
		if err != nil {
			return fileError(s.path, err)
		}
	}
	h.sort()
	return nil
}
