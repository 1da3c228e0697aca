package setjoin

import (
	"context"
	"sync"

	"simsearch/internal/match/prefix"
)

// Places are sets in some order, which are compared with those before them. A place is the number of a set
// in the order.
type places struct {
	prefix.Lengths
	searches sync.Pool // of *search
	sets     *prefix.Sets
	order    []uint32 // the set at each place
	sizes    []uint32 // of these sets
	ranked   []uint32 // how many features of each have a rank: no more of them are shared
}

// newPlaces returns the places of some sets. It keeps order.
func newPlaces(ctx context.Context, s *prefix.Sets, order []uint32, t float64) (*places, error) {
	p := &places{Lengths: prefix.Lengths{T: t}, sets: s, order: order, sizes: make([]uint32, len(order)), ranked: make([]uint32, len(order))}
	for place, set := range order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d := s.Decoder(set)
		p.sizes[place], p.ranked[place] = uint32(d.Features), uint32(d.Ranks)
	}
	return p, nil
}

// firstRanks returns a function that yields the first ranks of the sets at places [from, to), each with the place: of a set of n
// features, as many as length says, but those of them that have no rank.
func (p *places) firstRanks(ctx context.Context, from, to int, length func(place uint32, n int) int) func(do func(rank, place uint32)) error {
	return func(do func(rank, place uint32)) error {
		for place := from; place < to; place++ {
			if place%lookEvery == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			most := length(uint32(place), int(p.sizes[place]))
			if most == 0 {
				continue
			}
			d := p.sets.Decoder(p.order[place])
			for left := min(most-d.Alone, d.Ranks); left > 0; left-- {
				r, err := d.Rank()
				if err != nil {
					return p.sets.Bad(p.order[place], err)
				}
				do(r, uint32(place))
			}
		}
		return nil
	}
}

// search returns a search of these sets.
func (p *places) search() *search {
	q, _ := p.searches.Get().(*search)
	if q == nil {
		q = &search{}
	}
	q.Grow(len(p.order))
	q.marks.Grow(p.sets.Ranks())
	q.sets, q.stats = p.sets, Stats{}
	return q
}
