package minhash

import "math"

// Independent is the reference: the least value of each of k independent functions.
type Independent struct{ fs []Func }

// A Func maps an element to its place in one order of all elements.
type Func func(element uint64) uint64

// NewIndependent returns a Sketcher with k functions drawn by seed.
func NewIndependent(k int, seed uint64) *Independent {
	checkPositions(k)
	fs := make([]Func, k)
	for i := range fs {
		// Two keys around two mixings, to be beyond doubt: this is what others are held to.
		before, after := splitMix(&seed), splitMix(&seed)
		fs[i] = func(x uint64) uint64 { return mix(mix(x^before) + after) }
	}
	return &Independent{fs}
}

// NewFunctions returns a Sketcher with functions of the caller's.
func NewFunctions(fs ...Func) *Independent { return &Independent{fs} }

// Sketch implements Sketcher. An empty set gives the largest value everywhere.
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
