package setjoin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/prefix"
)

// noStar is the center of a set that takes no part.
const noStar = ^uint32(0)

// StarOptions say which sets become centers.
type StarOptions struct {
	// First is the number of sets at the beginning of the order that are centers in any case.
	First int
	// Contained, if not 0, is a share in (0, 1] by which a set belongs to a center, too: to one of no fewer features
	// that has this share of its own. If several centers are similar, it belongs to one of these. Otherwise it
	// belongs to the last of the centers that have its share, which has the fewest features, unless all of them are
	// among the first sets. What contains a set must come before it: behind the first sets, order must be descending
	// by the numbers of features, or it is an error.
	Contained float64
	// Class, if not nil, has a number for each set: a set belongs to no center with another one.
	Class []uint64
	// Near has what NearPairs returns at t or less. If it is nil, Stars finds that. Contained sets do not use it.
	Near *List
}

// same reports whether sets are of one class.
func (o *StarOptions) same(a, b uint32) bool { return o.Class == nil || o.Class[a] == o.Class[b] }

// Stars divides sets into stars. It takes them in the given order, of distinct numbers less than Len(). A set
// becomes a center if no center before it has a similarity of at least t, in (0, 1], with it. Otherwise it
// belongs to the most similar of these, the first of several. Sets that are not in order take no part. The
// answer has the center of each set, which may be itself, and depends on the sets, order, StarOptions and t alone.
//
// When a set becomes a center, what is near it is found, so that a crowd of sets that are all near costs little.
// Listed pairs need no more than to be looked through. The other pairs are of two dense sets: the sketch of a center
// is compared with those of all. Contained sets are found by lists, as Contained does. Several centers are looked up
// at once, on several goroutines. Stars takes 28 bytes a set, 8 a listed pair, and for each thread 5 bytes a set and
// a bit a rank; for dense sets their sketches once more; and for contained sets 9 bytes a set and 4 for each of the
// rarest features of some set. The error is the cause of ctx.
func Stars(ctx context.Context, s *prefix.Sets, t float64, order []uint32, how StarOptions, o Options) (centers []uint32, err error) {
	if c := how.Contained; !(t > 0 && t <= 1 && c >= 0 && c <= 1) {
		return nil, fmt.Errorf("a similarity of %v and a share of %v: want more than 0 and at most 1", t, c)
	}
	s.Check()
	st := &stars{
		StarOptions: how, t: t, sets: s, order: order, sizes: make([]uint32, len(order)), best: make([]found, len(order)),
		of: make([]uint32, s.Len()), places: make([]uint32, s.Len()),
		searches: sync.Pool{New: func() any { return newSearch(s, len(order)) }},
	}
	for set := range st.of {
		st.of[set], st.places[set] = noStar, noStar
	}
	for place, set := range order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		st.places[set], st.sizes[place] = uint32(place), uint32(s.Size(set))
	}
	if how.Contained > 0 {
		if err := st.list(ctx); err != nil {
			return nil, err
		}
	} else if err := st.known(ctx, o); err != nil {
		return nil, err
	}
	if err := st.divide(ctx, o); err != nil {
		return nil, err
	}
	if o.Stats != nil {
		*o.Stats = st.stats
	}
	return st.of, nil
}

// Stars are the centers that are known, and the best one of each set. A place is the number of a set in the order.
type stars struct {
	StarOptions
	t        float64
	sets     *prefix.Sets
	order    []uint32
	places   []uint32 // of each set, or noStar
	sizes    []uint32 // at each place
	best     []found
	of       []uint32  // the center of each set, or noStar
	searches sync.Pool // of *search
	stats    Stats

	listed *listed // contained sets, in the opposite order: those that belong to a center come before it there; or nil

	// Listed pairs: the places behind place p that are near it are later[ends[p]:ends[p+1]].
	ends  []uint32
	later []shared
	// The dense sets that have not been taken, and how many of them have been since. An entry has the place by size.
	dense smaller
	taken int

	left map[uint32]bool // the places that are looked for by lastShares; nil before
}

// A shared is how many features a set shares with that at a place.
type shared struct{ place, shared uint32 }

// A found is the best center of a set that is known so far: its place, and how many features it shares. The zero
// value is none.
type found struct {
	center, shared uint32
	near           float64 // the similarity, or 0 if the center has only a share of the set
	shares         int     // how many such centers have been found
}

// take takes another center of the set at a place, if it is a better one.
func (st *stars) take(place, center, shared uint32) {
	best := &st.best[place]
	near := prefix.Jaccard(int(shared), int(st.sizes[place]), int(st.sizes[center]))
	if near < st.t {
		near = 0
		best.shares++
	}
	if best.shared == 0 || near > best.near || near == best.near && (center < best.center) == (near > 0) {
		best.center, best.shared, best.near = center, shared, near
	}
}

// mostShares is about how many centers are looked at that have only a share of a set. The last one of them is found
// in the end, from the last center down, if there are more.
const mostShares = 1 << 3

// least returns how many features the set at a place shares with one of m features that would be a better center, at
// least.
func (st *stars) least(place uint32, m int) int {
	n, best := int(st.sizes[place]), &st.best[place]
	least := prefix.LeastShared(n, m, max(st.t, best.near))
	if st.Contained > 0 && m >= n && best.near == 0 && best.shares < mostShares {
		least = min(least, prefix.LeastSize(n, st.Contained))
	}
	return least
}

// list lists all sets by their rarest features.
func (st *stars) list(ctx context.Context) (err error) {
	order := slices.Clone(st.order)
	slices.Reverse(order)
	leastOf := func(n int) int {
		near := prefix.LeastShared(n, n, st.t)
		if st.First > 0 { // centers may be smaller
			near = prefix.LeastSize(n, st.t)
		}
		return min(near, prefix.LeastSize(n, st.Contained))
	}
	last := uint32(len(order) - 1)
	least := func(x uint32, m int) int { return st.least(last-x, m) }
	if st.listed, err = newListed(ctx, st.sets, order, leastOf, least); err != nil {
		return err
	}
	if !slices.IsSorted(st.listed.sizes[:max(0, len(order)-st.First)]) {
		return errors.New("setjoin: a larger set behind a smaller one")
	}
	_, err = st.listed.fill(ctx, 0, math.MaxInt64)
	st.stats.Postings = int64(len(st.listed.entries))
	return err
}

// known makes ready what is known of near pairs.
func (st *stars) known(ctx context.Context, o Options) (err error) {
	if st.Near == nil {
		o.Progress, o.Stats = nil, nil
		if st.Near, err = NearPairs(ctx, st.sets, st.t, o); err != nil {
			return err
		}
	}
	st.ends, st.later = ints.Lists[uint32](len(st.order), func(add func(earlier uint32, later shared)) {
		for _, p := range st.Near.Pairs {
			a, b := st.places[p.A], st.places[p.B]
			if a != noStar && b != noStar && st.same(p.A, p.B) && prefix.Similar(p.Shared, int(st.sizes[a]), int(st.sizes[b]), st.t) {
				add(min(a, b), shared{max(a, b), uint32(p.Shared)})
			}
		}
	})
	if !st.Near.Few() {
		st.renew(0)
	}
	return nil
}

// looks reports whether what is near a set is looked up, beside what is known.
func (st *stars) looks(set uint32) bool {
	return st.listed != nil || !st.Near.Few() && st.Near.Dense.Has(set)
}

// renew makes the dense sets those from a place on.
func (st *stars) renew(from int) {
	l := st.Near
	st.dense.reset(prefix.Lengths{T: st.t}, l.words)
	st.taken = 0
	for i, set := range l.bySize {
		if place := st.places[set]; place != noStar && int(place) >= from && l.Dense.Has(set) {
			record := l.record(uint32(i))
			st.dense.add(entry{set: uint32(i)}, record[:l.words], l.sizeOf(record), l.aloneOf(record), math.MaxInt32)
		}
	}
}

// starBlock is how many centers, or sets that belong to them, are looked up together, and listedBlock if that is by
// lists, which takes long. starTask is how many are looked up by one goroutine at a time.
const starBlock, listedBlock, starTask = 1 << 6, 1 << 4, 1 << 2

// divide finds the star of each set.
func (st *stars) divide(ctx context.Context, o Options) error {
	q := newSearch(st.sets, 0)
	var block []uint32 // places of centers that are yet to be looked up
	belong := 0        // sets that belong to these
	most := starBlock
	if st.listed != nil {
		most = listedBlock
	}
	for at, set := range st.order {
		if at%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		place, looks := uint32(at), st.looks(set)
		if looks {
			st.taken++
		}
		switch {
		case at >= st.First && st.best[at].shared > 0:
		case at >= st.First && looks && st.belongs(q, place, block):
			belong++
		default:
			st.of[set] = set
			if st.listed == nil {
				for _, l := range st.later[st.ends[at]:st.ends[at+1]] {
					st.take(l.place, place, l.shared)
				}
			}
			if looks {
				block = append(block, place)
			}
		}
		if max(len(block), belong) < most && at+1 < len(st.order) {
			continue
		}
		if err := st.lookUp(ctx, block, o.Threads); err != nil {
			return err
		}
		if block, belong = block[:0], 0; st.listed == nil && 2*st.taken > st.dense.len() {
			st.renew(at + 1)
		}
		if o.Progress != nil {
			o.Progress(at+1, len(st.order))
		}
	}
	st.stats.add(q.stats)
	if err := st.lastShares(ctx, o.Threads); err != nil {
		return err
	}
	for place, set := range st.order {
		if best := st.best[place]; st.of[set] == noStar {
			st.of[set] = st.order[best.center]
			st.stats.Pairs++
		}
	}
	return nil
}

// lastShares finds the last center of each set of which many have only a share.
func (st *stars) lastShares(ctx context.Context, threads int) error {
	st.left = map[uint32]bool{}
	for place := range st.best {
		if best := &st.best[place]; place >= st.First && best.near == 0 && best.shares >= mostShares {
			st.left[uint32(place)], *best = true, found{}
		}
	}
	for at := len(st.order) - 1; at >= 0 && len(st.left) > 0; {
		var block []uint32
		for ; at >= 0 && len(block) < starBlock; at-- {
			if set := st.order[at]; st.of[set] == set {
				block = append(block, uint32(at))
			}
		}
		if err := st.lookUp(ctx, block, threads); err != nil {
			return err
		}
		maps.DeleteFunc(st.left, func(place uint32, _ bool) bool { return st.best[place].shared > 0 })
	}
	return nil
}

// belongs reports whether the set at a place belongs to one of some centers before it.
func (st *stars) belongs(q *search, place uint32, centers []uint32) bool {
	q.begin(st.order[place])
	defer q.end()
	return slices.ContainsFunc(centers, func(center uint32) bool {
		return st.wants(place, center) && st.compare(q, place, center, center) > 0
	})
}

// wants reports whether the set at a place may belong to a center.
func (st *stars) wants(place, center uint32) bool {
	return place > center && place != noStar && int(place) >= st.First && (st.left == nil || st.left[place]) && st.same(st.order[place], st.order[center])
}

// compare returns how many features the set at a place shares with a center, or 0 if it does not belong to that. q
// has one of the two, and the other one is given once more.
func (st *stars) compare(q *search, place, center, other uint32) int {
	n, m := int(st.sizes[place]), int(st.sizes[center])
	least := st.least(place, m)
	if len(q.ranks) == 0 || st.listed == nil && !st.Near.likely(st.order[place], st.order[center], n+m-2*least) {
		return 0
	}
	q.stats.Candidates++
	if shared := q.shared(st.order[other], prefix.NoRank, least); shared >= least {
		return shared
	}
	return 0
}

// lookUp takes some centers for the sets that are near them.
func (st *stars) lookUp(ctx context.Context, centers []uint32, threads int) error {
	tasks := (len(centers) + starTask - 1) / starTask
	near, stats := make([][]shared, len(centers)), make([]Stats, tasks)
	work := func(ctx context.Context, task int) (is struct{}, err error) {
		q := st.searches.Get().(*search)
		defer st.searches.Put(q)
		q.stats = Stats{}
		for i := task * starTask; i < min(len(centers), (task+1)*starTask); i++ {
			if st.listed != nil {
				near[i] = st.nearListed(q, centers[i])
			} else {
				near[i] = st.nearDense(q, centers[i])
			}
		}
		stats[task] = q.stats
		return is, context.Cause(ctx)
	}
	if err := parallel.Ordered(ctx, threads, tasks, work, func(struct{}) error { return nil }); err != nil {
		return err
	}
	for i, center := range centers {
		for _, s := range near[i] {
			st.take(s.place, center, s.shared)
		}
	}
	for _, s := range stats {
		st.stats.add(s)
	}
	return nil
}

// nearListed returns what belongs to a center by the lists.
func (st *stars) nearListed(q *search, center uint32) (near []shared) {
	last := uint32(len(st.order) - 1)
	skip := func(x uint32) bool { return !st.wants(last-x, center) }
	st.listed.look(q, last-center, last-center, skip, func(x uint32, n int) { near = append(near, shared{last - x, uint32(n)}) })
	return near
}

// nearDense returns the dense sets that are similar to a center, which is one.
func (st *stars) nearDense(q *search, center uint32) (near []shared) {
	l, n := st.Near, int(st.sizes[center])
	record := l.record(l.places[st.order[center]])
	most := prefix.MostSize(n, st.t, math.MaxInt32)
	least := prefix.LeastSize(n, st.t)
	from := sort.Search(st.dense.len(), func(i int) bool { return int(st.dense.sizes[i]) >= least }) / 8
	q.masks = st.dense.within(q.masks, record[:l.words], st.dense.Unshared(n)+1-l.aloneOf(record), most, from)
	q.stats.Entries += int64(8 * len(q.masks))
	q.begin(st.order[center])
	defer q.end()
	for b, mask := range q.masks {
		for ; mask != 0; mask &= mask - 1 {
			i := 8*(from+b) + bits.TrailingZeros8(mask)
			if i >= st.dense.len() {
				break
			}
			if place := st.places[l.bySize[st.dense.entries[i].place()]]; st.wants(place, center) {
				if n := st.compare(q, place, center, place); n > 0 {
					near = append(near, shared{place, uint32(n)})
				}
			}
		}
	}
	return near
}
