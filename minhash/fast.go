package minhash

import (
	"math"
	"math/bits"
)

// Fast is fast similarity sketching: in round i every element is thrown into one of k
// positions, with the value i + a fraction; a position keeps its least value, and rounds
// end when every position has one. So positions are filled by a sample without replacement
// while elements suffice, and by independent draws where they do not: the error is at most
// the reference's at every size of set, for k·ln k + n hashes instead of k·n.
//
// After k rounds, which only sets of a few elements need, round k + i is for position i
// alone, and gives it the element with the least fraction.
//
// Source: S. Dahlgaard, M. B. T. Knudsen, M. Thorup, "Fast Similarity Sketching", FOCS 2017
// (https://doi.org/10.1109/FOCS.2017.67), with a 64-bit mixer keyed by the round in place of
// mixed tabulation. The upper 16 bits of a value are its round, the others its fraction.
type Fast struct {
	keys []uint64 // of each round, two for each position
}

// NewFast returns a Sketcher with k positions, its functions drawn by seed.
func NewFast(k int, seed uint64) *Fast {
	checkPositions(k)
	return &Fast{keys(2*k, seed)}
}

// Positions returns k.
func (s *Fast) Positions() int { return len(s.keys) / 2 }

const (
	fractionBits = 48
	unfilled     = math.MaxUint64
)

// Sketch implements Sketcher. An empty set gives the largest value everywhere.
func (s *Fast) Sketch(dst, elements []uint64) []uint64 {
	start := len(dst)
	for range s.Positions() {
		dst = append(dst, unfilled)
	}
	if len(elements) > 0 {
		s.fill(dst[start:], elements)
	}
	return dst
}

// fill sketches into positions that are unfilled.
func (s *Fast) fill(least, elements []uint64) {
	k := len(least)
	left := k
	for i := 0; i < k && left > 0; i++ {
		left -= throw(least, elements, s.keys[i], uint64(i)<<fractionBits)
	}
	if left > 0 {
		s.force(least, elements)
	}
}

// throw throws each element into its position of a round, and returns how many positions
// that fills.
func throw(least, elements []uint64, key, round uint64) (filled int) {
	k := uint64(len(least))
	for _, x := range elements {
		position, fraction := bits.Mul64(mix(x^key), k)
		value := round | fraction>>(64-fractionBits)
		p := &least[position]
		if *p == unfilled {
			filled++
		}
		*p = min(*p, value)
	}
	return filled
}

// force gives each position that is still unfilled the element that its own round chooses.
func (s *Fast) force(least, elements []uint64) {
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

// Jaccard implements Sketcher.
func (s *Fast) Jaccard(a, b []uint64) float64 { return agreement(a, b) }
