package minhash

import "math"

// independent has the least value of each of k independent functions. It is the reference of the other
// variants.
type independent struct {
	byPosition
	fs []func(element uint64) uint64 // the ranks of an element in orders of all elements
}

func newIndependent(k int, seed uint64) *independent {
	fs := make([]func(uint64) uint64, k)
	for i := range fs {
		// Two keys and two mixings make the functions as random as a reference needs.
		before, after := splitMix(&seed), splitMix(&seed)
		fs[i] = func(x uint64) uint64 { return mix(mix(x^before) + after) }
	}
	return &independent{fs: fs}
}

// Sketch implements Sketcher. An empty set has the largest value in all positions.
func (s *independent) Sketch(dst, elements []uint64) []uint64 {
	for _, f := range s.fs {
		least := uint64(math.MaxUint64)
		for _, x := range elements {
			least = min(least, f(x))
		}
		dst = append(dst, least)
	}
	return dst
}
