package setjoin

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"simsearch/internal/match/prefix"
)

// Containing are centers for sets that are similar to them, or of which they have a share (StarOptions.Contained). A set that
// shares enough with a center shares some of its own rarest features with it, wherever they are in the
// order of the features of the center. So centers are listed by all their features, but only by those that are among
// the rarest ones of some set.
type containing struct {
	*stars
	lists *rankLists // numbers of centers, ascending in each list
	ends  []uint64   // of what each list has now
}

// mostCommon is how many of its rarest features a set must share with a candidate, if it has so many.
const mostCommon = 3

// leastWindow is how many centers a set is first looked for in.
const leastWindow = 1 << 8

// newContaining makes empty lists for all ranks that are looked up, with room for all sets.
func newContaining(ctx context.Context, st *stars) (*containing, error) {
	for place := st.First + 1; place < len(st.order); place++ {
		if st.sizes[place-1] < st.sizes[place] {
			return nil, errors.New("prefix: a larger set behind a smaller one")
		}
	}
	c := &containing{stars: st}
	looked := c.firstRanks(ctx, st.First, len(st.order), func(_ uint32, n int) int { length, _ := c.rarest(n); return length })
	listed := c.firstRanks(ctx, 0, len(st.order), func(_ uint32, n int) int { return n })
	var err error
	if c.lists, err = newRankLists(st.sets.Ranks(), looked, listed); err != nil {
		return nil, err
	}
	c.ends = slices.Clone(c.lists.starts[:len(c.lists.starts)-1])
	st.stats.Postings = int64(len(c.lists.entries))
	return c, nil
}

// rarest returns how many of the rarest features of a set of n suffice to find its center, by the number of them that are common
// to both.
func (c *containing) rarest(n int) (length, common int) {
	near := prefix.LeastShared(n, n, c.T)
	if c.First > 0 { // these may be smaller
		near = prefix.LeastSize(n, c.T)
	}
	return rarest(n, min(near, prefix.LeastSize(n, c.Contained)))
}

// rarest returns how many of the rarest features of a set of n suffice to find the sets that share at least least features with it, by
// the number of them that are common to both.
func rarest(n, least int) (length, common int) {
	common = min(mostCommon, least)
	return prefix.Needed(n, least, common), common
}

func (c *containing) add(place, center uint32) {
	d := c.sets.Decoder(c.order[place])
	for d.Ranks > 0 {
		r, err := d.Rank()
		if err != nil {
			panic(c.sets.Bad(c.order[place], err))
		}
		if i, ok := c.lists.Number(r); ok {
			c.lists.entries[c.ends[i]] = center
			c.ends[i]++
		}
	}
}

// A tail is what is left of a list, whose end has been looked at.
type tail struct{ from, to uint64 }

// Behind the first sets, centers have ever fewer features. So those that can be similar come last. Where they end, the
// next one that contains the set is the best one. The last ones are looked at first, so that a crowd that contains a set is not
// compared with it as a whole.
func (c *containing) look(q *search, place, from uint32, best *found) {
	defer q.end()
	q.begin(c.order[place])
	q.tails = q.tails[:0]
	length, common := c.rarest(q.size)
	for at := q.alone; at < length && q.d.Ranks > 0; at++ {
		r := q.next()
		i, _ := c.lists.Number(r)
		q.tails = append(q.tails, tail{c.lists.starts[i], c.ends[i]})
	}
	w := &windows{containing: c, search: q, common: common, most: prefix.MostSize(q.size, c.T, math.MaxInt32)}
	first := min(uint32(c.First), uint32(len(c.centers))) // all of them are centers
	stop := max(from, first)
	lo := max(stop, first+uint32(sort.Search(len(c.centers)-int(first), func(i int) bool { return int(c.sizes[c.centers[int(first)+i]]) <= w.most })))
	w.compare(lo)
	for window := uint32(leastWindow); lo > stop && !w.best.ok; window *= 4 {
		lo -= min(window, lo-stop)
		w.compare(lo)
	}
	if from < first {
		w.skip(first)
		w.compare(from)
	}
	if w.best.ok {
		best.take(q.size, w.best)
	}
}

// Windows are centers that may be that of a set. They are looked at from the last one down.
type windows struct {
	*containing
	*search
	common int // how many of the rarest features they share
	most   int // features of those that can be similar
	best   found
}

// skip leaves out the centers from number from on.
func (w *windows) skip(from uint32) {
	for i := range w.tails {
		t := &w.tails[i]
		t.to = t.from + uint64(sort.Search(int(t.to-t.from), func(i int) bool { return w.lists.entries[t.from+uint64(i)] >= from }))
	}
}

// candidates returns the centers from number from on that share enough of the rarest features, the last one first. They are not
// looked at again.
func (w *windows) candidates(from uint32) []uint32 {
	w.Reset()
	for i := range w.tails {
		t := &w.tails[i]
		for ; t.to > t.from && w.lists.entries[t.to-1] >= from; t.to-- {
			w.search.stats.Entries++
			w.Count(w.lists.entries[t.to-1], w.common)
		}
	}
	slices.Sort(w.search.Found)
	slices.Reverse(w.search.Found)
	return w.search.Found
}

// compare compares the set with the candidates from number from on that have not been looked at.
func (w *windows) compare(from uint32) {
	n := w.size
	for _, center := range w.candidates(from) {
		place := w.centers[center]
		size := int(w.sizes[place])
		if size > w.most && w.best.ok || !w.same(w.order[place], w.search.set) {
			continue // the best is a later one, or near
		}
		near := prefix.LeastShared(n, size, w.T)
		least := near
		if size >= n && !w.best.ok {
			least = min(near, prefix.LeastSize(n, w.Contained))
		}
		if min(n-w.alone, size) < least {
			continue
		}
		w.mark()
		w.search.stats.Candidates++
		shared := w.shared(w.order[place], least)
		if shared >= least {
			w.best.take(n, found{place, shared, size, shared >= near, true})
		}
	}
}
