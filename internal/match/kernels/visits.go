package kernels

import "math/bits"

// Orders is the number of orders in which elements visit positions.
const Orders = 32

// Up to so many elements, a sketch is filled position by position, by vectors and in Go.
const (
	fewVisitors = 96
	fewGeneric  = 12
)

// Visits says how elements visit the k positions of a sketch, one in each of k rounds, and all in k rounds. Let h be the hash of
// an element. In round 0 it visits the position that is the upper half of h·k. The fraction of round 0 is the upper 48 bits of
// the lower half, and its lowest five bits are the number j of the order of the element. In round i, it visits the position
// that is Order[Orders*i+j] behind that of round 0, modulo k. Its fraction is the upper 24 bits of the lower 32 bits of
// h·Factors[position]. Values are round·2^48 + fraction in round 0, and round·2^48 + fraction·2^24 in others.
type Visits struct {
	Key     uint64   // a hash is mix(element^Key)
	Order   []uint16 // of rounds 0 to k-1
	Rounds  []uint16 // the inverse: of order j, that of the position p behind that of round 0 is at 2*k*j+p, and at 2*k*j+k+p
	Factors []uint32 // of the positions, odd
}

// Fill gives every position of least the least value of all visits of elements to it. All positions are Unfilled at first, and
// there is at least one element.
func (v *Visits) Fill(least, elements []uint64) { v.fill(least, elements) }

// fillGeneric is Fill in Go.
func (v *Visits) fillGeneric(least, elements []uint64) {
	if len(elements) <= fewGeneric {
		v.fillFew(least, elements)
		return
	}
	left := len(least) - throw(least, elements, v.Key, 0)
	for i := 1; left > 0; i++ {
		left -= v.round(least, elements, i)
	}
}

// A visitor is an element: where in Rounds that of position 0 is, and the lower half of its hash.
type visitor struct{ row, hash uint32 }

// fillFew is Fill for at most fewVisitors elements.
func (v *Visits) fillFew(least, elements []uint64) {
	k := uint64(len(least))
	var visitors [fewVisitors]visitor
	for i, x := range elements {
		h := mix(x ^ v.Key)
		first, low := bits.Mul64(h, k)
		fraction := low >> (64 - fractionBits)
		least[first] = min(least[first], fraction)
		visitors[i] = visitor{uint32(2*k*(fraction%Orders) + k - first), uint32(h)}
	}
	v.fillUnfilled(least, visitors[:len(elements)])
}

// fillUnfilledGeneric gives every Unfilled position the least value of all visits in rounds after 0, in Go. It is the reference
// of the other backends.
func (v *Visits) fillUnfilledGeneric(least []uint64, visitors []visitor) {
	for p := range least {
		if least[p] != Unfilled {
			continue
		}
		for _, x := range visitors {
			least[p] = min(least[p], v.value(uint64(v.Rounds[int(x.row)+p]), x.hash, p))
		}
	}
}

// value returns the value of a visit in a round after 0.
func (v *Visits) value(round uint64, hash uint32, position int) uint64 {
	return round<<fractionBits | uint64(hash*v.Factors[position]>>8)<<24
}

// round lets elements visit positions in round i >= 1, in Go, and returns the number of positions that this fills. It is the
// reference of the other backends.
func (v *Visits) round(least, elements []uint64, i int) (filled int) {
	k := len(least)
	order := v.Order[Orders*i:][:Orders]
	for _, x := range elements {
		h := mix(x ^ v.Key)
		first, low := bits.Mul64(h, uint64(k))
		p := int(first) + int(order[low>>(64-fractionBits)%Orders])
		p -= k &^ ((p - k) >> 63) // p mod k, without a branch
		value := &least[p]
		if *value == Unfilled {
			filled++
		}
		*value = min(*value, v.value(uint64(i), uint32(h), p))
	}
	return filled
}
