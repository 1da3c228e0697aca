package setjoin

import (
	"math/bits"
	"slices"

	"simsearch/internal/prefix"
)

// Crowds are the crowds of centers of stars. When the list of a rank gets long, its centers are looked through for sets that have most of
// their features in common. From then on, lists have the crowd of a center in its place, but for those that were not looked through since, and
// have the center itself.
type crowds struct {
	all  []*crowd
	of   []uint32 // for each center, one more than the number of its crowd, or 0
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

// A list is looked through when it has longList entries, or a multiple of that by a power of two. A crowd has leastOfCrowd centers at first.
// To know whether there is one, some evenly spaced sets of the list are compared with a few of them.
const longList, leastOfCrowd, crowdSample, crowdPivots = 1 << 8, 1 << 6, 16, 4

// isLong reports whether a list of n entries is to be looked through.
func isLong(n uint32) bool { return n >= longList && bits.OnesCount32(n) == 1 }

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
func (c *similar) read(center uint32, s *set) error {
	of := c.order[c.centers[center]]
	d, err := c.sets.Decoder(of)
	if err != nil {
		return err
	}
	s.size = d.Features
	s.ranks = slices.Grow(s.ranks[:0], d.Ranks)[:d.Ranks]
	if err := d.Read(s.ranks); err != nil {
		return c.sets.Bad(of, err)
	}
	return nil
}

// renew makes a crowd anew of the given centers, which are ascending.
func (c *similar) renew(k *crowd, members []uint32) error {
	return k.renew(members, c.sketches.words, func(center uint32) ([]uint32, int, error) {
		err := c.read(center, &c.crowds.one)
		return c.crowds.one.ranks, c.crowds.one.size, err
	})
}

// join adds a new center, which is w.last, to the crowd that it fits best, of those in the lists of its first ranks, if it fits.
func (c *similar) join(center uint32, first []uint32) error {
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
	if best == nil {
		return nil
	}
	if best.differ(&w.difference, w.last.ranks, w.last.alone()); !best.fits(&w.difference, w.last.size) {
		return nil
	}
	w.of[center] = of
	best.add(center, w.last.size, &w.difference)
	if len(best.members) < best.renewAt {
		return nil
	}
	return c.renew(best, best.members)
}

// classOf returns the class of a center.
func (c *similar) classOf(center uint32) uint64 {
	if c.Class == nil {
		return 0
	}
	return c.Class[c.order[c.centers[center]]]
}

// gather puts crowds into a list in the place of their centers. It makes new ones of centers that are of none.
func (c *similar) gather(at uint32) error {
	w := &c.crowds
	lo, hi := c.lists.starts[at], c.lists.starts[at+1]
	short, long := c.lists.entries[lo:lo+uint64(c.short[at])], c.lists.entries[hi-uint64(c.long[at]):hi]
	var free []uint32 // centers that are of no crowd
	for _, list := range [][]uint32{short, long} {
		for _, center := range list {
			if of := w.of[center]; of > 0 {
				w.put(at, of-1)
			} else {
				free = append(free, center)
			}
		}
	}
	slices.Sort(free)
	for _, i := range slices.Clone(c.crowds.inList(at)) {
		k := w.all[i]
		var members []uint32
		for _, center := range free {
			if c.classOf(center) != k.class {
				continue
			}
			if err := c.read(center, &w.one); err != nil {
				return err
			}
			if k.differ(&w.difference, w.one.ranks, w.one.alone()); k.fits(&w.difference, w.one.size) {
				members = append(members, center)
			}
		}
		if 8*len(members) < len(k.members) {
			continue
		}
		if err := c.take(i, members); err != nil {
			return err
		}
		free = slices.DeleteFunc(free, func(center uint32) bool { return w.of[center] > 0 })
	}
	if err := c.found(at, free); err != nil {
		return err
	}
	if w.in == nil {
		return nil
	}
	isFree := func(center uint32) bool { return w.of[center] == 0 }
	n := 0
	for _, center := range short {
		if isFree(center) {
			short[n] = center
			n++
		}
	}
	c.short[at] = uint32(n)
	n = len(long)
	for i, center := range slices.Backward(long) {
		if isFree(center) {
			n--
			long[n] = long[i]
		}
	}
	c.long[at] = uint32(len(long) - n)
	return nil
}

// take adds centers to a crowd.
func (c *similar) take(crowd uint32, centers []uint32) error {
	if len(centers) == 0 {
		return nil
	}
	k := c.crowds.all[crowd]
	members := slices.Concat(k.members, centers)
	slices.Sort(members)
	for _, center := range centers {
		c.crowds.of[center] = crowd + 1
	}
	return c.renew(k, members)
}

// found makes a crowd of centers of a list that are of none, if many of them have most of their features in common.
func (c *similar) found(at uint32, free []uint32) error {
	w := &c.crowds
	if len(free) < leastOfCrowd {
		return nil
	}
	alike := func(center uint32) (bool, error) {
		err := c.read(center, &w.one)
		return err == nil && w.one.size <= mostOfCrowd && 2*sharedRanks(w.last.ranks, w.one.ranks) >= max(w.last.size, w.one.size), err
	}
	for p := range crowdPivots {
		pivot := free[(2*p+1)*len(free)/(2*crowdPivots)]
		if err := c.read(pivot, &w.last); err != nil {
			return err
		}
		many := 0
		for i := range crowdSample {
			is, err := alike(free[i*len(free)/crowdSample])
			if err != nil {
				return err
			}
			if is {
				many++
			}
		}
		if 4*many < crowdSample {
			continue
		}
		k := &crowd{t: c.T, class: c.classOf(pivot)}
		var members []uint32
		for _, center := range free {
			is, err := alike(center)
			if err != nil {
				return err
			}
			if is && c.classOf(center) == k.class {
				members = append(members, center)
			}
		}
		if len(members) < leastOfCrowd {
			continue
		}
		if w.in == nil {
			w.in = make([]uint32, len(c.short))
		}
		i := uint32(len(w.all))
		w.all, w.numbers = append(w.all, k), append(w.numbers, i)
		w.put(at, i)
		return c.take(i, members)
	}
	return nil
}

// sharedRanks returns how many ranks are in both of two ascending lists.
func sharedRanks(a, b []uint32) (shared int) {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x < y:
			a = a[1:]
		case x > y:
			b = b[1:]
		default:
			a, b, shared = a[1:], b[1:], shared+1
		}
	}
	return shared
}

// lookInCrowds sets best to the best center of the set, if one of q.crowds that shares no difference with it is better, and adds those that
// may be better yet to q.Found.
func (c *similar) lookInCrowds(q *search, from uint32, best *found) error {
	d := &q.difference
	for _, i := range q.crowds.Found {
		k := c.crowds.all[i]
		if c.Class != nil && c.Class[q.set] != k.class {
			continue
		}
		// A near set differs from a center by no more than MostUnshared, and a center from the template by no more than it does.
		if limit := len(k.largest) - 1 + c.MostUnshared(max(q.size, prefix.MostSize(q.size, c.T, mostOfCrowd))) - q.alone; limit < 0 || !within(q.sketch, k.sketch, limit) {
			continue
		}
		k.differ(d, q.ranks, q.alone)
		if center, ok := k.first(d, q.size, from, best); ok {
			if err := c.compare(q, []uint32{center}, best); err != nil {
				return err
			}
		}
		k.candidates(q, d, q.size, from, best)
	}
	return nil
}
