package minhash

import (
	"slices"

	"simsearch/internal/match/kernels"
)

// fast is fast similarity sketching. In round i every element is thrown
// into one of k positions, with the value i plus a fraction in [0, 1). A position keeps its least value.
// Rounds end when every position has a value. So positions are a sample without replacement while there are
// enough elements, and independent draws otherwise. The error is at most that of independent functions at every size
// of set, with about k·ln k + n hashes instead of k·n.
//
// Package kernels makes the rounds, by vector instructions if the processor has AVX-512 and k is a power of
// two. Then a set takes a half to a tenth of the time that it takes otherwise.
//
// Sets of a few elements may need more than k rounds. Round k + i is for position i alone, which gets the
// element with the least fraction.
//
// Source: S. Dahlgaard, M. B. T. Knudsen, M. Thorup, "Fast Similarity Sketching", FOCS 2017
// (https://doi.org/10.1109/FOCS.2017.67). Here a 64-bit mixer with a key for each round replaces mixed
// tabulation. The upper 16 bits of a value are its round, and the others its fraction.
type fast struct {
	byPosition
	keys  []uint64 // of the rounds, two for each position
	blank []uint64 // the sketch of an empty set
}

func newFast(k int, seed uint64) *fast {
	return &fast{keys: keys(2*k, seed), blank: slices.Repeat([]uint64{unfilled}, k)}
}

const (
	fractionBits = 48
	unfilled     = kernels.Unfilled
)

// Sketch implements Sketcher. An empty set has the largest value in all positions.
func (s *fast) Sketch(dst, elements []uint64) []uint64 {
	start := len(dst)
	dst = append(dst, s.blank...)
	if len(elements) == 0 {
		return dst
	}
	least := dst[start:]
	if !kernels.Throw(least, elements, s.keys[:len(least)]) {
		s.force(least, elements)
	}
	return dst
}

// force gives each unfilled position the element that its own round chooses.
func (s *fast) force(least, elements []uint64) {
	k := len(least)
	for i, v := range least {
		if v != unfilled {
			continue
		}
		key, round := s.keys[k+i], uint64(k+i)<<fractionBits
		for _, x := range elements {
			least[i] = min(least[i], round|mix(x^key)>>(64-fractionBits))
		}
	}
}
