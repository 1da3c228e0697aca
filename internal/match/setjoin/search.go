package setjoin

import (
	"slices"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/vocabulary"
)

// A search is a set that a center is looked for, and the memory to do so.
type search struct {
	sets   *prefix.Sets
	set    uint32
	size   int
	alone  int                // features without a rank
	d      vocabulary.Decoder // what has not been read
	ranks  []uint32           // what has been read
	marks  vocabulary.Marks   // of all ranks, once they are marked
	marked bool
	sketch []uint64 // of all ranks, once they are marked, for stars
	tails  []tail   // for stars with contained sets

	crowds     ints.Counter // that are looked at
	difference difference   // from the template of one of them
	needs      []need       // how many differences a center of it shares at least, by how many it has
	rows       []rowsOf     // of the elements of the difference

	stats Stats
	ints.Counter
}

// begin begins with a set.
func (q *search) begin(set uint32) {
	q.set, q.ranks = set, q.ranks[:0]
	q.d = q.sets.Decoder(set)
	q.size, q.alone = q.d.Features, q.d.Alone
}

// next returns the next rank of the set. There must be one.
func (q *search) next() uint32 {
	r, err := q.d.Rank()
	if err != nil {
		panic(q.sets.Bad(q.set, err))
	}
	q.ranks = append(q.ranks, r)
	return r
}

// mark marks all ranks of the set.
func (q *search) mark() {
	if q.marked {
		return
	}
	n := len(q.ranks)
	q.ranks = slices.Grow(q.ranks, q.d.Ranks)[:n+q.d.Ranks]
	if err := q.d.Read(q.ranks[n:]); err != nil {
		panic(q.sets.Bad(q.set, err))
	}
	q.marks.Mark(q.ranks)
	q.marked = true
}

// end ends with the set.
func (q *search) end() {
	if q.marked {
		q.marks.Unmark(q.ranks)
		q.marked = false
	}
	q.Reset()
	q.crowds.Reset()
}

// shared returns how many features the marked set shares with another one, or less than least.
func (q *search) shared(set uint32, least int) int {
	d := q.sets.Decoder(set)
	return q.sharedWith(set, &d, least)
}

// sharedWith is shared of a set that d decodes.
func (q *search) sharedWith(set uint32, d *vocabulary.Decoder, least int) int {
	shared, _, err := q.marks.Shared(d, q.ranks[len(q.ranks)-1], least)
	if err != nil {
		panic(q.sets.Bad(set, err))
	}
	return shared
}
