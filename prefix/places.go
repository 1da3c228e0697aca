package prefix

import "context"

// Lengths are those of the prefixes in which sets of a similarity of t share features.
type lengths struct{ t float64 }

// short returns how many first features of a set of n features must be indexed to find it by sets of at
// least n features. probed returns how many first features of a set of n must be looked up to find sets of
// at most n features.
func (l lengths) short(n, common int) int { return prefixLength(n, LeastShared(n, n, l.t), common) }

func (l lengths) probed(n, common int) int { return prefixLength(n, LeastSize(n, l.t), common) }

// mostUnshared returns how many features belong to one alone of two similar sets, at most, of which the larger one has n. It
// may return one more.
func (l lengths) mostUnshared(n int) int { return int(float64(n)*(2*(1-l.t)/(1+l.t))) + 1 }

// Places are sets in some order, which are compared with those before them. A place is the number of a set
// in the order.
type places struct {
	lengths
	sets   *Sets
	common int      // how many first features a candidate shares
	order  []uint32 // the set at each place
	sizes  []uint32 // of these sets
	ranked []uint32 // how many features of each have a rank: no more of them are shared
}

// newPlaces returns the places of some sets. It keeps order.
func newPlaces(ctx context.Context, s *Sets, order []uint32, t float64) (*places, error) {
	p := &places{lengths: lengths{t}, sets: s, common: 1, order: order, sizes: make([]uint32, len(order)), ranked: make([]uint32, len(order))}
	for place, set := range order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d, err := s.decoder(set)
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
		first += max(0, min(p.probed(int(size), MaxCommon)-(int(size)-ranked), ranked))
	}
	every := uint32(first/mostSampled) + 1
	var sample inPrefixes
	for place, set := range p.order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d, err := p.sets.decoder(set)
		if err != nil {
			return err
		}
		looked, listed := p.probed(d.Features, 0), p.short(d.Features, 0)
		for at, last := d.Alone, p.probed(d.Features, MaxCommon); at < last && d.Ranks > 0; at++ {
			r, err := d.Rank()
			if err != nil {
				return p.sets.bad(set, err)
			}
			if r%every == 0 {
				sample.add(uint64(r), at-looked, at-listed)
			}
		}
	}
	p.common = sample.choose(costly, 0, int(every), len(p.order))
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
			d, err := p.sets.decoder(p.order[place])
			if err != nil {
				return err
			}
			for left := min(length(d.Features)-d.Alone, d.Ranks); left > 0; left-- {
				r, err := d.Rank()
				if err != nil {
					return p.sets.bad(p.order[place], err)
				}
				do(r)
			}
		}
		return nil
	}
}

// search returns a search of these sets.
func (p *places) search() *search {
	q, _ := p.sets.searches.Get().(*search)
	if q == nil {
		q = &search{}
	}
	q.grow(len(p.order))
	q.marks.Grow(p.sets.ranks)
	q.sets, q.stats = p.sets, PairStats{}
	return q
}
