package prefix

import (
	"context"
	"fmt"
)

// A Match is a set that is near a query.
type Match struct {
	Set    uint32
	Shared int // features
	Size   int // of the set
}

// By returns how near the set and a query of size features are by a measure.
func (m Match) By(of Measure, size int) float64 { return of(m.Shared, size, m.Size) }

// Stats count the work of searches.
type Stats struct {
	LookUps    int64 // first features that were looked up
	Entries    int64 // of these lists, or sets that were scanned
	Candidates int64 // sets that were compared
}

// Near appends the sets whose similarity to query is at least t, in (0, 1], and returns the extended
// slice. query is a set of features, strictly ascending. The matches are in no particular order. Near reads
// the lists of the first features if the postings are planned for t, and compares all sets otherwise. It
// allocates only to grow dst. The error is section.ErrCorrupt, or the cause of ctx.
func (s *Sets) Near(ctx context.Context, dst []Match, query []uint64, t float64, stats *Stats) ([]Match, error) {
	if !(t > 0 && t <= 1) {
		return dst, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	if s.pairsOnly {
		return dst, errPairsOnly
	}
	if len(query) == 0 || s.Len() == 0 {
		return dst, nil
	}
	q := s.query(query)
	defer q.end()
	start := len(dst)
	var err error
	if s.Looks(t) {
		dst, err = q.lookUp(dst, t, stats)
	} else {
		dst, err = q.scan(ctx, dst, t, stats)
	}
	if err != nil {
		dst = dst[:start]
	}
	return dst, err
}

// Looks reports whether Near uses postings at similarity t. Otherwise it compares all sets.
func (s *Sets) Looks(t float64) bool { return s.postings.exists() && t >= s.postings.plan.Threshold }

// scan appends the near sets among all.
func (q *query) scan(ctx context.Context, dst []Match, t float64, stats *Stats) ([]Match, error) {
	err := q.each(ctx, func() float64 { return t }, func(m Match) { dst = append(dst, m) })
	if stats != nil {
		stats.Entries += int64(q.sets.Len())
		stats.Candidates += int64(q.sets.Len())
	}
	return dst, err
}

// Each calls do with every set that shares a feature with query and whose similarity is at least least(),
// which may grow. It compares all sets. query is strictly ascending. The error is section.ErrCorrupt, or the
// cause of ctx.
func (s *Sets) Each(ctx context.Context, query []uint64, least func() float64, do func(Match)) error {
	if s.pairsOnly {
		return errPairsOnly
	}
	if len(query) == 0 {
		return nil
	}
	q := s.query(query)
	defer q.end()
	return q.each(ctx, least, do)
}

func (q *query) each(ctx context.Context, least func() float64, do func(Match)) error {
	for i := range uint32(q.sets.Len()) {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m, ok, err := q.compare(i, func(size int) int { return LeastShared(len(q.features), size, least()) })
		if err != nil {
			return err
		}
		if ok {
			do(m)
		}
	}
	return nil
}
