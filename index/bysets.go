package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"simsearch/analysis"
	"simsearch/hamming"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/internal/sorted"
	"simsearch/lsh"
)

// bySets searches by the Jaccard similarity of sets of features.
type bySets struct {
	ix       *Snapshot
	p        Predicate
	verifier *join.Verifier
}

func (b *bySets) one(r *analysis.Result, g *gathering, stats *Stats) error {
	q := setQuery{bySets: b, limit: g.limit, stats: stats}
	return q.each(r, func(i int, s *segment.Segment) error { return g.addAll(b.ix, i, s.Sets().Groups(), q.found) })
}

func (b *bySets) batch(ctx context.Context, batch *analysis.Batch, h *held, stats *Stats) error {
	q := setQuery{bySets: b, limit: h.limit, stats: stats}
	for i := range batch.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := batch.Result(i)
		if err := q.each(&r, func(segment int, s *segment.Segment) error { return h.add(i, segment, s.Sets().Groups(), q.found) }); err != nil {
			return err
		}
	}
	h.sort()
	return nil
}

func (b *bySets) pairs(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	sets, err := segment.NewAllSets(b.ix.segments)
	if err != nil {
		return err
	}
	bands, err := lsh.ChooseWithReserve(b.p.requirements(b.ix.Settings().Positions))
	if err != nil {
		return err
	}
	return join.BySets(ctx, sets, b.verifier, join.Bands{Bands: bands, Threshold: b.p.Threshold}, o, yield)
}

// depth returns how many rows of each band of s are looked up. It is 0 if the bands of s find too
// little.
func (b *bySets) depth(s *segment.Segment) int {
	return s.Bands().Bands().Depth(b.p.Threshold, b.p.Recall)
}

// finish fills in the distances, where there are fingerprints.
func (b *bySets) finish(r *analysis.Result, found []Match) error {
	if !b.ix.Settings().Fingerprints() {
		return nil
	}
	for i := range found {
		m := &found[i]
		fp, ok, err := b.ix.fingerprint(m.Document)
		if err != nil {
			return err
		}
		m.Distance = NoDistance
		if ok && r.HasFingerprint {
			m.Distance = hamming.Distance(fp, r.Fingerprint)
		}
	}
	return nil
}

func (*bySets) empty(r *analysis.Result) bool { return len(r.Set) == 0 }

func (b *bySets) comparesAll(s *segment.Segment) bool { return b.depth(s) == 0 }

func (b *bySets) explain(s *segment.Segment) string {
	bands, depth := s.Bands().Bands(), b.depth(s)
	if depth == 0 {
		return fmt.Sprintf("%v; these find a pair of Jaccard similarity %.2f with probability %.3f at most, less than the recall of %.2f that is wanted, so that a query is compared with all signatures",
			bands, b.p.Threshold, lsh.Bands{Bands: bands.Bands, Rows: 1}.Probability(b.p.Threshold), b.p.Recall)
	}
	return fmt.Sprintf("%v; a query looks up %d of the rows of each: %s", bands, depth, lsh.Bands{Bands: bands.Bands, Rows: depth}.Explain(b.p.Threshold))
}

// A setQuery is a set that is compared with the sets of the index, and the memory for the
// comparisons.
type setQuery struct {
	*bySets
	limit      int
	stats      *Stats
	candidates []uint32
	found      []neighbour // the near sets of the last segment
}

// each sets q.found to the near sets of each segment in turn and then calls do. With a limit
// q.found is sorted, nearest first; otherwise its order is undefined.
func (q *setQuery) each(r *analysis.Result, do func(i int, s *segment.Segment) error) error {
	if r.Given {
		return fmt.Errorf("%w: a fingerprint, as %q, has no features", ErrNoSearch, r.ID)
	}
	if len(r.Set) == 0 {
		return nil
	}
	if q.stats != nil {
		q.stats.Queries++
	}
	for i, s := range q.ix.segments {
		if err := q.near(r, s); err != nil {
			return err
		}
		if err := do(i, s); err != nil {
			return err
		}
	}
	return nil
}

// near sets q.found to the sets of s that are near.
func (q *setQuery) near(r *analysis.Result, s *segment.Segment) error {
	if err := q.find(r.Signature, s); err != nil {
		return err
	}
	q.found = q.found[:0]
	verified := int64(0)
	for _, candidate := range q.candidates {
		signature, err := s.Sets().Signature(candidate)
		if err != nil {
			return err
		}
		j, ok, err := q.verifier.Compare(r.Signature, signature, func() (_, set []uint64, err error) {
			verified++
			set, err = s.Sets().Set(candidate)
			return r.Set, set, err
		})
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
	if q.stats != nil {
		q.stats.Add(Stats{Compared: int64(len(q.candidates)), Candidates: int64(len(q.candidates)), Verified: verified})
	}
	return nil
}

// find sets q.candidates to the candidates among the sets of s.
func (q *setQuery) find(signature []byte, s *segment.Segment) (err error) {
	q.candidates = q.candidates[:0]
	if depth := q.depth(s); depth > 0 {
		q.candidates, err = s.Bands().Candidates(q.candidates, signature, depth)
		if q.stats != nil {
			q.stats.LookUps += int64(s.Bands().Bands().Bands)
		}
		return s.InFile(err)
	}
	if err := s.Sets().CheckSignatures(); err != nil {
		return err
	}
	for i := range uint32(s.Sets().Len()) {
		other, err := s.Sets().Signature(i)
		if err != nil {
			return err
		}
		if _, ok := q.verifier.Estimate(signature, other); ok {
			q.candidates = append(q.candidates, i)
		}
	}
	if q.stats != nil {
		q.stats.Compared += int64(s.Sets().Len())
	}
	return nil
}

// A stored is a set of a segment.
type stored struct {
	sets *segment.Sets
	set  uint32
}

func (s stored) features() ([]uint64, error) { return s.sets.Set(s.set) }

// setOf returns the set of a document; ok is false if it has none.
func (b *bySets) setOf(doc uint32) (of stored, ok bool, err error) {
	s, local := b.ix.locate(doc)
	set, ok, err := s.Sets().Of(local)
	return stored{s.Sets(), set}, ok, err
}

func (b *bySets) areNear(x, y uint32) (bool, error) {
	sx, okX, err := b.setOf(x)
	if err != nil {
		return false, err
	}
	sy, okY, err := b.setOf(y)
	if err != nil || !okX || !okY {
		return false, err
	}
	signatureX, err := sx.sets.Signature(sx.set)
	if err != nil {
		return false, err
	}
	signatureY, err := sy.sets.Signature(sy.set)
	if err != nil {
		return false, err
	}
	_, near, err := b.verifier.Compare(signatureX, signatureY, func() (a, b []uint64, err error) {
		if a, err = sx.features(); err == nil {
			b, err = sy.features()
		}
		return a, b, err
	})
	return near, err
}

func (b *bySets) measure(ctx context.Context, g *Group) (err error) {
	var sets []stored // the distinct ones
	at := map[stored]int{}
	representative := 0
	for _, doc := range g.Documents {
		s, ok, err := b.setOf(doc)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if _, known := at[s]; !known {
			at[s] = len(sets)
			sets = append(sets, s)
		}
		if doc == g.Representative {
			representative = at[s]
		}
	}
	g.Jaccard = 1
	g.Estimated, err = join.Comparisons(ctx, len(sets), representative, func(i, j int) error {
		x, err := sets[i].features()
		if err != nil {
			return err
		}
		y, err := sets[j].features()
		if err != nil {
			return err
		}
		g.Jaccard = min(g.Jaccard, sorted.Jaccard(x, y))
		return nil
	})
	g.Apart = g.Jaccard < b.p.Threshold
	return err
}
