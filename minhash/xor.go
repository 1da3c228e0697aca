package minhash

import "math"

// XORMasks takes the least value of h(x)⊕mᵢ for one function h and k random masks mᵢ: one
// hash an element and one operation a position. The positions are not independent: two
// masks that agree in their upper bits have the same least element in a small set. So the
// error is larger than the reference's, and the more so the smaller the set.
type XORMasks struct {
	seed  uint64
	masks []uint64
}

// NewXORMasks returns a Sketcher with k masks drawn by seed.
func NewXORMasks(k int, seed uint64) *XORMasks {
	checkPositions(k)
	return &XORMasks{seed: mix(seed), masks: keys(k, seed)}
}

// Sketch implements Sketcher. An empty set gives the largest value everywhere.
func (s *XORMasks) Sketch(dst, elements []uint64) []uint64 {
	start := len(dst)
	for range s.masks {
		dst = append(dst, math.MaxUint64)
	}
	least := dst[start:]
	for _, x := range elements {
		h := mix(x ^ s.seed)
		for i, m := range s.masks {
			least[i] = min(least[i], h^m)
		}
	}
	return dst
}

// Jaccard implements Sketcher.
func (s *XORMasks) Jaccard(a, b []uint64) float64 { return agreement(a, b) }
