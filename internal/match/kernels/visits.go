package kernels

import (
	"math"
	"math/bits"
)

// Orders is the number of orders in which elements visit positions.
const Orders = 32

// Up to so many elements, a sketch is filled position by position, by vectors and in Go.
const (
	fewVisitors = 96
	fewNEON     = 48 // by its instructions, where others can fill a sketch in rounds
	fewGeneric  = 12
	mostKept    = 1024 // the hashes of so many elements are kept from round to round
)

// Visits says how elements visit the k positions of a sketch, one in each of k rounds, and all in k rounds. Let h be
// the hash of an element. In round 0 it visits the position that is the upper half of h·k. The fraction of round 0 is
// the upper 48 bits of the lower half, and its lowest five bits are the number j of the order of the element. In
// round i, it visits the position that is Order[Orders*i+j] behind that of round 0, modulo k. Its fraction is the
// upper 24 bits of the lower 32 bits of h·Factors[position]. Values are round·2^48 + fraction in round 0, and
// round·2^48 + fraction·2^24 in others.
type Visits struct {
	Key     uint64   // a hash is mix(element^Key)
	Order   []uint16 // of rounds 0 to k-1
	Rounds  []uint16 // the inverse: of order j, that of the position p behind that of round 0 is at 2*k*j+p, and at 2*k*j+k+p
	Factors []uint32 // of the positions, odd
}

// Fill gives every position of least the least value of all visits of elements to it. All positions are Unfilled at
// first, and there is at least one element.
func (v *Visits) Fill(least, elements []uint64) {
	k, n := len(least), len(elements)
	if n <= fewVisitors && visitsAll(k) && (useAVX2 || useAVX512 && hasVBMI2 || useNEON && (n <= fewNEON || k > mostFree)) {
		v.fillFew(least, elements)
		return
	}
	if useAVX512 && hasVBMI2 && k >= 8 && k&(k-1) == 0 && k <= maxBits {
		done := Throw(least, elements, []uint64{v.Key}) // which is round 0
		for i, log := 1, bits.TrailingZeros(uint(k)); i < k && !done; i++ {
			done = visitRoundAVX512(&least[0], log, &elements[0], n, v.Key, uint64(i)<<fractionBits, &v.Order[Orders*i], &v.Factors[0])
		}
		return
	}
	if (useAVX2 || useNEON) && fewGeneric < n && n <= mostKept && k <= mostFree {
		v.fillKept(least, elements)
		return
	}
	v.fillGeneric(least, elements)
}

// fillGeneric is Fill in Go.
func (v *Visits) fillGeneric(least, elements []uint64) {
	if len(elements) <= fewGeneric {
		v.fillFew(least, elements)
		return
	}
	v.fillRounds(least, elements)
}

// fillRounds is Fill, one round after the other.
func (v *Visits) fillRounds(least, elements []uint64) {
	var kept [mostKept + 4]uint64
	var hashes []uint64
	k, left := len(least), len(least)
	limit := fillingLimit(k, len(elements))
	for i := 0; left > 0; {
		for rest := elements; len(rest) > 0; {
			n := min(len(rest), mostKept)
			if i == 0 || len(elements) > mostKept {
				hashes = kept[:hashBelow(kept[:], rest[:n], v.Key, k, limit)]
			}
			if i == 0 {
				left -= first(least, hashes)
			} else {
				left -= v.round(least, hashes, i)
			}
			rest = rest[n:]
		}
		if limit < math.MaxUint64 {
			limit = math.MaxUint64 // the others, for the positions that are left
		} else {
			i++
		}
	}
}

// fillingLimit returns a fraction of 64 bits: in more than 99 of 100 cases, those of n elements that have no greater
// one fill all k positions in round 0, and then the others change nothing.
func fillingLimit(k, n int) uint64 {
	if share := fillingShare(k, n); share < 1 {
		return uint64(math.Ldexp(share, 64))
	}
	return math.MaxUint64
}

func fillingShare(k, n int) float64 {
	return 1.25 * (math.Log(float64(k)) + 4) * float64(k) / float64(n)
}

// hashBelowGeneric is hashBelow in Go: it appends to dst[:0] the hashes of elements whose fraction of 64 bits in
// round 0 is at most limit, and returns their number. dst has room for four more than the elements.
func hashBelowGeneric(dst, elements []uint64, key uint64, k int, limit uint64) (n int) {
	for _, x := range elements {
		h := mix(x ^ key)
		dst[n] = h
		if _, fraction := bits.Mul64(h, uint64(k)); fraction <= limit {
			n++
		}
	}
	return n
}

// A visitor is an element: where in Rounds that of position 0 is, and the lower half of its hash.
type visitor struct{ row, hash uint32 }

// fillFew is Fill for at most fewVisitors elements.
func (v *Visits) fillFew(least, elements []uint64) {
	k := uint64(len(least))
	var visitors [fewVisitors]visitor
	for i, x := range elements {
		h := mix(x ^ v.Key)
		first, low := bits.Mul64(h, k)
		fraction := low >> (64 - fractionBits)
		least[first] = min(least[first], fraction)
		visitors[i] = visitor{uint32(2*k*(fraction%Orders) + k - first), uint32(h)}
	}
	v.fillUnfilled(least, visitors[:len(elements)])
}

// fillUnfilledGeneric gives every Unfilled position the least value of all visits in rounds after 0, in Go. It is the
// reference of the other backends.
func (v *Visits) fillUnfilledGeneric(least []uint64, visitors []visitor) {
	for p := range least {
		if least[p] != Unfilled {
			continue
		}
		for _, x := range visitors {
			least[p] = min(least[p], v.value(uint64(v.Rounds[int(x.row)+p]), x.hash, p))
		}
	}
}

// value returns the value of a visit in a round after 0.
func (v *Visits) value(round uint64, hash uint32, position int) uint64 {
	return round<<fractionBits | uint64(hash*v.Factors[position]>>8)<<24
}

// first lets elements visit positions in round 0, and returns the number of positions that this fills.
func first(least, hashes []uint64) (filled int) {
	for _, h := range hashes {
		p, low := bits.Mul64(h, uint64(len(least)))
		value := &least[p]
		filled += int(*value >> 63) // only Unfilled has this bit
		*value = min(*value, low>>(64-fractionBits))
	}
	return filled
}

// round lets elements visit positions in round i >= 1, and returns the number of positions that this fills.
func (v *Visits) round(least, hashes []uint64, i int) (filled int) {
	k := len(least)
	order := (*[Orders]uint16)(v.Order[Orders*i:])
	settled := uint64(0) // a position with a lesser value does not change; in round 1 the branch would be guessed badly
	if i > 1 {
		settled = uint64(i) << fractionBits
	}
	for _, h := range hashes {
		first, low := bits.Mul64(h, uint64(k))
		p := int(first) + int(order[low>>(64-fractionBits)%Orders])
		p -= k &^ ((p - k) >> 63) // p mod k, without a branch
		value := &least[p]
		if *value < settled {
			continue
		}
		filled += int(*value >> 63)
		*value = min(*value, v.value(uint64(i), uint32(h), p))
	}
	return filled
}

// mostFree is the number of positions up to which fillKept has a bit for each that is Unfilled.
const mostFree = 128

// fillKept is Fill for at most mostKept elements and mostFree positions, by vectors. In each round after the first,
// vectors find the elements that visit Unfilled positions: the others change nothing.
func (v *Visits) fillKept(least, elements []uint64) {
	var hashes [mostKept + 4]uint64
	var firsts, orders [mostKept]uint8 // of each element, its position in round 0 and the number of its order
	k, n := len(least), len(elements)
	hashBelow(hashes[:], elements, v.Key, k, math.MaxUint64)
	for e, h := range hashes[:n] {
		p, low := bits.Mul64(h, uint64(k))
		fraction := low >> (64 - fractionBits)
		least[p] = min(least[p], fraction)
		firsts[e&(mostKept-1)], orders[e&(mostKept-1)] = uint8(p), uint8(fraction%Orders)
	}
	var free [mostFree / 64]uint64
	for i := range free {
		word := uint64(0)
		for p, value := range least[min(k, 64*i):min(k, 64*i+64)] {
			word |= value >> 63 << (p & 63) // only Unfilled has this bit
		}
		free[i] = word
	}
	var visiting [mostKept / 32]uint32
	for i := 1; free[0]|free[1] != 0; i++ {
		order := (*[Orders]uint16)(v.Order[Orders*i:])
		visitFreeVectors(&visiting[0], &firsts[0], &orders[0], n, order, free[0], free[1], k)
		for word, set := range visiting[:(n+31)/32] {
			for ; set != 0; set &= set - 1 {
				e := (32*word + bits.TrailingZeros32(set)) & (mostKept - 1)
				p := int(firsts[e]) + int(order[orders[e]%Orders])
				p -= k &^ ((p - k) >> 63) // p mod k, without a branch
				least[p] = min(least[p], v.value(uint64(i), uint32(hashes[e]), p))
				free[p>>6&1] &^= 1 << (p & 63)
			}
		}
	}
}

// visitsAll reports whether visitAllAVX512 and visitAllVectors can fill k positions.
func visitsAll(k int) bool { return k%64 == 0 && k <= 256 }

func (v *Visits) fillUnfilled(least []uint64, visitors []visitor) {
	switch {
	case !visitsAll(len(least)):
		v.fillUnfilledGeneric(least, visitors)
	case useAVX512 && hasVBMI2:
		visitAllAVX512(&least[0], len(least), &visitors[0], len(visitors), &v.Rounds[0], &v.Factors[0])
	case useAVX2 || useNEON:
		visitAllVectors(&least[0], len(least), &visitors[0], len(visitors), &v.Rounds[0], &v.Factors[0])
	default:
		v.fillUnfilledGeneric(least, visitors)
	}
}

// visitAllAVX512 fills the Unfilled of k positions for n >= 1 visitors. k is a positive multiple of 64, and at most
// 256.
//
//go:noescape
func visitAllAVX512(least *uint64, k int, visitors *visitor, n int, rounds *uint16, factors *uint32)

// visitAllVectors is visitAllAVX512.
//
//go:noescape
func visitAllVectors(least *uint64, k int, visitors *visitor, n int, rounds *uint16, factors *uint32)

// fours has for each set of the numbers 0 to 3, as bits, those numbers in ascending order, as pairs of halves.
var fours = func() (of [16][8]uint32) {
	for set := range of {
		n := 0
		for i := range uint32(4) {
			if set>>i&1 != 0 {
				of[set][n], of[set][n+1] = 2*i, 2*i+1
				n += 2
			}
		}
	}
	return of
}()

func hashBelow(dst, elements []uint64, key uint64, k int, limit uint64) int {
	whole := len(elements) &^ 3
	if !useAVX2 || k&(k-1) != 0 || whole == 0 {
		return hashBelowGeneric(dst, elements, key, k, limit)
	}
	n := hashBelowAVX2(&dst[0], &elements[0], whole, key, bits.TrailingZeros(uint(k)), limit, &fours)
	return n + hashBelowGeneric(dst[n:], elements[whole:], key, k, limit)
}

// hashBelowAVX2 is hashBelow for 1<<log positions, and n elements, a positive multiple of 4.
//
//go:noescape
func hashBelowAVX2(dst, elements *uint64, n int, key uint64, log int, limit uint64, fours *[16][8]uint32) int

// visitRoundAVX512 makes a round for n >= 1 elements and 1<<log positions, at least 8 and at most 512. round is in
// the upper bits, and order are the Orders numbers of this round. It reports whether no position was Unfilled.
//
//go:noescape
func visitRoundAVX512(least *uint64, log int, elements *uint64, n int, key, round uint64, order *uint16, factors *uint32) bool

// visitFreeVectors sets the bits of those of n elements, at least 1, that visit a position whose bit in free is set.
// Of each element it has the position in round 0 and the number of the order; order has how far behind that the
// position of this round is. k is at most 128. It reads and writes as if n were a multiple of 64, but does not set
// the bits of more than n elements.
//
//go:noescape
func visitFreeVectors(visiting *uint32, firsts, orders *uint8, n int, order *[Orders]uint16, free, more uint64, k int)
