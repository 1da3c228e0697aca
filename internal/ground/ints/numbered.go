package ints

import (
	"math/bits"
	"sync/atomic"
)

// A NumberedSet is a set of integers below a bound, which it numbers in ascending order. It takes a bit for each
// integer below the bound, and an eighth of that. After Index, it is safe for concurrent use.
type NumberedSet []numberedBlock

// A numberedBlock has a bit for each of blockMembers integers. It fills a line of the cache.
type numberedBlock struct {
	before  uint64 // the members of the blocks before
	present [blockWords]uint64
}

const (
	blockWords   = 7
	blockMembers = blockWords * 64
)

// NewNumberedSet returns an empty set of integers below a bound.
func NewNumberedSet(bound int) NumberedSet {
	return make(NumberedSet, (bound+blockMembers-1)/blockMembers)
}

// Word returns the bits of the integers from 64 i on, i below a 64th of the bound.
func (s NumberedSet) Word(i int) *uint64 { return &s[i/blockWords].present[i%blockWords] }

// Add adds x, which is below the bound. It reports whether x is new.
func (s NumberedSet) Add(x uint32) bool {
	word, bit := s.Word(int(x/64)), uint64(1)<<(x%64)
	is := *word&bit == 0
	*word |= bit
	return is
}

// AddAtOnce is Add for several goroutines at once.
func (s NumberedSet) AddAtOnce(x uint32) {
	word, bit := s.Word(int(x/64)), uint64(1)<<(x%64)
	if atomic.LoadUint64(word)&bit == 0 {
		atomic.OrUint64(word, bit)
	}
}

// Has reports whether x, which is below the bound, is a member.
func (s NumberedSet) Has(x uint32) bool { return *s.Word(int(x / 64))>>(x%64)&1 != 0 }

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

// Before returns how many members are less than x, which is below the bound.
func (s NumberedSet) Before(x uint32) uint32 {
	b, in := &s[x/blockMembers], x%blockMembers
	n := int(b.before) + bits.OnesCount64(b.present[in/64]&(1<<(in%64)-1))
	for _, w := range b.present[:in/64] {
		n += bits.OnesCount64(w)
	}
	return uint32(n)
}

// Number is Before of a member. ok is false if x is not a member.
func (s NumberedSet) Number(x uint32) (number uint32, ok bool) {
	b, in := &s[x/blockMembers], x%blockMembers
	if b.present[in/64]>>(in%64)&1 == 0 {
		return 0, false
	}
	return s.Before(x), true
}
