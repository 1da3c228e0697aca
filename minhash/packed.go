package minhash

import (
	"encoding/binary"
	"math/bits"
)

// Pack appends a byte for each position of a sketch to dst, and returns the extended slice: eight bits
// of a hash of the value, since most values are near zero. The packed sketch of an empty set
// must not be compared with others.
//
// Source: P. Li, A. C. König, "b-Bit Minwise Hashing", WWW 2010
// (https://doi.org/10.1145/1772690.1772759).
func Pack(dst []byte, sketch []uint64) []byte {
	for _, v := range sketch {
		dst = append(dst, byte(mix(v)))
	}
	return dst
}

// Agree returns the number of positions at which two packed sketches agree. It panics if y is shorter than x.
func Agree(x, y []byte) int {
	y = y[:len(x)]
	agree := len(x)
	for ; len(x) >= 8; x, y = x[8:], y[8:] {
		agree -= nonZero(binary.LittleEndian.Uint64(x) ^ binary.LittleEndian.Uint64(y))
	}
	var word uint64
	for i := range x {
		word |= uint64(x[i]^y[i]) << (8 * i)
	}
	return agree - nonZero(word)
}

// nonZero returns the number of bytes of a word that are not zero.
func nonZero(word uint64) int {
	word |= word >> 4
	word |= word >> 2
	word |= word >> 1
	return bits.OnesCount64(word & 0x0101010101010101)
}

// chance is the probability that two different values have the same byte.
const chance = 1.0 / 256

// PackedJaccard estimates the Jaccard similarity of two sets, in [0, 1], from the number of positions, of k,
// at which their packed sketches agree. It corrects for the probability that two different values have the same byte.
func PackedJaccard(agree, k int) float64 {
	return max(0, (float64(agree)/float64(k)-chance)/(1-chance))
}

// PackedError returns the largest standard deviation of the estimate of PackedJaccard from sketches of v, for sets of
// similarity j and any size.
func (v Variant) PackedError(j float64, k int) float64 {
	return v.MostDeviation(chance+(1-chance)*j, k) / (1 - chance)
}
