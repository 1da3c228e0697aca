package prefix

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"simsearch/internal/parallel"
	"simsearch/internal/radix"
)

// A Pair is two near sets, with A < B.
type Pair struct {
	A, B   uint32
	Shared int // features
}

// PairOptions say how Pairs works. They do not change what it finds.
type PairOptions struct {
	Threads int
	// Progress, if not nil, is called with the number of sets whose pairs have been found, and of all sets.
	Progress func(done, all int)
	Stats    *PairStats // if not nil, counts the work
}

// PairStats count the work of Pairs.
type PairStats struct {
	Common     int   // how many first features a candidate shares
	Postings   int64 // of the sets
	Entries    int64 // postings that were read
	Candidates int64 // pairs that were compared
	Pairs      int64
}

// add adds the work of s.
func (p *PairStats) add(s PairStats) {
	p.Entries += s.Entries
	p.Candidates += s.Candidates
	p.Pairs += s.Pairs
}

// Pairs calls yield with all pairs of sets whose similarity is at least t, in (0, 1], some at a time. Each
// pair comes once; their order depends on nothing but the sets and t. The slice is valid until yield
// returns. Pairs takes 12 bytes a set, 4 bytes a posting, which one in
// twelve features has at t = 0.8 or less, and 8 for each list, and for each thread 5 bytes a set and a bit a rank. It works in two passes: the first indexes short prefixes, the
// second looks up those of each set in the lists of smaller sets (Bayardo, Ma and Srikant 2007; Xiao, Wang,
// Lin and Yu 2008). The error is section.ErrCorrupt, the cause of ctx, or that of yield.
func (s *Sets) Pairs(ctx context.Context, t float64, o PairOptions, yield func([]Pair) error) error {
	return s.join(ctx, t, 0, o, yield)
}

// Few returns all pairs of sets whose similarity is at least t, in (0, 1], if they are few. It gives up, and ok is false, when
// it has found fewPairs and one a set. What it takes, and its errors, are those of Pairs.
func (s *Sets) Few(ctx context.Context, t float64, o PairOptions) (pairs []Pair, ok bool, err error) {
	err = s.Pairs(ctx, t, o, func(found []Pair) error {
		if pairs = append(pairs, found...); len(pairs) > s.Len()+fewPairs {
			return errStopped
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		return nil, false, nil
	}
	return pairs, err == nil, err
}

const fewPairs = 1 << 20

// If the lists of a set have more than crowdEntries, Degrees reads crowdList of each, and stops counting the smaller
// near sets at mostInCrowd.
const mostInCrowd, crowdEntries, crowdList = 16, 1 << 14, 32

// Degrees returns, for each set, the sum of the weights of the sets whose similarity with it is at least t, in
// (0, 1], and its own weight less one. Where very many sets are near each other, it counts some of the pairs only,
// so that the time is not quadratic. What it takes, and its errors, are those of Pairs.
func (s *Sets) Degrees(ctx context.Context, t float64, weights []uint32, o PairOptions) (degrees []uint32, err error) {
	degrees = make([]uint32, s.Len())
	for i, w := range weights {
		degrees[i] = w - 1
	}
	return degrees, s.join(ctx, t, mostInCrowd, o, func(found []Pair) error {
		for _, p := range found {
			degrees[p.A] += weights[p.B]
			degrees[p.B] += weights[p.A]
		}
		return nil
	})
}

// join is Pairs if most is 0. Otherwise it may leave out pairs of sets in crowds.
func (s *Sets) join(ctx context.Context, t float64, most int, o PairOptions, yield func([]Pair) error) error {
	if !(t > 0 && t <= 1) {
		return fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	if err := s.check(); err != nil {
		return err
	}
	j, err := newJoin(ctx, s, t)
	if err != nil {
		return err
	}
	j.most = most
	n := len(j.order)
	tasks := (n + joinSets - 1) / joinSets
	work := func(ctx context.Context, i int) (*joined, error) {
		return j.task(ctx, uint32(i*joinSets), uint32(min(n, (i+1)*joinSets)))
	}
	var stats PairStats
	done := 0
	err = parallel.Ordered(ctx, o.Threads, tasks, work, func(found *joined) error {
		found.stats.Pairs = int64(len(found.pairs))
		stats.add(found.stats)
		if done++; o.Progress != nil {
			o.Progress(min(n, done*joinSets), n)
		}
		return yield(found.pairs)
	})
	if o.Stats != nil {
		stats.Common, stats.Postings = j.common, int64(len(j.lists.places))
		*o.Stats = stats
	}
	return err
}

// check checks all sets against their checksums, so that reading them needs no further check.
func (s *Sets) check() error {
	if err := s.ends.Check(0, uint64(s.ends.Len())); err != nil {
		return err
	}
	return s.coded.Check(0, uint64(s.coded.Len()))
}

// joinSets is how many sets a goroutine joins at a time.
const joinSets = 1 << 9

// A join is the sets in the order of their sizes, and the lists of their short prefixes.
type join struct {
	*places
	lists *rankLists
	most  int // of the pairs of a set in a crowd with smaller ones; 0 is no limit
}

func newJoin(ctx context.Context, s *Sets, t float64) (*join, error) {
	n := s.Len()
	keys, order := make([]uint64, n), make([]uint32, n)
	for i := range uint32(n) {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		size, err := s.Size(i)
		if err != nil {
			return nil, err
		}
		keys[i], order[i] = uint64(size), i
	}
	radix.SortPairs(keys, order)
	p, err := newPlaces(ctx, s, order, t)
	if err != nil {
		return nil, err
	}
	first := p.eachFirst(ctx, p.short)
	lists, err := newRankLists(s.ranks, first)
	if err != nil {
		return nil, err
	}
	return &join{places: p, lists: lists}, lists.fill(first)
}

// joined is what one task has found.
type joined struct {
	pairs []Pair
	stats PairStats
}

// task finds the pairs of the sets at places [from, to) with sets at lower places.
func (j *join) task(ctx context.Context, from, to uint32) (*joined, error) {
	out := &joined{}
	q := j.search()
	defer j.sets.searches.Put(q)
	for place := from; place < to; place++ {
		if place%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := j.one(q, place, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// one finds the pairs of the set at place with sets at lower places.
func (j *join) one(q *search, place uint32, out *joined) error {
	defer q.end()
	set, size := j.order[place], int(j.sizes[place])
	q.ranks = q.ranks[:0]
	d, err := j.sets.decoder(set)
	if err != nil {
		return err
	}
	for i := j.probed(size, j.common) - d.alone; i > 0 && d.ranks > 0; i-- {
		r, err := d.next()
		if err != nil {
			return j.sets.bad(set, err)
		}
		q.ranks = append(q.ranks, r)
	}
	j.gather(q, place, d.alone)
	out.stats.Entries += j.count(q, size)
	if len(q.found) == 0 {
		q.ranks = q.ranks[:0] // they are not marked
		return nil
	}
	if err := q.mark(set, &d); err != nil {
		return err
	}
	out.stats.Candidates += int64(len(q.found))
	start := len(out.pairs)
	for _, x := range q.found {
		if q.crowd && len(out.pairs)-start >= j.most {
			break
		}
		other := j.order[x]
		if int(j.ranked[x]) < LeastShared(size, int(j.sizes[x]), j.t) {
			continue
		}
		shared, ok, err := q.sharesEnough(other, size, int(j.sizes[x]), j.t)
		if err != nil {
			return err
		}
		if ok {
			out.pairs = append(out.pairs, Pair{min(set, other), max(set, other), shared})
		}
	}
	return nil
}

// A span is the part of a list that may have near sets: from the least place to the one before end.
type span struct {
	from, to uint64
	least    uint32 // the first entry
	end      uint32
}

// gather sets q.spans to the lists of the first ranks of the set at place, each up to the largest set that is near
// if no more than common - 1 features before this one are shared. alone is how many features have no rank. Memory
// is read in steps that do not wait for each other.
func (j *join) gather(q *search, place uint32, alone int) {
	q.spans = q.spans[:0]
	for i, r := range q.ranks {
		if at, ok := j.lists.at(r); ok {
			q.spans = append(q.spans, span{from: uint64(at), end: uint32(i)})
		}
	}
	for i := range q.spans {
		s := &q.spans[i]
		s.from, s.to = j.lists.starts[s.from], j.lists.starts[s.from+1]
	}
	for i := range q.spans {
		q.spans[i].least = j.lists.places[q.spans[i].from]
	}
	size := int(j.sizes[place])
	common := min(j.common, LeastSize(size, j.t))
	highest, above := place, size // the places of sets of at most above features come before highest
	n := 0
	for _, s := range q.spans {
		if s.to-s.from >= manyEntries {
			// A set that shares at most common - 1 features before this one shares what is left of this set
			// at most (positional filter: Xiao, Wang, Lin and Yu 2008).
			if most := mostSharing(size, size-alone-int(s.end)+common-1, j.t); most < above {
				above = most
				highest = uint32(sort.Search(int(highest), func(i int) bool { return int(j.sizes[i]) > above }))
			}
		}
		if s.least < highest {
			s.end = highest
			q.spans[n] = s
			n++
		}
	}
	if q.spans = q.spans[:n]; n < common {
		q.spans = q.spans[:0] // no set can share enough
	}
}

// count counts the sets of q.spans that are not too small for one of size features, and returns how many entries
// it has read.
func (j *join) count(q *search, size int) (n int64) {
	if q.crowd = false; len(q.spans) == 0 {
		return 0
	}
	least := LeastSize(size, j.t)
	common := min(j.common, least)
	lowest := uint32(sort.Search(len(j.sizes), func(i int) bool { return int(j.sizes[i]) >= least }))
	entries := uint64(0)
	for _, s := range q.spans {
		entries += s.to - s.from
	}
	q.crowd = j.most > 0 && entries > crowdEntries
	for _, s := range q.spans {
		list := j.lists.places[s.from:s.to]
		if s.least < lowest {
			list = list[sort.Search(len(list), func(i int) bool { return list[i] >= lowest }):]
		}
		if q.crowd && len(list) > crowdList {
			list = list[:sort.Search(len(list), func(i int) bool { return list[i] >= s.end })]
			list = list[max(0, len(list)-crowdList):]
		}
		for _, x := range list {
			if x >= s.end {
				break
			}
			n++
			q.count(x, common)
		}
	}
	return n
}

// mark reads the other ranks of a set, whose first ones q has, and marks all.
func (q *search) mark(set uint32, d *decoder) error {
	for d.ranks > 0 {
		r, err := d.next()
		if err != nil {
			q.ranks = q.ranks[:0]
			return q.sets.bad(set, err)
		}
		q.ranks = append(q.ranks, r)
	}
	for _, r := range q.ranks {
		q.marks.set(r)
	}
	return nil
}

// giveUpEvery is the number of ranks after which a comparison looks whether enough can be shared.
const giveUpEvery = 16

// sharesEnough compares the marked set of a features with a set of b features.
func (q *search) sharesEnough(set uint32, a, b int, t float64) (shared int, ok bool, err error) {
	d, err := q.sets.decoder(set)
	if err != nil {
		return 0, false, err
	}
	least := LeastShared(a, b, t)
	for d.ranks > 0 {
		if shared+d.ranks < least {
			return shared, false, nil
		}
		for i := min(d.ranks, giveUpEvery); i > 0; i-- {
			r, err := d.next()
			if err != nil {
				return 0, false, q.sets.bad(set, err)
			}
			shared += q.marks.of(r)
		}
	}
	return shared, shared >= least, nil
}
