package prefix

import "slices"

// A counter counts how many first features sets share with another one, by their places or numbers.
type counter struct {
	counts  []uint8
	touched []uint32 // those with a count
	found   []uint32 // the candidates
}

// grow makes room for n sets.
func (c *counter) grow(n int) {
	if len(c.counts) < n {
		c.counts = make([]uint8, n)
	}
}

// count counts that set x shares a first feature. It is a candidate if it shares common, up to which it is counted.
func (c *counter) count(x uint32, common int) {
	n := c.counts[x]
	if int(n) >= common {
		return
	}
	if n == 0 {
		c.touched = append(c.touched, x)
	}
	if n++; int(n) == common {
		c.found = append(c.found, x)
	}
	c.counts[x] = n
}

// countMany counts that some sets share a first feature: those of upper and each of lower.
func (c *counter) countMany(upper uint32, lower []uint16, common int) {
	n := len(c.touched)
	c.touched = slices.Grow(c.touched, len(lower))
	touched, most := c.touched[:n+len(lower)], uint8(common)
	for _, low := range lower {
		x := upper | uint32(low)
		before := c.counts[x]
		touched[n] = x
		n += int((uint32(before) - 1) >> 31) // without a branch
		if before+1 == most {
			c.found = append(c.found, x)
		}
		c.counts[x] = min(before+1, most)
	}
	c.touched = touched[:n]
}

// reset forgets all counts.
func (c *counter) reset() {
	for _, x := range c.touched {
		c.counts[x] = 0
	}
	c.touched, c.found = c.touched[:0], c.found[:0]
}

// marks are some ranks, a bit for each.
type marks []uint64

func newMarks(ranks int) marks { return make(marks, (ranks+63)/64) }

func (m *marks) grow(ranks int) {
	if 64*len(*m) < ranks {
		*m = newMarks(ranks)
	}
}

func (m marks) set(rank uint32) { m[rank/64] |= 1 << (rank % 64) }

// of returns 1 if a rank is marked, and 0 otherwise.
func (m marks) of(rank uint32) int { return int(m[rank/64] >> (rank % 64) & 1) }

// A search is a set of a join, and the memory to find those that are near it.
type search struct {
	sets   *Sets
	ranks  []uint32 // of the set
	marks  marks    // of its ranks
	sketch []uint64 // of its ranks, for stars
	counter
}

// end prepares q for another set.
func (q *search) end() {
	for _, r := range q.ranks {
		q.marks[r/64] = 0
	}
	q.reset()
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
