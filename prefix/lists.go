package prefix

// RankLists are lists of places, one for each rank that occurs. Most ranks have none.
type rankLists struct {
	rankSet
	starts []uint64 // where each list starts, and the end of the last
	places []uint32
}

// newRankLists returns empty lists of ranks less than most, with room for an entry for each rank that each yields. each is
// called twice, and yields the same.
func newRankLists(most int, each func(do func(place, rank uint32)) error) (*rankLists, error) {
	l := &rankLists{rankSet: newRankSet(most)}
	if err := each(func(_, r uint32) { l.set(r) }); err != nil {
		return nil, err
	}
	l.starts = make([]uint64, l.index()+1)
	err := each(func(_, r uint32) {
		at, _ := l.at(r)
		l.starts[at]++
	})
	sum := uint64(0)
	for i, n := range l.starts {
		l.starts[i] = sum
		sum += n
	}
	l.places = make([]uint32, sum)
	return l, err
}
