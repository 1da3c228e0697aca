package setjoin

import (
	"math"
	"math/bits"
	"slices"

	"simsearch/internal/match/prefix"
)

// Crowds are the crowds of centers of stars. When the list of a rank gets long, its centers are looked through for sets that have most of
// their features in common. From then on, lists have the crowd of a center in its place, but for those that were not looked through
// since, and have the center itself.
type crowds struct {
	long uint32 // how many entries a list has when it is looked through
	all  []*crowd
	of   []uint32 // for each center, one more than the number of its crowd, or 0
	at   []uint32 // and its place among the members of that
	last set      // the set that was read last
	one  set      // another one
	difference

	// The crowds of each list: 0 if there are none, one more than the number of the only one, or several and the place of them all in
	// lists. It is nil until there are crowds.
	in      []uint32
	lists   [][]uint32 // ascending
	numbers []uint32   // of all crowds
}

// several is in crowds.in of a list that has several crowds.
const several = 1 << 31

// A set is what has been read of a center.
type set struct {
	ranks []uint32 // ascending
	size  int
}

func (s *set) alone() int { return s.size - len(s.ranks) }

// A list is looked through when it has crowds.long entries, or a multiple of that by a power of four. A crowd has a fourth of them at
// first.
const longList = 1 << 8

// isLong reports whether a list of n entries is to be looked through.
func (w *crowds) isLong(n uint32) bool {
	times := n / w.long
	return n == times*w.long && bits.OnesCount32(times) == 1 && bits.TrailingZeros32(times)%2 == 0
}

// inList returns the crowds of a list.
func (w *crowds) inList(at uint32) []uint32 {
	if w.in == nil || w.in[at] == 0 {
		return nil
	}
	if i := w.in[at]; i < several {
		return w.numbers[i-1 : i]
	}
	return w.lists[w.in[at]-several]
}

// put puts a crowd into a list, unless it is there.
func (w *crowds) put(at, crowd uint32) {
	in := &w.in[at]
	if *in == 0 || *in == crowd+1 {
		*in = crowd + 1
		return
	}
	if *in < several {
		w.lists = append(w.lists, []uint32{*in - 1})
		*in = several + uint32(len(w.lists)-1)
	}
	list := &w.lists[*in-several]
	if i, ok := slices.BinarySearch(*list, crowd); !ok {
		*list = slices.Insert(*list, i, crowd)
	}
}

// read reads the set of a center.
func (c *similar) read(center uint32, s *set) {
	of := c.order[c.centers[center]]
	d := c.sets.Decoder(of)
	s.size = d.Features
	s.ranks = slices.Grow(s.ranks[:0], d.Ranks)[:d.Ranks]
	if err := d.Read(s.ranks); err != nil {
		panic(c.sets.Bad(of, err))
	}
}

// renew makes a crowd anew of the given centers, which are ascending.
func (c *similar) renew(k *crowd, members []uint32) {
	for i, center := range members {
		c.crowds.at[center] = uint32(i)
	}
	k.renew(members, c.sketches.words, func(center uint32) ([]uint32, int) {
		c.read(center, &c.crowds.one)
		return c.crowds.one.ranks, c.crowds.one.size
	})
}

// join adds a new center, which is w.last, to the crowd that it fits best, of those in the lists of its first ranks, if it fits.
func (c *similar) join(center uint32, first []uint32) {
	w := &c.crowds
	sketch, class := c.sketches.record(center)[:c.sketches.words], c.classOf(center)
	var best *crowd
	of, least := uint32(0), 0
	for _, r := range first {
		at, _ := c.lists.Number(r)
		for _, i := range w.inList(at) {
			k := w.all[i]
			if k == best || k.class != class {
				continue
			}
			differ := 0
			for j, word := range sketch {
				differ += bits.OnesCount64(word ^ k.sketch[j])
			}
			if best == nil || differ < least || differ == least && i+1 < of {
				best, of, least = k, i+1, differ
			}
		}
	}
	if best == nil || !best.fits(w.last.ranks, w.last.size) {
		return
	}
	w.of[center], w.at[center] = of, uint32(len(best.members))
	best.differ(&w.difference, w.last.ranks, w.last.alone())
	best.add(center, w.last.size, &w.difference)
	if len(best.members) >= best.renewAt {
		c.renew(best, best.members)
	}
}

// classOf returns the class of a center.
func (c *similar) classOf(center uint32) uint64 {
	if c.Class == nil {
		return 0
	}
	return c.Class[c.order[c.centers[center]]]
}

// gather puts crowds into a list in the place of their centers. It makes one of centers that are of none, if many are alike, and puts
// this one into the other lists, too, that many of its centers have.
func (c *similar) gather(at uint32) {
	short, long := c.entries(at)
	var free []uint32 // centers that are of no crowd
	for _, list := range [][]uint32{short, long} {
		for _, center := range list {
			if c.crowds.of[center] == 0 {
				free = append(free, center)
			}
		}
	}
	slices.Sort(free)
	k := c.found(at, free)
	if c.crowds.in == nil {
		return
	}
	c.replace(at)
	if k == nil {
		return
	}
	for _, r := range k.template {
		if at, ok := c.lists.Number(r); ok && int(c.short[at]+c.long[at]) < 16*len(k.members) {
			c.replace(at)
		}
	}
}

// entries returns the centers of a list: those that have its rank in their short prefix, ascending, and the others, descending.
func (c *similar) entries(at uint32) (short, long []uint32) {
	lo, hi := c.lists.starts[at], c.lists.starts[at+1]
	return c.lists.entries[lo : lo+uint64(c.short[at])], c.lists.entries[hi-uint64(c.long[at]) : hi]
}

// replace puts crowds into a list in the place of their centers.
func (c *similar) replace(at uint32) {
	short, long := c.entries(at)
	isFree := func(center uint32) bool {
		of := c.crowds.of[center]
		if of > 0 {
			c.crowds.put(at, of-1)
		}
		return of == 0
	}
	c.short[at] = 0
	for _, center := range short {
		if isFree(center) {
			short[c.short[at]] = center
			c.short[at]++
		}
	}
	c.long[at] = 0
	for _, center := range slices.Backward(long) {
		if isFree(center) {
			c.long[at]++
			long[len(long)-int(c.long[at])] = center
		}
	}
}

// found makes a crowd of centers of a list that are of none, and returns it, if many of them have most of their features in common. If
// the list has a crowd that they fit, they enter it instead, unless it is so large that making it anew takes too long.
func (c *similar) found(at uint32, free []uint32) *crowd {
	w, q := &c.crowds, c.search()
	defer c.searches.Put(q)
	free = slices.DeleteFunc(slices.Clone(free), func(center uint32) bool { return c.large[center] > mostOfCrowd })
	sets := make([]uint32, len(free))
	for i, center := range free {
		sets[i] = c.order[c.centers[center]]
	}
	least := int(w.long / 4)
	pivot, alike := q.crowd(sets, least)
	if alike == nil {
		return nil
	}
	class := c.classOf(free[pivot])
	var members []uint32
	for _, i := range alike {
		if center := free[i]; c.classOf(center) == class {
			members = append(members, center)
		}
	}
	if len(members) < least {
		return nil
	}
	c.read(free[pivot], &w.one)
	if w.in == nil {
		w.in = make([]uint32, len(c.short))
	}
	for _, i := range w.inList(at) {
		k := w.all[i]
		if k.class == class && 8*len(members) >= len(k.members) && k.fits(w.one.ranks, w.one.size) {
			c.enter(i, members)
			return k
		}
	}
	i := uint32(len(w.all))
	w.all, w.numbers = append(w.all, &crowd{t: c.T, class: class}), append(w.numbers, i)
	c.enter(i, members)
	return w.all[i]
}

// enter adds centers to a crowd.
func (c *similar) enter(crowd uint32, centers []uint32) {
	k := c.crowds.all[crowd]
	members := slices.Concat(k.members, centers)
	slices.Sort(members)
	for _, center := range centers {
		c.crowds.of[center] = crowd + 1
	}
	c.renew(k, members)
}

// lookInCrowds sets best to the best center of the marked set in q.crowds from number from on, if one is better than best. q.Found is empty.
func (c *similar) lookInCrowds(q *search, from uint32, best *found) {
	d := &q.difference
	most := c.MostUnshared(max(q.size, prefix.MostSize(q.size, c.T, mostOfCrowd))) // with a center
	for _, i := range q.crowds.Found {
		k := c.crowds.all[i]
		if c.Class != nil && c.Class[q.set] != k.class {
			continue
		}
		// A near set differs from the template by no more features than from a center, and this one from the template.
		limit := len(k.largest) - 1 + most
		if limit < q.alone || !within(q.sketch, k.sketch, limit-q.alone) {
			continue
		}
		if least := (q.size + len(k.template) - limit + 1) / 2; q.marks.Among(k.template, least) < least {
			continue
		}
		k.differ(d, q.ranks, q.alone)
		if center, ok := k.first(d, q.size, from, best); ok {
			q.Found = append(q.Found, center)
			c.compareInCrowd(q, k, best)
		}
		c.lookInCrowd(q, k, from, best)
	}
}

// lookInCrowd sets best to the best center of the marked set among those of a crowd from number from on that share a difference with it,
// if one is better than best. The difference of the set is in q.
//
// Centers of few differences come first, since there are few of them, and the best one spares most of the others.
func (c *similar) lookInCrowd(q *search, k *crowd, from uint32, best *found) {
	d := &q.difference
	least := k.least(q.size, best)
	q.needs = q.needs[:0]
	smallest := int32(math.MaxInt32)
	for differs := range k.largest {
		need := k.needs(differs, d, q.size, least)
		q.needs = append(q.needs, need)
		smallest = min(smallest, need.after)
	}
	q.rows = q.rows[:0]
	for i, order := range d.elements {
		left := int32(len(d.elements) - i) // of the set, with this one
		if left < smallest {
			break
		}
		at := uint32(order) & noElement
		if at == noElement {
			continue
		}
		e := &k.elements[at]
		for _, entry := range slices.Backward(e.entries) {
			if entry.center < from {
				break
			}
			q.stats.Entries++
			if need := q.needs[entry.differs]; need.after <= min(left, int32(entry.differs-entry.at)) {
				q.Count(entry.center, int(need.common))
			}
		}
		if e.rows != nil {
			q.rows = append(q.rows, rowsOf{e.rows, left})
		}
	}
	c.compareInCrowd(q, k, best)
	for differs := range k.largest {
		if best.ok {
			q.needs[differs] = k.needs(differs, d, q.size, best.similarity(q.size))
		}
		for _, of := range q.rows {
			if of.left < q.needs[differs].after {
				break
			}
			if differs < len(of.rows) {
				of.rows[differs].candidates(q, differs, from)
			}
		}
		c.compareInCrowd(q, k, best)
	}
}

// compareInCrowd compares the marked set with the centers of a crowd that are in q.Found, and forgets these. It sets best to the best one,
// if one is better than best.
func (c *similar) compareInCrowd(q *search, k *crowd, best *found) {
	q.stats.Candidates += int64(len(q.Found))
	least, has := k.least(q.size, best), len(k.template)-q.difference.lacks()
	for _, center := range q.Found {
		kept := &k.kept[c.crowds.at[center]]
		shared := has - q.marks.Among(k.ranks[kept.from:kept.beside], 0) + q.marks.Among(k.ranks[kept.beside:kept.to], 0)
		if prefix.Jaccard(shared, q.size, int(kept.size)) >= least {
			best.take(q.size, found{c.centers[center], shared, int(kept.size), true, true})
			least = k.least(q.size, best)
		}
	}
	q.Found = q.Found[:0]
}
