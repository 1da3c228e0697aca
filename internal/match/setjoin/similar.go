package setjoin

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/match/prefix"
)

// Similar are centers for sets that are similar to them, listed by the ranks of their first features. Before a center and a
// set are compared feature by feature, their sketches are.
type similar struct {
	*stars
	large []uint32 // the size of each center

	// A list has room for all sets that might be centers. Those that have the rank in their short prefix
	// grow from its start, and those that have it later in their prefix grow from its end down.
	lists       *rankLists
	short, long []uint32 // how many entries of each list there are
	least       []uint32 // the size of the smallest set among the entries at the start of each list

	sketches *sketches // a record for each center
	crowds   crowds    // of centers that are many in one list

	gathering []uint32 // lists that have become long
}

func newSimilar(ctx context.Context, st *stars, long int) (*similar, error) {
	first := st.firstRanks(ctx, 0, len(st.order), func(place uint32, n int) int {
		if !st.looks(place) {
			return 0
		}
		return st.Probed(n, 1)
	})
	lists, err := newRankLists(st.sets.Ranks(), first, first)
	if err != nil {
		return nil, err
	}
	sum := 0
	for _, size := range st.sizes {
		sum += int(size)
	}
	mean := sum / max(1, len(st.order))
	n := len(lists.starts) - 1
	st.stats.Postings = int64(len(lists.entries))
	return &similar{
		stars: st, lists: lists, short: make([]uint32, n), long: make([]uint32, n), least: make([]uint32, n),
		sketches: newSketches(0, mean, st.MostUnshared(mean)), crowds: crowds{long: uint32(cmp.Or(long, longList))},
	}, nil
}

func (c *similar) add(place, center uint32) {
	s, w := c.sketches, &c.crowds
	w.of, w.at = append(w.of, 0), append(w.at, 0)
	c.read(center, &w.last)
	size, alone := w.last.size, w.last.alone()
	c.large = append(c.large, uint32(size))
	n := len(s.records)
	s.records = append(s.records, make([]uint64, s.words+1)...)
	record := s.records[n:]
	s.describe(record, size, alone)
	for _, r := range w.last.ranks {
		flip(record[:s.words], r)
	}
	first := w.last.ranks[:min(len(w.last.ranks), max(0, c.Probed(size, 1)-alone))]
	if w.in != nil {
		c.join(center, first)
	}
	short := c.places.Short(size, 1) - alone
	c.gathering = c.gathering[:0]
	for i, r := range first {
		at, _ := c.lists.Number(r)
		if of := w.of[center]; of > 0 {
			w.put(at, of-1)
			continue
		}
		c.list(at, center, uint32(size), i < short)
		if w.isLong(c.short[at] + c.long[at]) {
			c.gathering = append(c.gathering, at)
		}
	}
	for _, at := range c.gathering {
		c.gather(at)
	}
}

// list adds a center of some size to a list of a rank, which it has in its short prefix or behind that.
func (c *similar) list(at, center, size uint32, short bool) {
	if short {
		c.lists.entries[c.lists.starts[at]+uint64(c.short[at])] = center
		if c.short[at] == 0 || size < c.least[at] {
			c.least[at] = size
		}
		c.short[at]++
	} else {
		c.long[at]++
		c.lists.entries[c.lists.starts[at+1]-uint64(c.long[at])] = center
	}
}

// A set shares a first feature of its short prefix with the long prefix of a set that is not smaller, and one
// of its long prefix with the short prefix of a set that is not larger. So two long prefixes need not be
// compared.
func (c *similar) look(q *search, place, from uint32, best *found) {
	defer q.end()
	q.begin(c.order[place])
	q.crowds.Grow(len(c.crowds.all))
	least := prefix.LeastSize(q.size, c.T)
	short, last := c.places.Short(q.size, 1), c.Probed(q.size, 1)
	for at := q.alone; at < last && q.d.Ranks > 0; at++ {
		r := q.next()
		// A set that shares no feature before this one shares what is left of this set at most
		// (positional filter: Xiao, Wang, Lin and Yu 2008).
		most := prefix.MostSharing(q.size, q.size-at, c.T)
		if most < least {
			break
		}
		c.count(q, r, at < short, from, sizes{uint32(least), uint32(most)})
	}
	if len(q.Found) == 0 && len(q.crowds.Found) == 0 {
		return
	}
	q.mark()
	q.sketch = slices.Grow(q.sketch[:0], c.sketches.words)[:c.sketches.words]
	clear(q.sketch)
	for _, r := range q.ranks {
		flip(q.sketch, r)
	}
	c.compare(q, best)
	c.lookInCrowds(q, from, best)
}

// compare compares the set with the centers in q.Found, and forgets these.
func (c *similar) compare(q *search, best *found) {
	q.stats.Candidates += int64(len(q.Found))
	t := c.T // or what is as near as the best
	if best.ok {
		t = best.similarity(q.size)
	}
	least, of := 0, 0 // the least that a center of a size shares
	for _, center := range q.Found {
		record := c.sketches.record(center)
		other, alone := c.sketches.sizeOf(record), c.sketches.aloneOf(record)
		if other != of {
			least, of = prefix.LeastShared(q.size, other, t), other
		}
		if min(q.size-q.alone, other-alone) < least {
			continue
		}
		if unshared := q.size + other - 2*least - q.alone - alone; unshared < 0 || !within(q.sketch, record, unshared) {
			continue
		}
		at := c.centers[center]
		if !c.same(c.order[at], q.set) {
			continue
		}
		shared := q.shared(c.order[at], least)
		if shared >= least {
			best.take(q.size, found{at, shared, other, true, true})
			t, of = best.similarity(q.size), 0
		}
	}
	q.Found = q.Found[:0]
}

// count counts the centers from number from on that a rank is listed for. inShort says
// that the set has it in its short prefix, so that those that have it later count, too. Otherwise larger sets need
// not count. near are the sizes of sets that can be similar.
func (c *similar) count(q *search, rank uint32, inShort bool, from uint32, near sizes) {
	at, ok := c.lists.Number(rank)
	if ok {
		for _, crowd := range c.crowds.inList(at) {
			q.crowds.Count(crowd, 1)
		}
	}
	if !ok || !inShort && (c.short[at] == 0 || int(c.least[at]) > q.size) {
		return
	}
	lo, hi := c.lists.starts[at], c.lists.starts[at+1]
	list := c.lists.entries[lo : lo+uint64(c.short[at])]
	for i := len(list) - 1; i >= 0 && list[i] >= from; i-- {
		if q.stats.Entries++; near.has(c.large[list[i]]) {
			q.Count(list[i], 1)
		}
	}
	if !inShort {
		return
	}
	for _, center := range c.lists.entries[hi-uint64(c.long[at]) : hi] { // the last first
		if center < from {
			break
		}
		if q.stats.Entries++; near.has(c.large[center]) {
			q.Count(center, 1)
		}
	}
}

// sizes are from a least to a largest size.
type sizes struct{ least, most uint32 }

func (s sizes) has(size uint32) bool { return s.least <= size && size <= s.most }
