package setjoin

import "simsearch/internal/ground/ints"

// RankLists are lists of numbers, one for each rank that is looked up. Most ranks have none.
type rankLists struct {
	ints.NumberedSet
	starts  []uint64 // where each list starts, and the end of the last
	entries []uint32
}

// newRankLists returns empty lists of the ranks less than most that looked yields, with room for an entry for each time that listed
// yields one of them.
func newRankLists(most int, looked, listed func(do func(rank, place uint32)) error) (*rankLists, error) {
	l := &rankLists{NumberedSet: ints.NewNumberedSet(most)}
	if err := looked(func(rank, _ uint32) { l.Add(rank) }); err != nil {
		return nil, err
	}
	l.starts = make([]uint64, l.Index()+1)
	err := listed(func(r, _ uint32) {
		if at, ok := l.Number(r); ok {
			l.starts[at]++
		}
	})
	sum := uint64(0)
	for i, n := range l.starts {
		l.starts[i] = sum
		sum += n
	}
	l.entries = make([]uint32, sum)
	return l, err
}
