package prefix

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// An absorber looks for the center of one set after the other.
type absorber struct {
	*absorbing
	counts []uint8  // of each center: the features that are shared so far
	found  []uint32 // centers with enough of them
	seen   []uint32 // centers with a count
	marks  marks    // of the ranks of the set
	ranks  []uint32 // of the set
	marked bool
	tails  []tail
	stats  PairStats
}

// A tail is what is left of a list, whose end has been looked at.
type tail struct{ from, to uint64 }

// leastWindow is how many centers a set is first looked for in.
const leastWindow = 1 << 8

// look sets best to the best center from number from on of the set at a place, if that is better.
//
// Behind the first sets, centers have ever fewer features. So those that can be near come last. Where they end, the
// next one that contains the set is the best one.
func (q *absorber) look(place int, from uint32, best *holder) error {
	q.ranks, q.tails = q.ranks[:0], q.tails[:0]
	d, common, err := q.rarest(place, func(rank uint32) {
		q.ranks = append(q.ranks, rank)
		at, _ := q.looked.at(rank)
		q.tails = append(q.tails, tail{q.starts[at], q.ends[at]})
	})
	if err != nil {
		return err
	}
	c := &candidates{absorber: q, set: q.order[place], d: d, common: common, most: MostSize(d.features, q.t, math.MaxInt32)}
	defer c.end()
	first := min(uint32(q.first), uint32(len(q.centers))) // all of them are centers
	stop := max(from, first)
	lo := max(stop, first+uint32(sort.Search(len(q.centers)-int(first), func(i int) bool { return int(q.sizes[q.centers[int(first)+i]]) <= c.most })))
	err = c.compare(lo)
	for window := uint32(leastWindow); err == nil && lo > stop && !c.best.found; window *= 4 {
		lo -= min(window, lo-stop)
		err = c.compare(lo)
	}
	if from < first && err == nil {
		q.skip(first)
		err = c.compare(from)
	}
	if c.best.better(d.features, best) {
		*best = c.best
	}
	return err
}

// skip leaves out the centers from number from on.
func (q *absorber) skip(from uint32) {
	for i := range q.tails {
		t := &q.tails[i]
		t.to = t.from + uint64(sort.Search(int(t.to-t.from), func(i int) bool { return q.lists[t.from+uint64(i)] >= from }))
	}
}

// Candidates are centers that may be that of a set.
type candidates struct {
	*absorber
	set    uint32
	d      decoder // behind the ranks that q.ranks has
	common int     // how many of the rarest ranks they share
	most   int     // features of those that can be near
	best   holder
}

// count sets q.found to the centers from number from on that share enough of the rarest ranks, the last one first. They
// are not looked at again.
func (c *candidates) count(from uint32) {
	q := c.absorber
	q.found, q.seen = q.found[:0], q.seen[:0]
	for i := range q.tails {
		t := &q.tails[i]
		for ; t.to > t.from && q.lists[t.to-1] >= from; t.to-- {
			q.stats.Entries++
			center := q.lists[t.to-1]
			switch n := &q.counts[center]; {
			case *n == 0:
				q.seen = append(q.seen, center)
				fallthrough
			case int(*n) < c.common:
				if *n++; int(*n) == c.common {
					q.found = append(q.found, center)
				}
			}
		}
	}
	for _, center := range q.seen {
		q.counts[center] = 0
	}
	slices.SortFunc(q.found, func(a, b uint32) int { return cmp.Compare(b, a) })
}

// compare compares the set with the candidates from number from on that have not been looked at.
func (c *candidates) compare(from uint32) error {
	q, n := c.absorber, c.d.features
	c.count(from)
	for _, center := range q.found {
		place := q.centers[center]
		size := int(q.sizes[place])
		if size > c.most && c.best.found {
			continue // it is a later one, or near
		}
		near := LeastShared(n, size, q.t)
		least := near
		if size >= n && !c.best.found {
			least = min(near, LeastSize(n, q.c))
		}
		if min(n-c.d.alone, size) < least {
			continue
		}
		if err := c.mark(); err != nil {
			return err
		}
		q.stats.Candidates++
		shared, err := q.shared(q.order[place], least)
		if err != nil {
			return err
		}
		if h := (holder{center, shared, size, shared >= near, shared >= least}); h.better(n, &c.best) {
			c.best = h
		}
	}
	return nil
}

// mark reads the other ranks of the set, and marks all.
func (c *candidates) mark() error {
	if c.marked {
		return nil
	}
	for c.d.ranks > 0 {
		rank, err := c.d.next()
		if err != nil {
			return c.sets.bad(c.set, err)
		}
		c.ranks = append(c.ranks, rank)
	}
	for _, rank := range c.ranks {
		c.marks.set(rank)
	}
	c.marked = true
	return nil
}

// end removes the marks.
func (c *candidates) end() {
	if c.marked {
		for _, rank := range c.ranks {
			c.marks[rank/64] = 0
		}
		c.marked = false
	}
}

// shared returns how many features a set shares with the marked one, or less than least.
func (q *absorber) shared(set uint32, least int) (shared int, err error) {
	d, err := q.sets.decoder(set)
	if err != nil {
		return 0, err
	}
	last := q.ranks[len(q.ranks)-1]
	for d.ranks > 0 && shared+d.ranks >= least {
		rank, err := d.next()
		if err != nil {
			return 0, q.sets.bad(set, err)
		}
		if rank > last {
			break
		}
		shared += q.marks.of(rank)
	}
	return shared, nil
}
