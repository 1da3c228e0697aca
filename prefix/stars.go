package prefix

import (
	"context"
	"fmt"
	"slices"

	"simsearch/internal/parallel"
)

// A Star is the set that stands for another one.
type Star struct {
	Center uint32 // a set; the set itself if it is a center
	Shared int    // features
}

// NoStar is the Center of a set that takes no part.
const NoStar = ^uint32(0)

// Stars divides sets into stars. It takes them in the given order, of distinct numbers less than Len(). A set
// becomes a center if no center before it has a similarity of at least t, in (0, 1], with it. Otherwise it
// belongs to the most similar of these, the first of several. The first sets of order, given by their number, are
// centers in any case. Sets that are not in order take no part. The
// answer has a Star for each set, and depends on the sets, order and t alone.
//
// Only centers are indexed, so that a crowd of sets that are all near costs little: each of them finds its
// center at once. Sets are looked up in blocks, on several goroutines, among the centers of earlier blocks,
// and then one after the other among those of their own block. Stars takes 24 bytes a set, for the sketch of a center
// a byte at most for each feature that a set has in the mean, 4 bytes a first feature of all sets, which one in five features
// is at t = 0.8 or less, and for each thread 5 bytes a set and a bit a rank. The error is section.ErrCorrupt, or the cause of ctx.
func (s *Sets) Stars(ctx context.Context, t float64, order []uint32, first int, o PairOptions) ([]Star, error) {
	st, err := s.newStars(ctx, t, order)
	if err != nil {
		return nil, err
	}
	st.first = first
	for from := 0; from < len(order); from += starBlock {
		if err := st.block(ctx, from, min(len(order), from+starBlock), o.Threads); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(min(len(order), from+starBlock), len(order))
		}
	}
	if o.Stats != nil {
		st.stats.Common, st.stats.Postings = st.common, int64(len(st.lists.places))
		*o.Stats = st.stats
	}
	return st.of, nil
}

// starBlock is how many sets are looked up on several goroutines, starTask how many by one of them at a time.
const starBlock, starTask = 1 << 12, 1 << 7

// recentRanks is more than ten times the ranks that a block of sets is listed by, mostly.
const recentRanks = 1 << 22

// Stars are the centers that are known, listed by the ranks of their first features.
type stars struct {
	*places
	of      []Star
	first   int      // places of centers in any case
	centers []uint32 // the places of the centers, which lists number in this order
	large   []uint32 // the size of each center

	// A list has room for all sets that might be centers. Those that have the rank in their short prefix
	// grow from its start, and those that have it later in their prefix grow from its end down.
	lists       *rankLists
	short, long []uint32 // how many entries of each list there are
	least       []uint32 // the size of the smallest set among the entries at the start of each list

	sketches *sketches // a record for each center

	recent []uint64 // a bit for each remainder of the ranks that centers of the current block are listed by
	stats  PairStats
}

// newStars returns no stars, with room for all sets of order.
func (s *Sets) newStars(ctx context.Context, t float64, order []uint32) (*stars, error) {
	if !(t > 0 && t <= 1) {
		return nil, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	p, err := newPlaces(ctx, s, order, t)
	if err != nil {
		return nil, err
	}
	lists, err := newRankLists(s.ranks, p.eachFirst(ctx, p.probed))
	if err != nil {
		return nil, err
	}
	n := len(lists.starts) - 1
	st := &stars{places: p, lists: lists, short: make([]uint32, n), long: make([]uint32, n), least: make([]uint32, n), of: make([]Star, s.Len()), recent: make([]uint64, recentRanks/64)}
	for i := range st.of {
		st.of[i].Center = NoStar
	}
	sum := 0
	for _, size := range p.sizes {
		sum += int(size)
	}
	mean := sum / max(1, len(order))
	st.sketches = newSketches(0, mean, p.mostUnshared(mean))
	return st, nil
}

// A nearest is the nearest center of a set that is known so far.
type nearest struct {
	center uint32 // its number
	shared int
	size   int // of the center
	found  bool
}

// nearer reports whether a center that shares the given number of features with a set of n is nearer.
func (b *nearest) nearer(n int, center uint32, shared, size int) bool {
	if !b.found {
		return true
	}
	is, was := float64(shared)/float64(n+size-shared), b.similarity(n)
	return is > was || is == was && center < b.center
}

// similarity returns how near the center is to a set of n features.
func (b *nearest) similarity(n int) float64 { return float64(b.shared) / float64(n+b.size-b.shared) }

// block finds the centers of the sets at places [from, to).
func (st *stars) block(ctx context.Context, from, to, threads int) error {
	found := make([]nearest, to-from)
	known := len(st.centers)
	tasks := (to - from + starTask - 1) / starTask
	work := func(ctx context.Context, i int) (stats PairStats, err error) {
		q := st.search()
		defer st.sets.searches.Put(q)
		for place := from + i*starTask; place < min(to, from+(i+1)*starTask); place++ {
			if ctx.Err() != nil {
				return stats, context.Cause(ctx)
			}
			if place < st.first {
				continue
			}
			if err := st.look(q, uint32(place), 0, &found[place-from], &stats); err != nil {
				return stats, err
			}
		}
		return stats, nil
	}
	err := parallel.Ordered(ctx, threads, tasks, work, func(s PairStats) error { st.stats.add(s); return nil })
	if err != nil {
		return err
	}
	q := st.search()
	defer st.sets.searches.Put(q)
	clear(st.recent)
	for place := from; place < to; place++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := st.settle(q, uint32(place), uint32(known), &found[place-from]); err != nil {
			return err
		}
	}
	return nil
}

// settle makes the set at place a center, or assigns it to the nearest one: best, or one of those from known on.
func (st *stars) settle(q *search, place, known uint32, best *nearest) error {
	if int64(place) < int64(st.first) {
		*best = nearest{}
	} else if err := st.look(q, place, known, best, &st.stats); err != nil {
		return err
	}
	set := st.order[place]
	if best.found {
		st.of[set] = Star{st.order[st.centers[best.center]], best.shared}
		st.stats.Pairs++
		return nil
	}
	st.of[set] = Star{set, int(st.sizes[place])}
	center := uint32(len(st.centers))
	st.centers, st.large = append(st.centers, place), append(st.large, st.sizes[place])
	if err := st.addSketch(set); err != nil {
		return err
	}
	return st.firstOf(place, func(r uint32, short bool) {
		at, _ := st.lists.at(r)
		if short {
			st.lists.places[st.lists.starts[at]+uint64(st.short[at])] = center
			if size := st.sizes[place]; st.short[at] == 0 || size < st.least[at] {
				st.least[at] = size
			}
			st.short[at]++
		} else {
			st.long[at]++
			st.lists.places[st.lists.starts[at+1]-uint64(st.long[at])] = center
		}
		st.recent[r%recentRanks/64] |= 1 << (r % 64)
	})
}

// addSketch adds the sketch of a set that has become a center.
func (st *stars) addSketch(set uint32) error {
	d, err := st.sets.decoder(set)
	if err != nil {
		return err
	}
	s := st.sketches
	n := len(s.records)
	s.records = append(s.records, make([]uint64, s.words+1)...)
	record := s.records[n:]
	s.describe(record, d.features, d.alone)
	for d.ranks > 0 {
		r, err := d.next()
		if err != nil {
			return st.sets.bad(set, err)
		}
		flip(record[:s.words], r)
	}
	return nil
}

// firstOf calls do with the first ranks of the set at place, and whether they are of its short prefix.
func (st *stars) firstOf(place uint32, do func(r uint32, short bool)) error {
	set := st.order[place]
	d, err := st.sets.decoder(set)
	if err != nil {
		return err
	}
	short, last := st.places.short(d.features, st.common), st.probed(d.features, st.common)
	for at := d.alone; at < last && d.ranks > 0; at++ {
		r, err := d.next()
		if err != nil {
			return st.sets.bad(set, err)
		}
		do(r, at < short)
	}
	return nil
}

// look sets best to the nearest center of the set at place among those from number from on, if one is nearer
// than best.
//
// A set shares a first feature of its short prefix with the long prefix of a set that is not smaller, and one
// of its long prefix with the short prefix of a set that is not larger. So two long prefixes need not be
// compared.
func (st *stars) look(q *search, place, from uint32, best *nearest, stats *PairStats) error {
	defer q.end()
	set, size := st.order[place], int(st.sizes[place])
	q.ranks = q.ranks[:0]
	d, err := st.sets.decoder(set)
	if err != nil {
		return err
	}
	least := LeastSize(size, st.t)
	common := min(st.common, least)
	short, last := st.places.short(size, st.common), st.probed(size, st.common)
	for at := d.alone; at < last && d.ranks > 0; at++ {
		r, err := d.next()
		if err != nil {
			return st.sets.bad(set, err)
		}
		q.ranks = append(q.ranks, r)
		if from > 0 {
			if st.recent[r%recentRanks/64]>>(r%64)&1 == 0 {
				continue
			}
		}
		// A set that shares at most common - 1 features before this one shares what is left of this set at most
		// (positional filter: Xiao, Wang, Lin and Yu 2008).
		most := mostSharing(size, size-at+common-1, st.t)
		if most < least {
			break
		}
		stats.Entries += st.count(q, r, at < short, uint32(size), from, common, sizes{uint32(least), uint32(most)})
	}
	if len(q.found) == 0 {
		q.ranks = q.ranks[:0] // they are not marked
		return nil
	}
	if err := q.mark(set, &d); err != nil {
		return err
	}
	stats.Candidates += int64(len(q.found))
	q.sketch = slices.Grow(q.sketch[:0], st.sketches.words)[:st.sketches.words]
	clear(q.sketch)
	for _, r := range q.ranks {
		flip(q.sketch, r)
	}
	alone := size - int(st.ranked[place])
	t := st.t // or what is as near as the best
	if best.found {
		t = best.similarity(size)
	}
	least, of := 0, 0 // the least that a center of a size shares
	for _, center := range q.found {
		at := st.centers[center]
		other := int(st.large[center])
		if other != of {
			least, of = LeastShared(size, other, t), other
		}
		if min(size, other, int(st.ranked[place]), int(st.ranked[at])) < least {
			continue
		}
		record := st.sketches.record(center)
		if unshared := size + other - 2*least - alone - st.sketches.aloneOf(record); unshared < 0 || !within(q.sketch, record, unshared) {
			continue
		}
		shared, ok, err := q.sharesEnough(st.order[at], size, other, t)
		if err != nil {
			return err
		}
		if ok && best.nearer(size, center, shared, other) {
			*best = nearest{center, shared, other, true}
			t, of = best.similarity(size), 0
		}
	}
	return nil
}

// count counts the centers from number from on that a rank is listed for, for a set of size features. inShort says
// that the set has it in its short prefix, so that those that have it later count, too. Otherwise larger sets need
// not count. near are the sizes of sets that can be similar.
func (st *stars) count(q *search, rank uint32, inShort bool, size, from uint32, common int, near sizes) (n int64) {
	at, ok := st.lists.at(rank)
	if !ok || !inShort && (st.short[at] == 0 || st.least[at] > size) {
		return 0
	}
	lo, hi := st.lists.starts[at], st.lists.starts[at+1]
	list := st.lists.places[lo : lo+uint64(st.short[at])]
	for i := len(list) - 1; i >= 0 && list[i] >= from; i-- {
		if n++; near.has(st.large[list[i]]) {
			q.count(list[i], common)
		}
	}
	if !inShort {
		return n
	}
	for _, center := range st.lists.places[hi-uint64(st.long[at]) : hi] { // the last first
		if center < from {
			break
		}
		if n++; near.has(st.large[center]) {
			q.count(center, common)
		}
	}
	return n
}

// sizes are from a least to a largest size.
type sizes struct{ least, most uint32 }

func (s sizes) has(size uint32) bool { return s.least <= size && size <= s.most }
