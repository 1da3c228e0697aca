package prefix

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/parallel"
)

// StarsContained is Stars with a second reason to belong to a center: a set belongs to a center of no fewer features
// that has a share of at least c, in (0, 1], of its own. If several centers have a similarity of at least t with it, it
// belongs to one of these, as Stars says. Otherwise it belongs to the last of the centers that have its share, which has
// the fewest features, unless all of them are among the first sets.
//
// What contains a set must come before it: behind the first sets, order must be descending by the numbers of features,
// or it is an error.
//
// A set that shares enough with a center shares some of its own rarest features with it, wherever they are in the
// order of the features of the center. So centers are listed by all their features, but only by those that are among
// the rarest ones of some set. The last ones are looked at first, so that a crowd that contains a set is not
// compared with it as a whole. StarsContained takes 24 bytes a set, 16 bytes for each such feature, four for each set
// that has it, and for each thread a byte a set and a bit a rank. The error is otherwise that of Stars.
func (s *Sets) StarsContained(ctx context.Context, t, c float64, order []uint32, first int, o PairOptions) ([]Star, error) {
	if !(t > 0 && t <= 1 && c > 0 && c <= 1) {
		return nil, fmt.Errorf("a similarity of %v and a share of %v: want more than 0 and at most 1", t, c)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	a := &absorbing{sets: s, t: t, c: c, order: order, first: first, of: make([]Star, s.Len()), free: make(chan *absorber, max(1, o.Threads))}
	for i := range a.of {
		a.of[i].Center = NoStar
	}
	if err := a.measure(ctx); err != nil {
		return nil, err
	}
	if err := a.makeLists(ctx); err != nil {
		return nil, err
	}
	for from := 0; from < len(order); from += starBlock {
		to := min(len(order), from+starBlock)
		if err := a.block(ctx, from, to, o.Threads); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(to, len(order))
		}
	}
	if o.Stats != nil {
		*o.Stats = a.stats()
	}
	return a.of, nil
}

// mostCommon is how many of its rarest features a set must share with a candidate, if it has so many.
const mostCommon = 3

// Absorbing are the centers that are known, listed by the features by which others look for them.
type absorbing struct {
	sets    *Sets
	t, c    float64
	order   []uint32
	first   int
	sizes   []uint32 // of the sets in order
	of      []Star
	centers []uint32 // places in order

	looked rankSet  // the ranks that have a list
	starts []uint64 // where each list starts
	ends   []uint64 // of what each list has now
	lists  []uint32 // numbers of centers, ascending in each list

	free chan *absorber
}

// measure sets the sizes, and checks their order.
func (a *absorbing) measure(ctx context.Context) error {
	a.sizes = make([]uint32, len(a.order))
	for place, set := range a.order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		size, err := a.sets.Size(set)
		if err != nil {
			return err
		}
		a.sizes[place] = uint32(size)
		if place > a.first && a.sizes[place-1] < a.sizes[place] {
			return errors.New("prefix: a larger set behind a smaller one")
		}
	}
	return nil
}

// least returns how many features a set of n shares at least with the center that it belongs to.
func (a *absorbing) least(n int) int {
	near := LeastShared(n, n, a.t)
	if a.first > 0 { // which may be smaller
		near = LeastSize(n, a.t)
	}
	return min(near, LeastSize(n, a.c))
}

// rarest calls do with those of the rarest ranks of the set at a place of which its center has common ones at least.
// It returns the decoder behind them.
func (a *absorbing) rarest(place int, do func(rank uint32)) (d decoder, common int, err error) {
	set := a.order[place]
	if d, err = a.sets.decoder(set); err != nil {
		return d, 0, err
	}
	least := a.least(d.features)
	common = min(mostCommon, least)
	for at, last := d.alone, prefixLength(d.features, least, common); at < last && d.ranks > 0; at++ {
		r, err := d.next()
		if err != nil {
			return d, 0, a.sets.bad(set, err)
		}
		do(r)
	}
	return d, common, nil
}

// each calls do with all ranks of the set at a place.
func (a *absorbing) each(place int, do func(rank uint32)) error {
	set := a.order[place]
	d, err := a.sets.decoder(set)
	if err != nil {
		return err
	}
	for d.ranks > 0 {
		r, err := d.next()
		if err != nil {
			return a.sets.bad(set, err)
		}
		do(r)
	}
	return nil
}

// makeLists makes empty lists for all ranks that are looked up, with room for all sets.
func (a *absorbing) makeLists(ctx context.Context) error {
	a.looked = newRankSet(a.sets.ranks)
	for place := a.first; place < len(a.order); place++ {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, _, err := a.rarest(place, a.looked.set); err != nil {
			return err
		}
	}
	a.starts = make([]uint64, a.looked.index()+1)
	for place := range a.order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := a.each(place, func(rank uint32) {
			if i, ok := a.looked.at(rank); ok {
				a.starts[i+1]++
			}
		})
		if err != nil {
			return err
		}
	}
	for i := 1; i < len(a.starts); i++ {
		a.starts[i] += a.starts[i-1]
	}
	last := len(a.starts) - 1
	a.lists = make([]uint32, a.starts[last])
	a.ends = append([]uint64{}, a.starts[:last]...)
	return nil
}

// A holder is the best center that is known of a set.
type holder struct {
	center uint32 // its number
	shared int
	size   int
	near   bool // by its similarity
	found  bool
}

// better reports whether a is a better center than b for a set of n features.
func (a *holder) better(n int, b *holder) bool {
	switch {
	case !a.found || !b.found:
		return a.found
	case a.near != b.near:
		return a.near
	case !a.near:
		return a.center > b.center
	}
	is, was := float64(a.shared)/float64(n+a.size-a.shared), float64(b.shared)/float64(n+b.size-b.shared)
	return is > was || is == was && a.center < b.center
}

// absorber returns an absorber, which goes to a.free when it is not needed any more.
func (a *absorbing) absorber() *absorber {
	select {
	case q := <-a.free:
		return q
	default:
	}
	return &absorber{absorbing: a, counts: make([]uint8, len(a.order)), marks: newMarks(a.sets.ranks)}
}

// stats returns the work of all absorbers, of which none is in use.
func (a *absorbing) stats() (all PairStats) {
	for range len(a.free) {
		q := <-a.free
		all.add(q.stats)
	}
	for set, star := range a.of {
		if star.Center != NoStar && star.Center != uint32(set) {
			all.Pairs++
		}
	}
	all.Common, all.Postings = mostCommon, int64(len(a.lists))
	return all
}

// block finds the centers of the sets at places [from, to): on several goroutines among those of earlier blocks, and
// then one after the other among those of this block.
func (a *absorbing) block(ctx context.Context, from, to, threads int) error {
	best := make([]holder, to-from)
	known := uint32(len(a.centers))
	tasks := (to - from + starTask - 1) / starTask
	work := func(ctx context.Context, i int) (struct{}, error) {
		q := a.absorber()
		defer func() { a.free <- q }()
		for place := max(a.first, from+i*starTask); place < min(to, from+(i+1)*starTask); place++ {
			if ctx.Err() != nil {
				return struct{}{}, context.Cause(ctx)
			}
			if err := q.look(place, 0, &best[place-from]); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	}
	if err := parallel.Ordered(ctx, threads, tasks, work, func(struct{}) error { return nil }); err != nil {
		return err
	}
	q := a.absorber()
	defer func() { a.free <- q }()
	for place := from; place < to; place++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if place >= a.first {
			if err := q.look(place, known, &best[place-from]); err != nil {
				return err
			}
		}
		if err := a.settle(place, &best[place-from]); err != nil {
			return err
		}
	}
	return nil
}

// settle gives the set at a place to its center, or makes it one.
func (a *absorbing) settle(place int, best *holder) error {
	set := a.order[place]
	if best.found {
		a.of[set] = Star{a.order[a.centers[best.center]], best.shared}
		return nil
	}
	a.of[set] = Star{set, int(a.sizes[place])}
	center := uint32(len(a.centers))
	a.centers = append(a.centers, uint32(place))
	return a.each(place, func(rank uint32) {
		if i, ok := a.looked.at(rank); ok {
			a.lists[a.ends[i]] = center
			a.ends[i]++
		}
	})
}
