package prefix

import (
	"context"

	"simsearch/internal/radix"
)

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

// newPlaces returns the places of some sets. It keeps order, and chooses common.
func newPlaces(ctx context.Context, s *Sets, order []uint32, t float64) (*places, error) {
	p := &places{lengths: lengths{t}, sets: s, common: 1, order: order, sizes: make([]uint32, len(order)), ranked: make([]uint32, len(order))}
	first := uint64(0) // ranks of the longest prefixes
	for place, set := range order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d, err := s.decoder(set)
		if err != nil {
			return nil, err
		}
		p.sizes[place], p.ranked[place] = uint32(d.features), uint32(d.ranks)
		first += uint64(max(0, min(p.probed(d.features, MaxCommon)-d.alone, d.ranks)))
	}
	return p, p.chooseCommon(ctx, first)
}

// costly is by how many times the entries that a join reads may grow by longer prefixes, which leave fewer
// candidates to compare.
const costly = 2.5

// mostSampled is about how many first ranks choose common. They are those of some ranks, in all sets. The mostFrequent ranks,
// on which nearly all of the work may be, are counted whole.
const mostSampled, mostFrequent = 1 << 18, 1 << 12

// inPrefixes counts the sets that have a rank in their prefixes, by the step of commons from which on they have it.
type inPrefixes struct{ looked, indexed [numCommons + 1]int }

// addWork adds the entries that are read for a rank to work, some times.
func (n *inPrefixes) addWork(work *[numCommons]float64, times float64) {
	looked, indexed := 0, 0
	for c := range work {
		looked, indexed = looked+n.looked[c], indexed+n.indexed[c]
		work[c] += float64(looked) * float64(indexed) * times
	}
}

// chooseCommon sets p.common to the most first features, up to MaxCommon, that do not make the lists costly.
// It counts how often each rank would be indexed and looked up, if all sets were indexed. first is how many
// ranks the longest prefixes have.
func (p *places) chooseCommon(ctx context.Context, first uint64) error {
	every := uint32(first/mostSampled) + 1
	from := uint32(max(0, p.sets.ranks-mostFrequent)) // the frequent ranks
	frequent := make([]inPrefixes, uint32(p.sets.ranks)-from)
	// The steps of commons from which on a rank is looked up and indexed, eight bits each, and the rank.
	var keys []uint64
	for place, set := range p.order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d, err := p.sets.decoder(set)
		if err != nil {
			return err
		}
		looked, indexed := p.probed(d.features, 0), p.short(d.features, 0)
		for at, last := d.alone, p.probed(d.features, MaxCommon); at < last && d.ranks > 0; at++ {
			r, err := d.next()
			if err != nil {
				return p.sets.bad(set, err)
			}
			switch {
			case r >= from:
				n := &frequent[r-from]
				n.looked[step(at-looked)]++
				n.indexed[step(at-indexed)]++
			case r%every == 0:
				keys = append(keys, uint64(r)<<16|step(at-looked)<<8|step(at-indexed))
			}
		}
	}
	radix.Sort(keys, make([]uint64, len(keys)))
	var read [numCommons]float64 // entries that are read
	for lo := 0; lo < len(keys); {
		var n inPrefixes
		hi := lo
		for ; hi < len(keys) && keys[hi]>>16 == keys[lo]>>16; hi++ {
			n.looked[keys[hi]>>8&0xff]++
			n.indexed[keys[hi]&0xff]++
		}
		lo = hi
		n.addWork(&read, float64(every))
	}
	for i := range frequent {
		frequent[i].addWork(&read, 1)
	}
	for c, common := range commons {
		if read[c] > costly*read[0]+float64(len(p.order)) {
			break
		}
		p.common = common
	}
	return nil
}

// step returns the least step of commons by which a feature is in a prefix, if the prefix for no common
// feature ends as many features before it.
func step(after int) uint64 {
	c := 0
	for c < numCommons && commons[c] <= after {
		c++
	}
	return uint64(c)
}

// eachFirst returns a function that yields the first ranks of all sets, as far as length says, by ascending places.
func (p *places) eachFirst(ctx context.Context, length func(n, common int) int) func(do func(place, rank uint32)) error {
	return func(do func(place, rank uint32)) error {
		for place, set := range p.order {
			if place%lookEvery == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			d, err := p.sets.decoder(set)
			if err != nil {
				return err
			}
			for left := min(length(d.features, p.common)-d.alone, d.ranks); left > 0; left-- {
				r, err := d.next()
				if err != nil {
					return p.sets.bad(set, err)
				}
				do(uint32(place), r)
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
	q.marks.grow(p.sets.ranks)
	q.sets = p.sets
	return q
}
