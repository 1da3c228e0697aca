package kernels

import (
	"math"
	"math/bits"
	"slices"
)

// Unfilled is the value of a position that no element has reached.
const Unfilled = math.MaxUint64

// fractionBits is the number of bits of a value that are its fraction. Those above are its round.
const fractionBits = 48

// Throw throws elements into the positions of least, in round i with the key keys[i], until no position is Unfilled or all
// rounds are over. It reports whether no position is Unfilled. In a round each element is thrown into one position, with the
// value round·2^48 + fraction, and a position keeps its least value: of the 128-bit product of the hash of the element and the
// number of positions, the upper half is the position, and the upper 48 bits of the lower half are the fraction. All positions
// are Unfilled at first. There is at least one element, and at most 2^14 positions and rounds.
func Throw(least, elements, keys []uint64) bool { return throwRounds(least, elements, keys) }

// throwGeneric is Throw in Go, the reference of the other backends.
func throwGeneric(least, elements, keys []uint64) bool {
	left := len(least)
	for i := 0; i < len(keys) && left > 0; i++ {
		left -= throw(least, elements, keys[i], uint64(i)<<fractionBits)
	}
	return left == 0
}

// throw throws each element into its position of a round, and returns the number of positions that this fills.
func throw(least, elements []uint64, key, round uint64) (filled int) {
	k := uint64(len(least))
	for _, x := range elements {
		position, fraction := bits.Mul64(mix(x^key), k)
		value := round | fraction>>(64-fractionBits)
		p := &least[position]
		if *p == Unfilled {
			filled++
		}
		*p = min(*p, value)
	}
	return filled
}

// mix is the last step of the generator SplitMix, a bijection of 64 bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func full(least []uint64) bool { return !slices.Contains(least, Unfilled) }
