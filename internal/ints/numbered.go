package ints

import "math/bits"

// A NumberedSet is a set of integers below a bound, which it numbers in ascending order. It takes a bit for each integer below
// the bound, and an eighth of that. After Index, it is safe for concurrent use.
type NumberedSet []numberedBlock

// A numberedBlock has a bit for each of blockMembers integers. It fills a line of the cache.
type numberedBlock struct {
	before  uint64 // the members of the blocks before
	present [blockMembers / 64]uint64
}

const blockMembers = 7 * 64

// NewNumberedSet returns an empty set of integers below a bound.
func NewNumberedSet(bound int) NumberedSet {
	return make(NumberedSet, (bound+blockMembers-1)/blockMembers)
}

// Add adds x, which is below the bound.
func (s NumberedSet) Add(x uint32) {
	in := x % blockMembers
	s[x/blockMembers].present[in/64] |= 1 << (in % 64)
}

// Index ends the adding. It returns the number of members.
func (s NumberedSet) Index() (n int) {
	for i := range s {
		b := &s[i]
		b.before = uint64(n)
		for _, word := range b.present {
			n += bits.OnesCount64(word)
		}
	}
	return n
}

// Number returns how many members are less than x, which is below the bound. ok is false if x is not a member.
func (s NumberedSet) Number(x uint32) (number uint32, ok bool) {
	b, in := &s[x/blockMembers], x%blockMembers
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
