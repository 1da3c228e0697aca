package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"simsearch/analysis"
	"simsearch/internal/sorted"
)

// Similar appends to dst the documents whose sets of features have a Jaccard similarity of at
// least c.Threshold to set, which is strictly ascending as Analysis.Set returns it, ordered by
// falling similarity, then by id, and returns the extended slice: no more than the first c.Limit of
// them, if that is not 0. An empty set is like none.
//
// Where the bands of a segment cannot find enough at the threshold, all signatures are
// compared. The error is ErrCriterion, ErrCorrupt or ErrClosed, with dst as it was.
func (ix *Index) Similar(dst []Match, set []uint64, c Criterion) ([]Match, error) {
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
func (ix *Index) ComparesAll(c Criterion) bool {
	return c.BySets() && slices.ContainsFunc(ix.segments, func(s *segment) bool {
		return s.sets != nil && s.sets.bands.Bands().Depth(c.Threshold, c.Recall) == 0
	})
}

// similarBatch gathers the matches of each document of a batch that has been analysed.
func (ix *Index) similarBatch(ctx context.Context, b *analysis.Batch, c Criterion, h *held) error {
	q := similarQuery{verifier: newVerifier(c, ix.Settings().Positions), recall: c.Recall, limit: c.Limit}
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
			if err := h.add(i, j, &s.sets.groups, q.found); err != nil {
				return err
			}
		}
	}
	h.sort()
	return nil
}

// similar is Similar for a set with its signature.
func (ix *Index) similar(dst []Match, c Criterion, set []uint64, signature []byte) ([]Match, error) {
	q := similarQuery{verifier: newVerifier(c, len(signature)), recall: c.Recall, limit: c.Limit, set: set, signature: signature}
	g := gathering{limit: c.Limit, found: dst[len(dst):]}
	for i, s := range ix.segments {
		if err := q.near(s); err != nil {
			return dst, err
		}
		if err := g.addAll(ix, i, &s.sets.groups, q.found); err != nil {
			return dst, err
		}
	}
	return g.appendTo(dst), nil
}

// A similarQuery is a set to be compared with those of the index.
type similarQuery struct {
	*verifier
	recall     float64
	limit      int
	set        []uint64
	signature  []byte
	candidates []uint32
	found      []neighbour // the sets that are near
}

// near finds the sets of a segment that are near, in whatever order or, where there is a limit,
// nearest first.
func (q *similarQuery) near(s *segment) error {
	if err := q.find(s.sets); err != nil {
		return fileError(s.path, err)
	}
	q.found = q.found[:0]
	for _, candidate := range q.candidates {
		j, ok, err := q.compare(s.sets, candidate)
		if err != nil {
			return err
		}
		if ok {
			q.found = append(q.found, neighbour{group: candidate, jaccard: j})
		}
	}
	if q.limit > 0 {
		slices.SortFunc(q.found, func(a, b neighbour) int { return cmp.Compare(b.jaccard, a.jaccard) })
	}
	return nil
}

// find sets the candidates among sets.
func (q *similarQuery) find(s *sets) (err error) {
	depth := s.bands.Bands().Depth(q.threshold, q.recall)
	if depth > 0 {
		q.candidates, err = s.bands.Candidates(q.candidates[:0], q.signature, depth)
		return err
	}
	q.candidates = q.candidates[:0]
	if err := s.signatures.Guard.CheckAll(); err != nil {
		return err
	}
	for i := range uint32(s.len()) {
		signature, err := s.signature(i)
		if err != nil {
			return err
		}
		// Where nothing is verified later, only those that seem similar are candidates.
		if j, ok := q.estimate(q.signature, signature); ok && (q.how != Unverified || j >= q.threshold) {
			q.candidates = append(q.candidates, i)
		}
	}
	return nil
}

// compare returns the similarity of a candidate, and whether it is near.
func (q *similarQuery) compare(s *sets, candidate uint32) (float64, bool, error) {
	signature, err := s.signature(candidate)
	if err != nil {
		return 0, false, err
	}
	j, ok := q.estimate(q.signature, signature)
	if !ok || q.how != Exact {
		return j, ok, nil
	}
	set, err := s.set(candidate)
	if err != nil || !q.couldBe(len(q.set), len(set)) {
		return 0, false, err
	}
	j = sorted.Jaccard(q.set, set)
	return j, j >= q.threshold, nil
}
