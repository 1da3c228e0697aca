package prefix

import (
	"context"
	"encoding/binary"
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
// allocates only to grow dst. The error is the cause of ctx.
func (s *Sets) Near(ctx context.Context, dst []Match, query []uint64, t float64, stats *Stats) ([]Match, error) {
	if !(t > 0 && t <= 1) {
		return dst, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	if len(query) == 0 || s.Len() == 0 {
		return dst, nil
	}
	q := s.query(query)
	defer q.end()
	start := len(dst)
	var err error
	if s.Looks(t) {
		dst = q.lookUp(dst, t, stats)
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
// which may grow. It compares all sets. query is strictly ascending. The error is the
// cause of ctx.
func (s *Sets) Each(ctx context.Context, query []uint64, least func() float64, do func(Match)) error {
	if len(query) == 0 {
		return nil
	}
	q := s.query(query)
	defer q.end()
	return q.each(ctx, least, do)
}

// each is the body of Each. It marks the ranks of the query's features, so that a set is compared by the ranks of its
// code.
func (q *query) each(ctx context.Context, least func() float64, do func(Match)) error {
	ranked := q.mark()
	defer clear(q.ranks)
	for i := range uint32(q.sets.Len()) {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m, ok := q.compareRanks(i, len(q.features)-ranked, least())
		if ok {
			do(m)
		}
	}
	return nil
}

// mark marks the ranks of the query's features, and returns how many have one. It looks up every feature of the
// vocabulary among those of the query, since there is no way from a feature to its rank.
func (q *query) mark() (ranked int) {
	features := q.sets.features.Range(0, uint64(q.sets.features.Len()))
	q.probe.make(q.features)
	q.ranks.Grow(len(features))
	for rank, f := range features {
		if q.probe.has(f) > 0 {
			q.ranks.Mark([]uint32{uint32(rank)})
			ranked++
		}
	}
	return ranked
}

// compareRanks is compare by the marks of the query's ranks; of its other features there are the given number.
func (q *query) compareRanks(set uint32, others int, least float64) (m Match, ok bool) {
	d := q.sets.Decoder(set)
	m = Match{Set: set, Size: d.Features}
	wanted := LeastShared(len(q.features), m.Size, least)
	others = min(others, d.Alone)
	if wanted > min(len(q.features), d.Ranks+others) {
		return m, false
	}
	var err error
	if m.Shared, err = q.ranks.Shared(&d, NoRank, NoRank, wanted-others); err != nil {
		panic(q.sets.Bad(set, err))
	}
	if others == 0 || m.Shared+others < wanted {
		return m, m.Shared >= wanted
	}
	singles, err := d.Singles()
	if err != nil {
		panic(q.sets.Bad(set, err))
	}
	for ; len(singles) >= 8; singles = singles[8:] {
		m.Shared += q.probe.has(binary.LittleEndian.Uint64(singles))
	}
	return m, m.Shared >= wanted
}
