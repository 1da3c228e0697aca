// Package radix sorts 64-bit keys by least-significant-digit radix sort: stable,
// linear, and several times as fast as comparing for the sizes of an index.
package radix

import "slices"

const (
	// maxDigitBits makes six passes of 64 bits; 2048 counters, and as many places
	// that are written to, are what the first cache and the TLB can hold.
	maxDigitBits = 11
	buckets      = 1 << maxDigitBits

	// Below this length the counters cost more than comparing.
	small = 512
)

// Sort sorts keys in ascending order. scratch must be at least as long; what it
// holds afterwards is undefined. It allocates the counters, at most 96 KiB.
func Sort(keys, scratch []uint64) { SortTop(keys, scratch, 0) }

// SortTop sorts keys by their bits from low upwards, low in [0, 63]. Keys that
// agree there stand in an order that is not specified.
func SortTop(keys, scratch []uint64, low int) {
	if len(keys) < small {
		slices.Sort(keys)
		return
	}
	counts, digitBits := count(keys, low)
	mask := uint64(1)<<digitBits - 1
	src, dst := keys, scratch[:len(keys)]
	for pass := range counts {
		next := &counts[pass]
		if !startOffsets(next, len(keys)) {
			continue
		}
		shift := low + pass*digitBits
		for _, x := range src {
			d := x >> (shift & 63) & mask & (buckets - 1)
			dst[next[d]] = x
			next[d]++
		}
		src, dst = dst, src
	}
	if &src[0] != &keys[0] {
		copy(keys, src)
	}
}

// SortPairs sorts keys in ascending order and moves values along; equal keys
// keep their order. len(values) == len(keys). It allocates two slices as long.
func SortPairs(keys []uint64, values []uint32) {
	if len(keys) == 0 {
		return
	}
	counts, digitBits := count(keys, 0)
	mask := uint64(1)<<digitBits - 1
	srcK, srcV := keys, values
	dstK, dstV := make([]uint64, len(keys)), make([]uint32, len(keys))
	for pass := range counts {
		next := &counts[pass]
		if !startOffsets(next, len(keys)) {
			continue
		}
		shift := pass * digitBits
		for i, x := range srcK {
			d := x >> (shift & 63) & mask & (buckets - 1)
			to := next[d]
			dstK[to], dstV[to] = x, srcV[i]
			next[d]++
		}
		srcK, dstK = dstK, srcK
		srcV, dstV = dstV, srcV
	}
	if &srcK[0] != &keys[0] {
		copy(keys, srcK)
		copy(values, srcV)
	}
}

// count returns how often each digit occurs at each place from bit low upwards, and
// the width of a digit: as few passes as can be, with digits as narrow as these allow.
func count(keys []uint64, low int) (counts [][buckets]int, digitBits int) {
	passes := (64 - low + maxDigitBits - 1) / maxDigitBits
	digitBits = (64 - low + passes - 1) / passes
	counts = make([][buckets]int, passes)
	mask := uint64(1)<<digitBits - 1
	for _, x := range keys {
		x >>= low
		for pass := range counts {
			counts[pass][x&mask&(buckets-1)]++
			x >>= digitBits & 63
		}
	}
	return counts, digitBits
}

// startOffsets turns counts into the offset at which each digit's run begins. It
// reports whether the pass moves anything: not where all n keys share the digit.
func startOffsets(counts *[buckets]int, n int) bool {
	offset := 0
	for d, c := range counts {
		if c == n {
			return false
		}
		counts[d] = offset
		offset += c
	}
	return true
}
