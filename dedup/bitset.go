package dedup

import (
	"math/bits"
	"sync/atomic"
)

// A bitset is a set of numbers.
type bitset []uint64

// grow returns a set with room for the numbers below n.
func (b bitset) grow(n uint32) bitset {
	for uint64(len(b))*64 < uint64(n) {
		b = append(b, 0)
	}
	return b
}

func newBitset(n uint32) bitset { return make(bitset, (uint64(n)+63)/64) }

func (b bitset) has(i uint32) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) set(i uint32) { b[i/64] |= 1 << (i % 64) }

// setShared is set for several goroutines at once.
func (b bitset) setShared(i uint32) { atomic.OrUint64(&b[i/64], 1<<(i%64)) }

// count returns how many numbers of [from, to) are in the set.
func (b bitset) count(from, to uint32) (n int) {
	for i := from; i < to; {
		word := b[i/64] >> (i % 64)
		some := min(64-i%64, to-i)
		n += bits.OnesCount64(word << (64 - some))
		i += some
	}
	return n
}
