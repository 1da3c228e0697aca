package fingerprint

import "math/bits"

// Unit returns the fingerprint of features that weigh one each, of 64 or 32 bits; a
// feature that occurs twice stands in hashes twice, so that its weight is its term
// frequency. ok is false if there are no features. It equals Sums and does not
// allocate.
//
// The 64 counters are kept bit-sliced: plane i holds bit i of every counter, so that
// a few logical operations add a hash to all of them (a positional population
// count). Eight hashes at a time go through carry-save adders (Harley and Seal;
// see Muła, Kurz, Lemire, "Faster Population Counts Using AVX2 Instructions",
// https://doi.org/10.1093/comjnl/bxx046), and the counters are never unsliced: they
// are compared with half the number of features plane by plane.
func Unit(hashes []uint64, width int) (fp uint64, ok bool) {
	if len(hashes) == 0 {
		return 0, false
	}
	var planes [maxPlanes]uint64
	rest := hashes
	for ; len(rest) >= 8; rest = rest[8:] {
		h := (*[8]uint64)(rest)
		var a, b, c, d, e, f, eights uint64
		planes[0], a = addCarry(planes[0], h[0], h[1])
		planes[0], b = addCarry(planes[0], h[2], h[3])
		planes[0], c = addCarry(planes[0], h[4], h[5])
		planes[0], d = addCarry(planes[0], h[6], h[7])
		planes[1], e = addCarry(planes[1], a, b)
		planes[1], f = addCarry(planes[1], c, d)
		planes[2], eights = addCarry(planes[2], e, f)
		ripple(&planes, 3, eights)
	}
	for _, h := range rest {
		ripple(&planes, 0, h)
	}
	return atLeast(&planes, uint64(len(hashes)+1)/2) & (1<<uint(width) - 1), true
}

// maxPlanes bounds the features of a document to 2^40, far above any memory.
const maxPlanes = 40

// addCarry adds three bits in each of 64 lanes.
func addCarry(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// ripple adds carry to the counters, its lanes counting 2^i.
func ripple(planes *[maxPlanes]uint64, i int, carry uint64) {
	for ; carry != 0 && i < maxPlanes; i++ {
		planes[i], carry = planes[i]^carry, planes[i]&carry
	}
}

// atLeast returns the lanes whose counter is at least t.
func atLeast(planes *[maxPlanes]uint64, t uint64) uint64 {
	var greater uint64
	equal := ^uint64(0)
	// Counters above t's highest bit are greater whatever follows; the sum of all
	// is below 2t+1, so that one plane more than t has is enough.
	for i := min(bits.Len64(t), maxPlanes-1); i >= 0; i-- {
		tBit := -(t >> i & 1) // all ones or all zeros
		greater |= equal & planes[i] &^ tBit
		equal &^= planes[i] ^ tBit
	}
	return greater | equal
}
