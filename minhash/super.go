package minhash

import (
	"math/bits"
	"slices"

	"simsearch/internal/match/kernels"
)

// superMinHash is SuperMinHash with orders from a table, the variant of new indexes. Each element visits the k
// positions in an order of its own, one in each of k rounds. A position keeps the element that visits it first, and
// of several of one round that of the least fraction. So every element visits every position, and all are filled
// after k rounds at the latest, for sets of any size. Rounds are over when all are filled.
//
// The error is that of fast, or less for very small sets. With vector instructions, sets of 5 to 90 elements take an
// eighth to a half of the time of fast, and larger ones about the same: one hash of an element gives all its rounds,
// so that a small set is compared position by position. The values differ from those of fast, so that an index of one
// variant cannot be read as one of the other. The tables take 192 bytes for each position.
//
// Source: O. Ertl, "SuperMinHash – A New Minwise Hashing Algorithm for Jaccard Similarity Estimation",
// arXiv:1706.05698, 2017. Here the order of an element is one of 32 random orders, rotated by its position in
// round 0, instead of a random order for each; the fraction has 48 bits in round 0 and 24 bits in others, and
// is the product of the hash and an odd number for each position. The upper 16 bits of a value are its round.
// kernels.Visits says what the positions and values are.
type superMinHash struct {
	byPosition
	visits kernels.Visits
	blank  []uint64 // the sketch of an empty set
}

func newSuper(k int, seed uint64) *superMinHash {
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
	return &superMinHash{visits: v, blank: slices.Repeat([]uint64{unfilled}, k)}
}

// Sketch implements Sketcher. An empty set has the largest value in all positions.
func (s *superMinHash) Sketch(dst, elements []uint64) []uint64 {
	start := len(dst)
	dst = append(dst, s.blank...)
	if len(elements) > 0 {
		s.visits.Fill(dst[start:], elements)
	}
	return dst
}
