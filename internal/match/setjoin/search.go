package setjoin

import (
	"slices"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
)

// A search is a set whose ranks are marked, so that others are compared with it, and the memory to do so.
type search struct {
	sets  *prefix.Sets
	size  int
	ranks []uint32
	marks prefix.Marks
	masks []uint8 // of sketches
	stats Stats
	ints.Counter
}

// newSearch returns a search of sets, of which so many numbers are counted.
func newSearch(s *prefix.Sets, numbers int) *search {
	q := &search{sets: s, marks: prefix.NewMarks(s.Ranks())}
	q.Grow(numbers)
	return q
}

// begin begins with a set.
func (q *search) begin(set uint32) {
	d := q.sets.Decoder(set)
	q.size, q.ranks = d.Features, slices.Grow(q.ranks[:0], d.Ranks)[:d.Ranks]
	if err := d.Read(q.ranks); err != nil {
		q.ranks = q.ranks[:0]
		panic(q.sets.Bad(set, err))
	}
	q.marks.Mark(q.ranks)
}

// end ends with the set.
func (q *search) end() {
	q.marks.Unmark(q.ranks)
	q.ranks = q.ranks[:0]
	q.Reset()
}

// shared returns how many features the set, which has a rank, shares with another one. If they share less than least,
// or the first rank that both have is not the wanted one, it returns less than least. Any is wanted if that is
// NoRank.
func (q *search) shared(set, wanted uint32, least int) int {
	d := q.sets.Decoder(set)
	shared, err := q.marks.Shared(&d, wanted, q.ranks[len(q.ranks)-1], least)
	if err != nil {
		panic(q.sets.Bad(set, err))
	}
	return shared
}
