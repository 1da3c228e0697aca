package prefix

import "math/bits"

// A rankSet is a set of ranks, which it numbers in ascending order.
type rankSet []rankBlock

// A rankBlock says which of blockRanks ranks are in a set, a bit for each. It fills a line of the cache.
type rankBlock struct {
	before  uint64 // the ranks of the blocks before
	present [blockRanks / 64]uint64
}

const blockRanks = 7 * 64

// newRankSet returns an empty set of ranks less than most.
func newRankSet(most int) rankSet { return make(rankSet, (most+blockRanks-1)/blockRanks) }

func (s rankSet) set(rank uint32) {
	in := rank % blockRanks
	s[rank/blockRanks].present[in/64] |= 1 << (in % 64)
}

// index ends the setting of ranks. It returns how many there are.
func (s rankSet) index() (n int) {
	for i := range s {
		b := &s[i]
		b.before = uint64(n)
		for _, word := range b.present {
			n += bits.OnesCount64(word)
		}
	}
	return n
}

// at returns the number of a rank. ok is false if it is not in the set.
func (s rankSet) at(rank uint32) (at uint32, ok bool) {
	b, in := &s[rank/blockRanks], rank%blockRanks
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
