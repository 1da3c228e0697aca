package prefix

import (
	"context"

	"simsearch/internal/parallel"
)

// Touching reports for each of others, which are distinct numbers less than Len(), whether one of among, which are other
// ones, has a similarity of at least t, in (0, 1], with it. Only among are indexed, so that it costs little if they
// are few. It takes what Stars takes of them, and 8 bytes for each of others. The error is section.ErrCorrupt, or the
// cause of ctx.
func (s *Sets) Touching(ctx context.Context, t float64, among, others []uint32, threads int) ([]bool, error) {
	st, err := s.newStars(ctx, t, among)
	if err != nil {
		return nil, err
	}
	st.first = len(among)
	q := st.search()
	for place := range uint32(len(among)) {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := st.settle(q, place, 0, &nearest{}); err != nil {
			return nil, err
		}
	}
	s.searches.Put(q)
	// The others have places behind the centers.
	p := st.places
	p.order = append(append([]uint32(nil), among...), others...)
	for i, set := range others {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d, err := s.decoder(set)
		if err != nil {
			return nil, err
		}
		p.sizes, p.ranked = append(p.sizes, uint32(d.features)), append(p.ranked, uint32(d.ranks))
	}
	touching := make([]bool, len(others))
	work := func(ctx context.Context, task int) (stats PairStats, err error) {
		q := st.search()
		defer s.searches.Put(q)
		for i := task * starTask; i < min(len(others), (task+1)*starTask); i++ {
			if ctx.Err() != nil {
				return stats, context.Cause(ctx)
			}
			var best nearest
			if err := st.look(q, uint32(len(among)+i), 0, &best, &stats); err != nil {
				return stats, err
			}
			touching[i] = best.found
		}
		return stats, nil
	}
	err = parallel.Ordered(ctx, threads, (len(others)+starTask-1)/starTask, work, func(PairStats) error { return nil })
	return touching, err
}
