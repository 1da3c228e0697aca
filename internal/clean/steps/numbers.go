package steps

import (
	"math"
	"math/bits"
)

// A numberSet has numbers from 0, a bit each.
type numberSet []uint64

func newNumberSet(n int) numberSet { return make(numberSet, (n+63)/64) }

// allNumbers returns the numbers below n.
func allNumbers(n int) numberSet {
	s := newNumberSet(n)
	for i := range s {
		s[i] = math.MaxUint64
	}
	if n%64 != 0 {
		s[len(s)-1] >>= 64 - n%64
	}
	return s
}

func (s numberSet) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

func (s numberSet) add(i int) { s[i>>6] |= 1 << (i & 63) }

// all yields the numbers in ascending order.
func (s numberSet) all(yield func(i int) bool) {
	for at, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(64*at + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// A numbering gives numbers to those that a numberSet has.
type numbering struct {
	set    numberSet
	before []uint32 // how many of set come before each word
	n      int      // how many set has
	of     []uint32 // the number of each of set
}

// newNumbering returns a numbering without numbers, which the caller sets in of.
func newNumbering(set numberSet) numbering {
	n, before := uint32(0), make([]uint32, len(set))
	for i, word := range set {
		before[i] = n
		n += uint32(bits.OnesCount64(word))
	}
	return numbering{set: set, before: before, n: int(n)}
}

// number returns the number of i, which set has.
func (m *numbering) number(i int) uint32 {
	return m.of[int(m.before[i>>6])+bits.OnesCount64(m.set[i>>6]&(1<<(i&63)-1))]
}
