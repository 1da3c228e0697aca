//go:build !purego

package kernels

import (
	"math"
	"math/bits"

	"golang.org/x/sys/cpu"
)

// hasVBMI2 reports whether the processor has the instructions that this file needs besides those of useAVX512.
var hasVBMI2 = cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2

func (v *Visits) fill(least, elements []uint64) {
	k, n := len(least), len(elements)
	switch {
	case n <= fewVisitors && visitsAll(k) && (useAVX2 || useAVX512 && hasVBMI2):
		v.fillFew(least, elements)
	case useAVX512 && hasVBMI2 && k >= 8 && k&(k-1) == 0 && k <= maxBits:
		done := Throw(least, elements, []uint64{v.Key}) // which is round 0
		for i, log := 1, bits.TrailingZeros(uint(k)); i < k && !done; i++ {
			done = visitRoundAVX512(&least[0], log, &elements[0], n, v.Key, uint64(i)<<fractionBits, &v.Order[Orders*i], &v.Factors[0])
		}
	case useAVX2 && fewGeneric < n && n <= mostKept && k <= mostFree:
		v.fillKept(least, elements)
	default:
		v.fillGeneric(least, elements)
	}
}

// mostFree is the number of positions up to which fillKept has a bit for each that is Unfilled.
const mostFree = 128

// fillKept is Fill for at most mostKept elements and mostFree positions, by AVX2. In each round after the first, vectors find the
// elements that visit Unfilled positions: the others change nothing.
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
		visitFreeAVX2(&visiting[0], &firsts[0], &orders[0], n, order, free[0], free[1], k)
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

// visitsAll reports whether visitAllAVX512 and visitAllAVX2 can fill k positions.
func visitsAll(k int) bool { return k%64 == 0 && k <= 256 }

func (v *Visits) fillUnfilled(least []uint64, visitors []visitor) {
	switch {
	case !visitsAll(len(least)):
		v.fillUnfilledGeneric(least, visitors)
	case useAVX512 && hasVBMI2:
		visitAllAVX512(&least[0], len(least), &visitors[0], len(visitors), &v.Rounds[0], &v.Factors[0])
	case useAVX2:
		visitAllAVX2(&least[0], len(least), &visitors[0], len(visitors), &v.Rounds[0], &v.Factors[0])
	default:
		v.fillUnfilledGeneric(least, visitors)
	}
}

// visitAllAVX512 fills the Unfilled of k positions for n >= 1 visitors. k is a positive multiple of 64, and at most 256.
//
//go:noescape
func visitAllAVX512(least *uint64, k int, visitors *visitor, n int, rounds *uint16, factors *uint32)

// visitAllAVX2 is visitAllAVX512.
//
//go:noescape
func visitAllAVX2(least *uint64, k int, visitors *visitor, n int, rounds *uint16, factors *uint32)

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

// visitRoundAVX512 makes a round for n >= 1 elements and 1<<log positions, at least 8 and at most 512. round is in the upper
// bits, and order are the Orders numbers of this round. It reports whether no position was Unfilled.
//
//go:noescape
func visitRoundAVX512(least *uint64, log int, elements *uint64, n int, key, round uint64, order *uint16, factors *uint32) bool

// visitFreeAVX2 sets the bits of those of n elements, at least 1, that visit a position whose bit in free is set. Of each element it has
// the position in round 0 and the number of the order; order has how far behind that the position of this round is. k is at most 128.
// It reads and writes as if n were a multiple of 64, but does not set the bits of more than n elements.
//
//go:noescape
func visitFreeAVX2(visiting *uint32, firsts, orders *uint8, n int, order *[Orders]uint16, free, more uint64, k int)
