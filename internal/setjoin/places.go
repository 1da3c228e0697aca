package setjoin

import (
	"context"
	"sync"

	"simsearch/prefix"
)

// Places are sets in some order, which are compared with those before them. A place is the number of a set
// in the order.
type places struct {
	prefix.Lengths
	searches sync.Pool // of *search
	sets     *prefix.Sets
	common   int      // how many first features a candidate shares
	order    []uint32 // the set at each place
	sizes    []uint32 // of these sets
	ranked   []uint32 // how many features of each have a rank: no more of them are shared
}

// newPlaces returns the places of some sets. It keeps order.
func newPlaces(ctx context.Context, s *prefix.Sets, order []uint32, t float64) (*places, error) {
	p := &places{Lengths: prefix.Lengths{T: t}, sets: s, common: 1, order: order, sizes: make([]uint32, len(order)), ranked: make([]uint32, len(order))}
	for place, set := range order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d, err := s.Decoder(set)
		if err != nil {
			return nil, err
		}
		p.sizes[place], p.ranked[place] = uint32(d.Features), uint32(d.Ranks)
	}
	return p, nil
}

// costly is by how many times the entries that are read for stars may grow by longer prefixes, which leave fewer
// candidates to compare.
const costly = 2.5

// chooseCommon sets p.common. It counts how often some ranks would be listed and looked up, if all sets were listed.
func (p *places) chooseCommon(ctx context.Context) error {
	first := 0 // ranks of the longest prefixes
	for place, size := range p.sizes {
		ranked := int(p.ranked[place])
		first += max(0, min(p.Probed(int(size), prefix.MaxCommon)-(int(size)-ranked), ranked))
	}
	every := uint32(first/prefix.MostSampled) + 1
	var sample prefix.CommonSample
	for place, set := range p.order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d, err := p.sets.Decoder(set)
		if err != nil {
			return err
		}
		looked, listed := p.Probed(d.Features, 0), p.Short(d.Features, 0)
		for at, last := d.Alone, p.Probed(d.Features, prefix.MaxCommon); at < last && d.Ranks > 0; at++ {
			r, err := d.Rank()
			if err != nil {
				return p.sets.Bad(set, err)
			}
			if r%every == 0 {
				sample.Add(uint64(r), at-looked, at-listed)
			}
		}
	}
	p.common = sample.Choose(costly, 0, int(every), len(p.order))
	return nil
}

// firstRanks returns a function that yields the ranks among the first features of the sets at places [from, to), as many as length
// says of a set of n.
func (p *places) firstRanks(ctx context.Context, from, to int, length func(n int) int) func(do func(rank uint32)) error {
	return func(do func(rank uint32)) error {
		for place := from; place < to; place++ {
			if place%lookEvery == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			d, err := p.sets.Decoder(p.order[place])
			if err != nil {
				return err
			}
			for left := min(length(d.Features)-d.Alone, d.Ranks); left > 0; left-- {
				r, err := d.Rank()
				if err != nil {
					return p.sets.Bad(p.order[place], err)
				}
				do(r)
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
