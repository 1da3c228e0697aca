package setjoin

import (
	"context"
	"fmt"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/prefix"
)

// A Star is the set that stands for another one.
type Star struct {
	Center uint32 // a set; the set itself if it is a center
	Shared int    // features
}

// NoStar is the Center of a set that takes no part.
const NoStar = ^uint32(0)

// StarOptions say which sets become centers.
type StarOptions struct {
	// First is the number of sets at the beginning of the order that are centers in any case.
	First int
	// Contained, if not 0, is a share in (0, 1] by which a set belongs to a center, too: to one of no fewer features that has this
	// share of its own. If several centers are similar, it belongs to one of these. Otherwise it belongs to the last of the centers
	// that have its share, which has the fewest features, unless all of them are among the first sets. What contains a set must come
	// before it: behind the first sets, order must be descending by the numbers of features, or it is an error.
	Contained float64
	// Class, if not nil, has a number for each set: a set belongs to no center with another one.
	Class []uint64
	// Near, if not nil, has the near pairs, at t or less. Then only the dense sets of it are looked up. It is not for contained sets.
	Near *List
}

// same reports whether sets are of one class.
func (o *StarOptions) same(a, b uint32) bool { return o.Class == nil || o.Class[a] == o.Class[b] }

// Stars divides sets into stars. It takes them in the given order, of distinct numbers less than Len(). A set
// becomes a center if no center before it has a similarity of at least t, in (0, 1], with it. Otherwise it
// belongs to the most similar of these, the first of several. Sets that are not in order take no part. The
// answer has a Star for each set, and depends on the sets, order, StarOptions and t alone.
//
// Pairs that are known need no more than to be looked through. Of other sets, only centers are indexed, so that a crowd of sets that are
// all near costs little: each of them finds its center at once. Sets are looked up in blocks, on several goroutines, among the centers of
// earlier blocks, and then one after the other among those of their own block. Stars takes 24 bytes a set, for the sketch of a center a
// byte at most for each feature that a set has in the mean, 4 bytes a first feature of all sets, which one in five features is at t = 0.8
// or less, and for each thread 5 bytes a set and a bit a rank. A center of a crowd takes about 20 bytes for each feature that it has
// beside the template, or lacks of it. With Contained it takes, in place of sketches and first features, 16 bytes for each of the rarest
// features of some set, and four for each set that has it. The error is the cause of ctx.
func Stars(ctx context.Context, s *prefix.Sets, t float64, order []uint32, how StarOptions, o Options) ([]Star, error) {
	if c := how.Contained; !(t > 0 && t <= 1 && c >= 0 && c <= 1) {
		return nil, fmt.Errorf("a similarity of %v and a share of %v: want more than 0 and at most 1", t, c)
	}
	s.Check()
	p, err := newPlaces(ctx, s, order, t)
	if err != nil {
		return nil, err
	}
	st := &stars{places: p, StarOptions: how, of: make([]Star, s.Len())}
	for i := range st.of {
		st.of[i].Center = NoStar
	}
	switch {
	case how.Contained > 0:
		st.lists, err = newContaining(ctx, st)
	case how.Near == nil || !how.Near.Few():
		st.lists, err = newSimilar(ctx, st, o.long)
	}
	if err != nil {
		return nil, err
	}
	if how.Near != nil {
		st.known = newKnownPairs(st, how.Near.Pairs)
	}
	for from := 0; from < len(order); from += starBlock {
		to := min(len(order), from+starBlock)
		if err := st.block(ctx, from, to, o.Threads); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(to, len(order))
		}
	}
	if o.Stats != nil {
		*o.Stats = st.stats
	}
	return st.of, nil
}

// starBlock is how many sets are looked up on several goroutines, starTask how many by one of them at a time.
const starBlock, starTask = 1 << 12, 1 << 7

// Stars are the centers that are known. Those that are looked up are numbered as they are found.
type stars struct {
	*places
	StarOptions
	of      []Star
	centers []uint32 // the place of each that is looked up
	lists   centerLists
	known   *knownPairs // or nil
	stats   Stats
}

// looks reports whether a set looks for centers, and is looked for if it is one. All that is near others is known.
func (st *stars) looks(place uint32) bool {
	return st.Near == nil || st.Near.Dense != nil && st.Near.Dense.Has(st.order[place])
}

// knownPairs are pairs of similar sets, by the one that comes later in the order. The places of those that are similar to the one at a
// place, and come before it, are earlier[ends[place]:ends[place+1]].
type knownPairs struct {
	ends    []uint32
	earlier []shared
}

// A shared is how many features a set shares with that at a place.
type shared struct {
	place  uint32
	shared int32
}

func newKnownPairs(st *stars, pairs []Pair) *knownPairs {
	placeOf := make([]uint32, st.sets.Len())
	for i := range placeOf {
		placeOf[i] = NoStar
	}
	for place, set := range st.order {
		placeOf[set] = uint32(place)
	}
	each := func(do func(later uint32, earlier shared)) {
		for _, p := range pairs {
			a, b := placeOf[p.A], placeOf[p.B]
			if a == NoStar || b == NoStar || !st.same(p.A, p.B) || !prefix.Similar(p.Shared, int(st.sizes[a]), int(st.sizes[b]), st.T) {
				continue
			}
			do(max(a, b), shared{min(a, b), int32(p.Shared)})
		}
	}
	k := &knownPairs{ends: make([]uint32, len(st.order)+2)}
	each(func(later uint32, _ shared) { k.ends[later+2]++ })
	for i := range st.order {
		k.ends[i+2] += k.ends[i+1]
	}
	k.earlier = make([]shared, k.ends[len(st.order)+1])
	each(func(later uint32, earlier shared) {
		k.earlier[k.ends[later+1]] = earlier
		k.ends[later+1]++
	})
	return k
}

// takeKnown sets best to the best center of the set at a place among those whose pairs are known, if one is better than best.
func (st *stars) takeKnown(place uint32, best *found) {
	if st.known == nil {
		return
	}
	for _, e := range st.known.earlier[st.known.ends[place]:st.known.ends[place+1]] {
		if set := st.order[e.place]; st.of[set].Center == set {
			best.take(int(st.sizes[place]), found{e.place, int(e.shared), int(st.sizes[e.place]), true, true})
		}
	}
}

// CenterLists are centers, listed by features by which sets look for them.
type centerLists interface {
	// add adds the set at a place as a center.
	add(place, center uint32)
	// look sets best to the best center of the set at a place, among those from number from on, if one is better than best.
	look(q *search, place, from uint32, best *found)
}

// A found is the best center of a set that is known so far.
type found struct {
	center uint32 // its place
	shared int
	size   int  // of the center
	near   bool // by its similarity, and not only by the share that it has
	ok     bool // there is one
}

// similarity returns how near the center is to a set of n features.
func (f *found) similarity(n int) float64 { return float64(f.shared) / float64(n+f.size-f.shared) }

// take takes another center of a set of n features, if it is a better one.
func (f *found) take(n int, other found) {
	better := !f.ok || other.near && !f.near
	if f.ok && other.near == f.near {
		better = other.center > f.center
		if f.near {
			is, was := other.similarity(n), f.similarity(n)
			better = is > was || is == was && other.center < f.center
		}
	}
	if better {
		*f = other
	}
}

// block finds the centers of the sets at places [from, to).
func (st *stars) block(ctx context.Context, from, to, threads int) error {
	best := make([]found, to-from)
	known := uint32(len(st.centers))
	work := func(ctx context.Context, i int) (Stats, error) {
		q := st.search()
		defer st.searches.Put(q)
		for place := max(st.First, from+i*starTask); place < min(to, from+(i+1)*starTask); place++ {
			if ctx.Err() != nil {
				return q.stats, context.Cause(ctx)
			}
			if !st.looks(uint32(place)) {
				continue
			}
			st.lists.look(q, uint32(place), 0, &best[place-from])
		}
		return q.stats, nil
	}
	err := parallel.Ordered(ctx, threads, (to-from+starTask-1)/starTask, work, func(s Stats) error { st.stats.add(s); return nil })
	if err != nil {
		return err
	}
	q := st.search()
	defer st.searches.Put(q)
	for place := from; place < to; place++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if place >= st.First {
			st.takeKnown(uint32(place), &best[place-from])
			if int(known) < len(st.centers) && st.looks(uint32(place)) {
				st.lists.look(q, uint32(place), known, &best[place-from])
			}
		}
		st.settle(uint32(place), &best[place-from])
	}
	st.stats.add(q.stats)
	return nil
}

// settle assigns the set at a place to its center, or makes it one.
func (st *stars) settle(place uint32, best *found) {
	set := st.order[place]
	if best.ok {
		st.of[set] = Star{st.order[best.center], best.shared}
		st.stats.Pairs++
		return
	}
	st.of[set] = Star{set, int(st.sizes[place])}
	if st.looks(place) {
		st.centers = append(st.centers, place)
		st.lists.add(place, uint32(len(st.centers)-1))
	}
}
