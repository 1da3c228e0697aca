package prefix

import "math/bits"

// RankLists are lists of places, one for each rank that occurs. Most ranks have none.
type rankLists struct {
	blocks []rankBlock
	starts []uint64 // where each list starts, and the end of the last
	places []uint32
}

// A rankBlock says which of blockRanks ranks have a list, a bit for each. It fills a line of the cache.
type rankBlock struct {
	before  uint64 // the lists of the blocks before
	present [blockRanks / 64]uint64
}

const blockRanks = 7 * 64

// newRankLists returns empty lists of ranks less than most, with room for an entry for each rank that each yields. It is
// called twice.
func newRankLists(most int, each func(do func(place, rank uint32)) error) (*rankLists, error) {
	l := &rankLists{blocks: make([]rankBlock, (most+blockRanks-1)/blockRanks)}
	err := each(func(_, r uint32) {
		in := r % blockRanks
		l.blocks[r/blockRanks].present[in/64] |= 1 << (in % 64)
	})
	if err != nil {
		return nil, err
	}
	lists := 0
	for i := range l.blocks {
		b := &l.blocks[i]
		b.before = uint64(lists)
		for _, word := range b.present {
			lists += bits.OnesCount64(word)
		}
	}
	l.starts = make([]uint64, lists+1)
	err = each(func(_, r uint32) {
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

// fill fills the lists with the places of the ranks that newRankLists has seen, in the same order.
func (l *rankLists) fill(each func(do func(place, rank uint32)) error) error {
	err := each(func(place, r uint32) {
		at, _ := l.at(r)
		l.places[l.starts[at]] = place
		l.starts[at]++
	})
	// Each start has moved on to the next.
	copy(l.starts[1:], l.starts[:len(l.starts)-1])
	l.starts[0] = 0
	return err
}

// at returns the number of the list of a rank. ok is false if there is none.
func (l *rankLists) at(rank uint32) (at uint32, ok bool) {
	b, in := &l.blocks[rank/blockRanks], rank%blockRanks
	word, bit := b.present[in/64], uint64(1)<<(in%64)
	if word&bit == 0 {
		return 0, false
	}
	n := int(b.before) + bits.OnesCount64(word&(bit-1))
	for _, w := range b.present[:in/64] {
		n += bits.OnesCount64(w)
	}
	return uint32(n), true
}
