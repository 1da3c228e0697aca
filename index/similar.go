package index

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"simsearch/internal/sorted"
)

// Similar appends to dst the documents whose sets of features have a Jaccard similarity of at
// least c.Threshold to set, which is strictly ascending as Analysis.Set returns it, ordered by
// falling similarity, then by id, and returns the extended slice. An empty set is like none.
//
// Where the bands of a segment cannot find enough at the threshold, all signatures are
// compared. The error is ErrCriterion or ErrCorrupt, with dst as it was.
func (ix *Index) Similar(dst []Match, set []uint64, c Criterion) ([]Match, error) {
	if err := c.Check(ix.Settings()); err != nil || len(set) == 0 {
		return dst, err
	}
	var scratch Scratch
	signature := ix.analysis.AppendSignature(nil, &scratch, set)
	return ix.similar(dst, &similarQuery{newVerifier(c, len(signature)), c.Recall, set, signature, nil})
}

// ComparesAll reports whether queries by c are compared with all signatures of some segment, since
// its bands find too little at the threshold.
func (ix *Index) ComparesAll(c Criterion) bool {
	return c.BySets() && slices.ContainsFunc(ix.segments, func(s *segment) bool {
		return s.sets != nil && s.sets.bands.Bands().Depth(c.Threshold, c.Recall) == 0
	})
}

// similarBatch returns the matches of each document of a batch that has been analysed.
func (ix *Index) similarBatch(b *batch, c Criterion) ([][]Match, error) {
	matches := make([][]Match, len(b.docs))
	q := similarQuery{verifier: newVerifier(c, ix.Settings().Perms), recall: c.Recall}
	for i := range b.docs {
		d := &b.docs[i]
		if d.ready {
			return nil, fmt.Errorf("%w: %s is a fingerprint, and has no features", ErrCriterion, b.id(i))
		}
		if q.set, q.signature = b.set(d, ix.Settings().Perms); len(q.set) == 0 {
			continue
		}
		var err error
		if matches[i], err = ix.similar(nil, &q); err != nil {
			return nil, err
		}
	}
	return matches, nil
}

// A similarQuery is a set to be compared with those of the index.
type similarQuery struct {
	*verifier
	recall     float64
	set        []uint64
	signature  []byte
	candidates []uint32
}

func (ix *Index) similar(dst []Match, q *similarQuery) ([]Match, error) {
	start := len(dst)
	for i, s := range ix.segments {
		if err := q.find(s.sets); err != nil {
			return dst[:start], fileError(s.path, err)
		}
		for _, candidate := range q.candidates {
			j, ok, err := q.compare(s.sets, candidate)
			if err != nil {
				return dst[:start], err
			}
			if !ok {
				continue
			}
			if dst, err = ix.withSet(dst, i, candidate, j); err != nil {
				return dst[:start], err
			}
		}
	}
	slices.SortFunc(dst[start:], func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Jaccard, a.Jaccard), bytes.Compare(a.ID, b.ID))
	})
	return dst, nil
}

// find sets the candidates among sets.
func (q *similarQuery) find(s *sets) (err error) {
	depth := s.bands.Bands().Depth(q.threshold, q.recall)
	if depth > 0 {
		q.candidates, err = s.bands.Candidates(q.candidates[:0], q.signature, depth)
		return err
	}
	q.candidates = q.candidates[:0]
	for i := range uint32(s.len()) {
		// Where nothing is verified later, only those that seem similar are candidates.
		if j, ok := q.estimate(q.signature, s.signature(i)); ok && (q.how != Unverified || j >= q.threshold) {
			q.candidates = append(q.candidates, i)
		}
	}
	return nil
}

// compare returns the similarity of a candidate, and whether it is near.
func (q *similarQuery) compare(s *sets, candidate uint32) (float64, bool, error) {
	j, ok := q.estimate(q.signature, s.signature(candidate))
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

// withSet appends the documents of a set of segment i.
func (ix *Index) withSet(dst []Match, i int, set uint32, similarity float64) ([]Match, error) {
	s := ix.segments[i]
	members, err := s.groupMembers(&s.sets.groups, set)
	if err != nil {
		return dst, err
	}
	for _, doc := range members {
		id, err := s.id(doc)
		if err != nil {
			return dst, err
		}
		dst = append(dst, Match{Document: ix.starts[i] + doc, ID: id, Jaccard: similarity})
	}
	return dst, nil
}
