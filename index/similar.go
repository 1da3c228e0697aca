package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"simsearch/analysis"
	"simsearch/internal/join"
	"simsearch/internal/segment"
)

// Similar appends to dst the documents whose sets of features have a Jaccard similarity of at
// least c.Threshold to set, which is strictly ascending as Analysis.Set returns it, ordered by
// falling similarity, then by id, and returns the extended slice: no more than the first c.Limit of
// them, if that is not 0. An empty set is like none.
//
// Where the bands of a segment cannot find enough at the threshold, all signatures are
// compared. The error is ErrCriterion, ErrCorrupt or ErrClosed, with dst as it was.
func (ix *Snapshot) Similar(dst []Match, set []uint64, c Criterion) ([]Match, error) {
	if err := c.Check(ix.Settings()); err != nil || len(set) == 0 {
		return dst, err
	}
	var scratch analysis.Scratch
	signature := ix.analysis.AppendSignature(nil, &scratch, set)
	out := dst
	err := ix.reading(func() (err error) {
		out, err = ix.similar(dst, c, set, signature)
		return err
	})
	if err != nil {
		return dst, err
	}
	return out, nil
}

// ComparesAll reports whether queries by c are compared with all signatures of some segment, since
// its bands find too little at the threshold.
func (ix *Snapshot) ComparesAll(c Criterion) bool {
	return c.BySets() && slices.ContainsFunc(ix.segments, func(s *segment.Segment) bool {
		return s.Bands() != nil && s.Bands().Bands().Depth(c.Threshold, c.Recall) == 0
	})
}

// similarBatch gathers the matches of each document of a batch that has been analysed.
func (ix *Snapshot) similarBatch(ctx context.Context, b *analysis.Batch, c Criterion, h *held) error {
	q := similarQuery{verifier: c.verifier(ix.Settings().Positions), criterion: c}
	for i := range b.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := b.Result(i)
		if r.Given {
			return fmt.Errorf("%w: %s is a fingerprint, and has no features", ErrCriterion, r.ID)
		}
		if q.set, q.signature = r.Set, r.Signature; len(q.set) == 0 {
			continue
		}
		for j, s := range ix.segments {
			if err := q.near(s); err != nil {
				return err
			}
			if err := h.add(i, j, s.Sets().Groups(), q.found); err != nil {
				return err
			}
		}
	}
	h.sort()
	return nil
}

// similar is Similar for a set with its signature.
func (ix *Snapshot) similar(dst []Match, c Criterion, set []uint64, signature []byte) ([]Match, error) {
	q := similarQuery{verifier: c.verifier(len(signature)), criterion: c, set: set, signature: signature}
	g := gathering{limit: c.Limit, found: dst[len(dst):]}
	for i, s := range ix.segments {
		if err := q.near(s); err != nil {
			return dst, err
		}
		if err := g.addAll(ix, i, s.Sets().Groups(), q.found); err != nil {
			return dst, err
		}
	}
	return g.appendTo(dst), nil
}

// A similarQuery is a set to be compared with those of the index.
type similarQuery struct {
	verifier   *join.Verifier
	criterion  Criterion
	set        []uint64
	signature  []byte
	candidates []uint32
	found      []neighbour // the sets that are near
}

// near finds the sets of a segment that are near, in any order or, where there is a limit, nearest
// first.
func (q *similarQuery) near(s *segment.Segment) error {
	if err := q.find(s); err != nil {
		return err
	}
	q.found = q.found[:0]
	for _, candidate := range q.candidates {
		j, ok, err := join.Compare(q.verifier, asked{q.signature, q.set}, stored{s.Sets(), candidate})
		if err != nil {
			return err
		}
		if ok {
			q.found = append(q.found, neighbour{group: candidate, jaccard: j})
		}
	}
	if q.criterion.Limit > 0 {
		slices.SortFunc(q.found, func(a, b neighbour) int { return cmp.Compare(b.jaccard, a.jaccard) })
	}
	return nil
}

// find sets the candidates among the sets of a segment.
func (q *similarQuery) find(s *segment.Segment) (err error) {
	q.candidates = q.candidates[:0]
	depth := s.Bands().Bands().Depth(q.criterion.Threshold, q.criterion.Recall)
	if depth > 0 {
		q.candidates, err = s.Bands().Candidates(q.candidates, q.signature, depth)
		return s.InFile(err)
	}
	if err := s.Sets().CheckSignatures(); err != nil {
		return err
	}
	for i := range uint32(s.Sets().Len()) {
		signature, err := s.Sets().Signature(i)
		if err != nil {
			return err
		}
		if _, ok := q.verifier.Estimate(q.signature, signature); ok {
			q.candidates = append(q.candidates, i)
		}
	}
	return nil
}

// asked is the set of a query as an operand of a comparison.
type asked struct {
	signature []byte
	set       []uint64
}

func (a asked) Signature() ([]byte, error) { return a.signature, nil }
func (a asked) Set() ([]uint64, error)     { return a.set, nil }

// stored is a set of a segment as an operand of a comparison.
type stored struct {
	sets *segment.Sets
	set  uint32
}

func (s stored) Signature() ([]byte, error) { return s.sets.Signature(s.set) }
func (s stored) Set() ([]uint64, error)     { return s.sets.Set(s.set) }
