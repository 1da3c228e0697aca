package minhash

import "math"

// xorMasks has the least value of h(x)⊕mᵢ for one function h and k random masks mᵢ. That takes one hash for
// each element, and one operation for each element and position. The positions are not independent: in a
// small set, two masks that agree in their upper bits have the same least element. So the error is larger
// than that of independent functions, and grows as the set becomes smaller.
type xorMasks struct {
	byPosition
	seed  uint64
	masks []uint64
}

func newXORMasks(k int, seed uint64) *xorMasks {
	return &xorMasks{seed: mix(seed), masks: keys(k, seed)}
}

// Sketch implements Sketcher. An empty set has the largest value in all positions.
func (s *xorMasks) Sketch(dst, elements []uint64) []uint64 {
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
