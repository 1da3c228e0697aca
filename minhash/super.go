package minhash

import (
	"math/bits"
	"slices"

	"simsearch/internal/kernels"
)

// superMinHash is SuperMinHash with orders from a table. Each element visits the k positions in an order of its own,
// one in each of k rounds. A position keeps the element that visits it first, and of several of one round
// that of the least fraction. So every element visits every position, and all are filled after k rounds at
// the latest, for sets of any size. Rounds are over when all are filled.
//
// The error is that of fast, or less for very small sets. Sets of ten to some hundred elements take more time than with
// fast, whose rounds are made by vectors. The values differ from those of fast, so that an index of one variant cannot be
// read as one of the other. The tables take 128 bytes for each position.
//
// Source: O. Ertl, "SuperMinHash – A New Minwise Hashing Algorithm for Jaccard Similarity Estimation",
// arXiv:1706.05698, 2017. Here the order of an element is one of 32 random orders, rotated by its position in
// round 0, instead of a random order for each; the fraction has 48 bits in round 0 and 24 bits in others, and
// is the product of the hash and an odd number for each position. The upper 16 bits of a value are its round.
//
// Let h be the hash of an element. In round 0 it visits the position that is the upper half of h·k, as in kernels.Throw. The
// fraction of round 0 is the upper 48 bits of the lower half, and its lowest five bits are the number j of the order of the
// element. In round i, it visits the position that is order[orders*i+j] behind that of round 0, modulo k. Its fraction is the
// upper 24 bits of the lower 32 bits of h·factors[position].
type superMinHash struct {
	byPosition
	key     []uint64 // the only one: a hash is mix(element^key)
	order   []uint16 // of rounds 0 to k-1
	rounds  []uint16 // the inverse of each order: in which round a position is visited
	factors []uint32 // of the positions, odd
	blank   []uint64 // the sketch of an empty set
}

// orders is the number of orders in which elements visit positions.
const orders = 32

func newSuper(k int, seed uint64) *superMinHash {
	s := &superMinHash{
		key:     []uint64{splitMix(&seed)},
		order:   make([]uint16, orders*k),
		rounds:  make([]uint16, orders*k),
		factors: make([]uint32, k),
		blank:   slices.Repeat([]uint64{unfilled}, k),
	}
	for p := range s.factors {
		s.factors[p] = uint32(splitMix(&seed)) | 1
	}
	order := make([]uint16, k) // position 0 is the first of all orders
	for p := range order {
		order[p] = uint16(p)
	}
	for j := range orders {
		for i := k - 1; i > 1; i-- {
			other, _ := bits.Mul64(splitMix(&seed), uint64(i))
			order[i], order[1+other] = order[1+other], order[i]
		}
		for i, p := range order {
			s.order[orders*i+j], s.rounds[k*j+int(p)] = p, uint16(i)
		}
	}
	return s
}

// Sketch implements Sketcher. An empty set has the largest value in all positions.
func (s *superMinHash) Sketch(dst, elements []uint64) []uint64 {
	start := len(dst)
	dst = append(dst, s.blank...)
	least := dst[start:]
	if len(elements) <= few {
		s.visitAll(least, elements)
		return dst
	}
	if kernels.Throw(least, elements, s.key) {
		return dst
	}
	left := 0
	for _, v := range least {
		if v == unfilled {
			left++
		}
	}
	for i := 1; left > 0; i++ {
		left -= s.round(least, elements, i)
	}
	return dst
}

// few is up to how many elements visit all positions at once. Rounds would take longer, since they leave few of them out.
const few = 32

// visitAll lets elements visit all positions, each position in its round.
func (s *superMinHash) visitAll(least, elements []uint64) {
	k := len(least)
	for _, x := range elements {
		h := mix(x ^ s.key[0])
		first, low := bits.Mul64(h, uint64(k))
		least[first] = min(least[first], low>>(64-fractionBits))
		rounds := s.rounds[k*int(low>>(64-fractionBits)%orders):][:k]
		visit(least[first+1:], rounds[1:], s.factors[first+1:], uint32(h))
		visit(least[:first], rounds[k-int(first):], s.factors, uint32(h))
	}
}

// visit lets the element with hash h visit the positions of least, in rounds of 1 or more.
func visit(least []uint64, rounds []uint16, factors []uint32, h uint32) {
	rounds, factors = rounds[:len(least)], factors[:len(least)]
	for p, v := range least {
		least[p] = min(v, uint64(rounds[p])<<fractionBits|uint64(h*factors[p]>>8)<<24)
	}
}

// round lets elements visit positions in round i >= 1, and returns the number of positions that this fills.
func (s *superMinHash) round(least, elements []uint64, i int) (filled int) {
	k := len(least)
	order := s.order[orders*i:][:orders]
	for _, x := range elements {
		h := mix(x ^ s.key[0])
		first, low := bits.Mul64(h, uint64(k))
		p := int(first) + int(order[low>>(64-fractionBits)%orders])
		p -= k &^ ((p - k) >> 63) // p mod k, without a branch
		value := &least[p]
		if *value == unfilled {
			filled++
		}
		*value = min(*value, uint64(i)<<fractionBits|uint64(uint32(h)*s.factors[p]>>8)<<24)
	}
	return filled
}
