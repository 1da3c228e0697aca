package index

import (
	"context"
	"fmt"
	"iter"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/hamming"
)

// Near appends to dst the documents within distance k of a fingerprint, ordered by
// distance, then by id, and returns the extended slice. The answer is that of a
// scan of all fingerprints. The error is ErrCriterion, ErrWidth, ErrCorrupt or ErrClosed, with dst
// as it was.
func (ix *Snapshot) Near(dst []Match, fp uint64, k int) ([]Match, error) {
	return ix.Nearest(dst, fp, Within(k))
}

// Nearest is Near by a criterion of distance: it appends no more than c.Limit documents, if
// that is not 0, the first that Near would.
func (ix *Snapshot) Nearest(dst []Match, fp uint64, c Criterion) ([]Match, error) {
	if c.BySets() {
		return dst, fmt.Errorf("%w: a fingerprint has no features", ErrCriterion)
	}
	if err := c.Check(ix.Settings()); err != nil {
		return dst, err
	}
	if err := checkWidth(ix.Settings(), fp); err != nil {
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

func (ix *Snapshot) nearest(dst []Match, fp uint64, c Criterion) ([]Match, error) {
	g := gathering{limit: c.Limit, found: dst[len(dst):]}
	var found []hamming.Match
	var near []neighbour
	for i, s := range ix.segments {
		var err error
		if found, err = s.Tables().Near(found[:0], fp, c.Distance); err != nil {
			return dst, s.InFile(err)
		}
		near = byDistance(near[:0], found)
		if err := g.addAll(ix, i, s.Groups(), near); err != nil {
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
func (ix *Snapshot) NearDocuments(ctx context.Context, documents iter.Seq2[*document.Document, error], c Criterion, threads, together int, yield func(Answer) error) error {
	if err := c.Check(ix.Settings()); err != nil {
		return err
	}
	hold := holdMatches / (2*max(1, threads) + 1) // of each batch that there can be at a time
	return ix.reading(func() error {
		return ix.nearDocuments(ctx, documents, c, threads, newPace(together, hold), yield)
	})
}

func (ix *Snapshot) nearDocuments(ctx context.Context, documents iter.Seq2[*document.Document, error], c Criterion, threads int, p *pace, yield func(Answer) error) error {
	ask := func(ctx context.Context, b *analysis.Batch) (*held, error) {
		search := ix.nearBatch
		if c.BySets() {
			search = ix.similarBatch
		}
		h := newHeld(ix, b.Len(), c.Limit, p.hold)
		err := search(ctx, b, c, h)
		if err == nil {
			err = ix.Unchanged()
		}
		p.learn(b.Len(), h.counted)
		return h, err
	}
	var alone []Match
	return analysis.Each(ctx, ix.analysis, documents, threads, p.together, ask, func(b *analysis.Batch, h *held) error {
		for i := range b.Len() {
			matches, r := h.queries[i].found, b.Result(i)
			if h.late[i] {
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				var err error
				if alone, err = ix.alone(alone[:0], r, c); err != nil {
					return err
				}
				matches = alone
			}
			if err := yield(Answer{r.ID, r.Empty, matches}); err != nil {
				return err
			}
		}
		return nil
	})
}

// alone appends the matches of a document that has been analysed.
func (ix *Snapshot) alone(dst []Match, r analysis.Result, c Criterion) ([]Match, error) {
	if !c.BySets() {
		return ix.nearest(dst, r.Fingerprint, c)
	}
	return ix.similar(dst, c, r.Set, r.Signature)
}

// nearBatch gathers the matches of each document of a batch that has been analysed.
func (ix *Snapshot) nearBatch(ctx context.Context, b *analysis.Batch, c Criterion, h *held) error {
	var queries []uint64
	var asked []int // the document of each query
	for i := range b.Len() {
		r := b.Result(i)
		if err := checkWidth(ix.Settings(), r.Fingerprint); err != nil {
			return fmt.Errorf("query %s: %w", r.ID, err)
		}
		if !r.Empty {
			queries, asked = append(queries, r.Fingerprint), append(asked, i)
		}
	}
	for i, s := range ix.segments {
		err := s.Tables().NearBatch(queries, c.Distance, func(q int, found []hamming.Match) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			h.near = byDistance(h.near[:0], found)
			return h.add(asked[q], i, s.Groups(), h.near)
		})
		if err != nil {
			return s.InFile(err)
		}
	}
	h.sort()
	return nil
}
