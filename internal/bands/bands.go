// Package bands searches for similar sets of a segment by the bands of their signatures.
package bands

import (
	"context"
	"fmt"

	"simsearch/internal/gather"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/lsh"
)

// A Search is for sets of a similarity of at least Threshold, of which a share of Recall at least is to be
// found, or, if Bands is not zero, those that these bands find. Bands are within those of all segments.
type Search struct {
	Threshold, Recall float64
	Bands             lsh.Bands
	Verifier          *join.Verifier
}

// Depth returns how many rows of each band of s are looked up. It is 0 if the bands of s find too
// little.
func (b *Search) Depth(s *segment.Segment) int { return b.lookedUp(s).Rows }

// lookedUp returns the bands of s, and the rows of them, that are looked up.
func (b *Search) lookedUp(s *segment.Segment) lsh.Bands {
	if b.Bands != (lsh.Bands{}) {
		return b.Bands
	}
	has := s.Bands().Bands()
	return lsh.Bands{Bands: has.Bands, Rows: has.Depth(b.Threshold, b.Recall)}
}

// Explain says how a query is answered in s.
func (b *Search) Explain(s *segment.Segment) string {
	bands, lookedUp := s.Bands().Bands(), b.lookedUp(s)
	depth := lookedUp.Rows
	if depth == 0 {
		return fmt.Sprintf("%v; these find a pair of Jaccard similarity %.2f with probability %.3f at most, less than the recall of %.2f that is wanted, so that a query is compared with all signatures",
			bands, b.Threshold, lsh.Bands{Bands: bands.Bands, Rows: 1}.Probability(b.Threshold), b.Recall)
	}
	of := "each"
	if lookedUp.Bands < bands.Bands {
		of = fmt.Sprintf("the first %d", lookedUp.Bands)
	}
	return fmt.Sprintf("%v; a query looks up %d of the rows of %s: %s", bands, depth, of, lookedUp.Explain(b.Threshold))
}

// A Query looks for sets, and has the memory for it.
type Query struct {
	*Search
	// Found is the similar sets that Near has found, in no certain order.
	Found []gather.Group
	// LookUps is how many bands Near has looked up, Compared how many signatures it has compared, Candidates
	// how many sets it has taken for candidates, and Verified how many of these it has compared.
	LookUps, Compared, Candidates, Verified int64

	candidates []uint32
	set        []uint64 // of a candidate
}

// checkEvery is how many sets are compared before the context is looked at again.
const checkEvery = 1 << 12

// Near sets q.Found to the sets of s that are similar to one with a signature and features, and counts its
// work anew. The features are strictly ascending. The error is section.ErrCorrupt, or the cause of ctx.
func (q *Query) Near(ctx context.Context, s *segment.Segment, signature []byte, features []uint64) error {
	q.LookUps, q.Compared, q.Verified = 0, 0, 0
	if err := q.find(ctx, signature, s); err != nil {
		return err
	}
	q.Found = q.Found[:0]
	for i, candidate := range q.candidates {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		other, err := s.Sets().Signature(candidate)
		if err != nil {
			return err
		}
		j, ok, err := q.Verifier.Compare(signature, other, func() (_, _ []uint64, err error) {
			q.Verified++
			q.set, err = s.Sets().AppendSet(q.set[:0], candidate)
			return features, q.set, err
		})
		if err != nil {
			return err
		}
		if ok {
			q.Found = append(q.Found, gather.Group{Number: candidate, Measures: join.Measures{Jaccard: j}})
		}
	}
	q.Candidates = int64(len(q.candidates))
	q.Compared += q.Candidates
	return nil
}

// find sets q.candidates to the candidates among the sets of s.
func (q *Query) find(ctx context.Context, signature []byte, s *segment.Segment) (err error) {
	q.candidates = q.candidates[:0]
	if bands := q.lookedUp(s); bands.Rows > 0 {
		q.candidates, err = s.Bands().Candidates(q.candidates, signature, bands)
		q.LookUps = int64(bands.Bands)
		return s.InFile(err)
	}
	if err := s.Sets().CheckSignatures(); err != nil {
		return err
	}
	for i := range uint32(s.Sets().Len()) {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		other, err := s.Sets().Signature(i)
		if err != nil {
			return err
		}
		if _, ok := q.Verifier.Estimate(signature, other); ok {
			q.candidates = append(q.candidates, i)
		}
	}
	q.Compared = int64(s.Sets().Len())
	return nil
}
