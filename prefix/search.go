package prefix

import (
	"slices"

	"simsearch/internal/vocabulary"
)

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

// A search is a set that a center is looked for, and the memory to do so.
type search struct {
	sets   *Sets
	set    uint32
	size   int
	alone  int                // features without a rank
	d      vocabulary.Decoder // what has not been read
	ranks  []uint32           // what has been read
	marks  vocabulary.Marks   // of all ranks, once they are marked
	marked bool
	sketch []uint64 // of all ranks, once they are marked, for stars
	tails  []tail   // for stars with contained sets
	stats  PairStats
	counter
}

// begin begins with a set.
func (q *search) begin(set uint32) (err error) {
	q.set, q.ranks = set, q.ranks[:0]
	q.d, err = q.sets.decoder(set)
	q.size, q.alone = q.d.Features, q.d.Alone
	return err
}

// next returns the next rank of the set. There must be one.
func (q *search) next() (uint32, error) {
	r, err := q.d.Rank()
	if err != nil {
		return 0, q.sets.bad(q.set, err)
	}
	q.ranks = append(q.ranks, r)
	return r, nil
}

// mark marks all ranks of the set.
func (q *search) mark() error {
	if q.marked {
		return nil
	}
	n := len(q.ranks)
	q.ranks = slices.Grow(q.ranks, q.d.Ranks)[:n+q.d.Ranks]
	if err := q.d.Read(q.ranks[n:]); err != nil {
		return q.sets.bad(q.set, err)
	}
	q.marks.Mark(q.ranks)
	q.marked = true
	return nil
}

// end ends with the set.
func (q *search) end() {
	if q.marked {
		q.marks.Unmark(q.ranks)
		q.marked = false
	}
	q.reset()
}

// shared returns how many features the marked set shares with another one, or less than least.
func (q *search) shared(set uint32, least int) (shared int, err error) {
	d, err := q.sets.decoder(set)
	if err != nil {
		return 0, err
	}
	if shared, _, err = q.marks.Shared(&d, q.ranks[len(q.ranks)-1], least); err != nil {
		err = q.sets.bad(set, err)
	}
	return shared, err
}
