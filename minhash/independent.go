package minhash

import "math"

// Independent has the least value of each of k independent functions. It is the reference of the other
// variants.
type Independent struct{ fs []Func }

// A Func maps an element to its rank in an order of all elements.
type Func func(element uint64) uint64

// NewIndependent returns a Sketcher with k functions, which seed determines.
func NewIndependent(k int, seed uint64) *Independent {
	checkPositions(k)
	fs := make([]Func, k)
	for i := range fs {
		// Two keys and two mixings make the functions as random as a reference needs.
		before, after := splitMix(&seed), splitMix(&seed)
		fs[i] = func(x uint64) uint64 { return mix(mix(x^before) + after) }
	}
	return &Independent{fs}
}

// NewFunctions returns a Sketcher with the given functions.
func NewFunctions(fs ...Func) *Independent { return &Independent{fs} }

// Sketch implements Sketcher. An empty set has the largest value in all positions.
func (s *Independent) Sketch(dst, elements []uint64) []uint64 {
	for _, f := range s.fs {
		least := uint64(math.MaxUint64)
		for _, x := range elements {
			least = min(least, f(x))
		}
		dst = append(dst, least)
	}
	return dst
}

// Jaccard implements Sketcher.
func (s *Independent) Jaccard(a, b []uint64) float64 { return agreement(a, b) }
