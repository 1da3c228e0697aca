package minhash

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// PackedBytes returns the number of bytes of k positions of b bits: ⌈k·b/8⌉.
func PackedBytes(k, b int) int { return (k*b + 7) / 8 }

// Pack appends b bits of each position of a sketch to dst, and returns the extended slice. b is 1, 2, 4, 8
// or 16. Position i takes b bits from bit i·b on, counted from the lowest bit of the first byte. The bits
// are those of a hash of the value, since most values are near zero. The packed sketch of an empty set
// must not be compared with others.
//
// Source: P. Li, A. C. König, "b-Bit Minwise Hashing", WWW 2010
// (https://doi.org/10.1145/1772690.1772759).
func Pack(dst []byte, sketch []uint64, b int) []byte {
	checkBits(b)
	if b == 8 {
		for _, v := range sketch {
			dst = append(dst, byte(mix(v)))
		}
		return dst
	}
	var word uint64
	n := 0
	for _, v := range sketch {
		word |= (mix(v) & (1<<b - 1)) << n
		for n += b; n >= 8; n -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	if n > 0 {
		dst = append(dst, byte(word))
	}
	return dst
}

func checkBits(b int) {
	if b < 1 || b > 16 || bits.OnesCount(uint(b)) != 1 {
		panic(fmt.Sprintf("minhash: %d bits a position, want 1, 2, 4, 8 or 16", b))
	}
}

// Agree returns the number of positions, of k positions of b bits, at which two packed sketches agree. It
// panics if one of them is shorter than PackedBytes(k, b).
func Agree(x, y []byte, k, b int) int {
	checkBits(b)
	n := PackedBytes(k, b)
	x, y = x[:n], y[:n]
	first := ^uint64(0) / (1<<b - 1) // the lowest bit of each position
	differ := 0
	for len(x) >= 8 {
		differ += differing(binary.LittleEndian.Uint64(x)^binary.LittleEndian.Uint64(y), b, first)
		x, y = x[8:], y[8:]
	}
	var word uint64
	for i := range x {
		word |= uint64(x[i]^y[i]) << (8 * i)
	}
	return k - differ - differing(word, b, first)
}

// differing returns the number of fields of b bits of a word that are not zero.
func differing(word uint64, b int, first uint64) int {
	for shift := b / 2; shift > 0; shift /= 2 {
		word |= word >> shift
	}
	return bits.OnesCount64(word & first)
}

// PackedJaccard estimates the Jaccard similarity of two sets, in [0, 1], from the number of positions, of k
// positions of b bits, at which their packed sketches agree. It corrects for the probability 2^-b that
// two different values have equal bits.
func PackedJaccard(agree, k, b int) float64 {
	c := chance(b)
	return max(0, (float64(agree)/float64(k)-c)/(1-c))
}

// PackedStandardError returns the standard deviation of the estimate of PackedJaccard for sets of
// similarity j.
func PackedStandardError(j float64, k, b int) float64 {
	c := chance(b)
	return StandardError(c+(1-c)*j, k) / (1 - c)
}

// chance is the probability that two different values agree in b bits.
func chance(b int) float64 { return 1 / float64(uint64(1)<<b) }
