package minhash

import (
	"math/bits"
	"slices"

	"simsearch/internal/kernels"
)

// Super is SuperMinHash with orders from a table. Each element visits the k positions in an order of its own,
// one in each of k rounds. A position keeps the element that visits it first, and of several of one round
// that of the least fraction. So every element visits every position, and all are filled after k rounds at
// the latest, for sets of any size. Rounds are over when all are filled.
//
// The error is that of Fast, or less for very small sets. With AVX-512, sets of 5 to 50 elements take an
// eighth to a half of the time of Fast, and larger ones about the same: one hash of an element gives all its
// rounds, so that a small set is compared position by position. Without, sets of 10 to 500 elements take up
// to twice the time of Fast. docs/measured/BENCHMARKS-MINHASH.md has the figures.
//
// The values differ from those of Fast, so that an index of one variant cannot be read as one of the other.
// The tables take 192 bytes for each position, and more time to make than those of other variants.
//
// Source: O. Ertl, "SuperMinHash – A New Minwise Hashing Algorithm for Jaccard Similarity Estimation",
// arXiv:1706.05698, 2017. Here the order of an element is one of 32 random orders, rotated by its position in
// round 0, instead of a random order for each; the fraction has 48 bits in round 0 and 24 bits in others, and
// is the product of the hash and an odd number for each position. The upper 16 bits of a value are its round.
type Super struct {
	visits kernels.Visits
	blank  []uint64 // the sketch of an empty set
}

// NewSuper returns a Sketcher with k positions, in [1, MaxPositions]. seed determines its functions.
func NewSuper(k int, seed uint64) *Super {
	checkPositions(k)
	v := kernels.Visits{
		Key:     splitMix(&seed),
		Order:   make([]uint16, kernels.Orders*k),
		Rounds:  make([]uint16, 2*kernels.Orders*k),
		Factors: make([]uint32, k),
	}
	for p := range v.Factors {
		v.Factors[p] = uint32(splitMix(&seed)) | 1
	}
	order := make([]uint16, k) // position 0 is the first of all orders
	for p := range order {
		order[p] = uint16(p)
	}
	for j := range kernels.Orders {
		for i := k - 1; i > 1; i-- {
			other, _ := bits.Mul64(splitMix(&seed), uint64(i))
			order[i], order[1+other] = order[1+other], order[i]
		}
		rounds := v.Rounds[2*k*j:]
		for i, p := range order {
			v.Order[kernels.Orders*i+j] = p
			rounds[p], rounds[k+int(p)] = uint16(i), uint16(i)
		}
	}
	return &Super{v, slices.Repeat([]uint64{unfilled}, k)}
}

// Positions returns k.
func (s *Super) Positions() int { return len(s.blank) }

// Sketch implements Sketcher. An empty set has the largest value in all positions.
func (s *Super) Sketch(dst, elements []uint64) []uint64 {
	start := len(dst)
	dst = append(dst, s.blank...)
	if len(elements) > 0 {
		s.visits.Fill(dst[start:], elements)
	}
	return dst
}

// Jaccard implements Sketcher.
func (s *Super) Jaccard(a, b []uint64) float64 { return agreement(a, b) }
