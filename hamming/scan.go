package hamming

import (
	"math/bits"

	"simsearch/internal/match/kernels"
)

// A Match is a value that a search has found.
type Match struct {
	Index    uint32 // its index in the values that were searched
	Distance uint16 // in bits, in [0, k]
}

// Scan appends to dst a Match for every i with Distance(xs[i], q) <= k, in order of i, and returns the
// extended slice. A negative k matches nothing. len(xs) must be below 1<<32.
//
// It compares all values, and allocates only to grow dst.
func Scan(dst []Match, xs []uint64, q uint64, k int) []Match {
	const group = 8 // near values are often neighbours: the rest of a group is compared one by one
	for i := 0; i < len(xs); {
		if i += kernels.NextWithin(xs[i:], q, k); i == len(xs) {
			break
		}
		end := min(len(xs), i+group)
		dst = scanEach(dst, xs[i:end], i, q, k)
		i = end
	}
	return dst
}

// scanEach is the plain scan, which is the reference of all searches. base is the index of xs[0].
func scanEach(dst []Match, xs []uint64, base int, q uint64, k int) []Match {
	for i, x := range xs {
		if d := bits.OnesCount64(x ^ q); d <= k {
			dst = append(dst, Match{Index: uint32(base + i), Distance: uint16(d)})
		}
	}
	return dst
}
