package kernels

import (
	"math"
	"math/bits"
	"slices"
)

// Unfilled is the value of a position that no element has reached.
const Unfilled = math.MaxUint64

const (
	maxBits      = 512 // the positions whose bits fit into a register
	fewElements  = 48  // up to this number, a vector has several rounds of one element
	throwsABlock = 200 // then, so many elements are thrown before the free positions are looked for again
)

// fractionBits is the number of bits of a value that are its fraction. Those above are its round.
const fractionBits = 48

// Throw throws elements into the positions of least, in round i with the key keys[i], until no position is Unfilled
// or all rounds are over. It reports whether no position is Unfilled. In a round each element is thrown into one
// position, with the value round·2^48 + fraction, and a position keeps its least value: of the 128-bit product of the
// hash of the element and the number of positions, the upper half is the position, and the upper 48 bits of the lower
// half are the fraction. All positions are Unfilled at first. There is at least one element, and at most 2^14
// positions and rounds.
func Throw(least, elements, keys []uint64) bool {
	k, n := len(least), len(elements)
	if !useAVX512 || k < 8 || k&(k-1) != 0 {
		return throwGeneric(least, elements, keys)
	}
	log := bits.TrailingZeros(uint(k))
	if n <= fewElements && k <= maxBits && len(keys) > 0 && len(keys)%8 == 0 {
		return throwFewAVX512(&least[0], log, &elements[0], n, &keys[0], len(keys), min(max(1, throwsABlock/(8*n)), 16))
	}
	if share := firstShare(k, n); len(keys) > 0 && share < 1 {
		throwBelowAVX512(&least[0], log, &elements[0], n, keys[0], 0, uint64(math.Ldexp(share, 64)))
	}
	for i, key := range keys {
		round := uint64(i) << fractionBits
		if k <= maxBits {
			if throwFreeAVX512(&least[0], log, &elements[0], n, key, round) {
				return true
			}
			continue
		}
		if full(least) {
			return true
		}
		throwBelowAVX512(&least[0], log, &elements[0], n, key, round, math.MaxUint64)
	}
	return full(least)
}

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

// firstShare returns the share of n elements that are thrown first, those with the least fractions: an element with a
// larger fraction changes no position that these fill. Shares of at least 1 are of no use.
func firstShare(k, n int) float64 {
	each := float64(n) / float64(k)
	if k <= maxBits && 4 < each && each < 25 {
		return 3 / each // which fill most positions; throwFreeAVX512 does the others at little cost
	}
	return fillingShare(k, n) // which fill all, in more than 99 of 100 cases
}

// throwFewAVX512 is Throw for n >= 1 elements and 1<<log positions, at least 8 and at most 512. rounds is a positive
// multiple of 8. It looks for the free positions each time that step times eight rounds are over. 8*n*step is at most
// 512, and step at most 16.
//
//go:noescape
func throwFewAVX512(least *uint64, log int, elements *uint64, n int, keys *uint64, rounds, step int) bool

// throwBelowAVX512 throws n >= 1 elements into 1<<log positions, but for those whose fraction of 64 bits is above
// limit. round is that of the values, in their upper bits.
//
//go:noescape
func throwBelowAVX512(least *uint64, log int, elements *uint64, n int, key, round, limit uint64)

// throwFreeAVX512 throws n >= 1 elements into those of 1<<log positions, at least 8 and at most 512, that are
// Unfilled at first. It reports whether none was.
//
//go:noescape
func throwFreeAVX512(least *uint64, log int, elements *uint64, n int, key, round uint64) bool
