package ints

import "slices"

const (
	// maxDigitBits gives six passes for 64 bits. The first cache and the TLB have room for 2048 counters and
	// 2048 places that are written to.
	maxDigitBits = 11
	buckets      = 1 << maxDigitBits

	// Below this length a comparison sort is faster.
	small = 512
)

// Sort sorts keys in ascending order. scratch must not be shorter than keys. Its contents are undefined
// afterwards. Sort allocates at most 96 KiB, for the counters.
func Sort(keys, scratch []uint64) { SortFrom(keys, scratch, 0) }

// SortFrom is Sort by the bits from low upwards, in [0, 63]. Keys that agree in these bits keep their order, or are
// in ascending order if there are few keys.
func SortFrom(keys, scratch []uint64, low int) {
	if len(keys) < small {
		slices.Sort(keys)
		return
	}
	digits := digitsFrom(low)
	digits.count(keys)
	src, dst := keys, scratch[:len(keys)]
	for pass := range digits.counts {
		if digits.start(pass, len(keys)) {
			digits.move(pass, dst, src)
			src, dst = dst, src
		}
	}
	if &src[0] != &keys[0] {
		copy(keys, src)
	}
}

// chunk is the number of keys that SortMapped maps at a time. They stay in the first cache.
const chunk = 1024

// SortMapped returns the keys that apply makes of src, sorted by the bits from low upwards. low is in
// [0, 63]. Keys that agree in these bits are in the order of src, or in ascending order if there are few
// keys. The result is a part of a or of b, which must have the length of src.
//
// apply(dst, src) sets each element of dst from the same element of src, which has the same length. It is
// called twice for each part: mapping twice is faster than writing the keys and reading them back.
func SortMapped(a, b, src []uint64, low int, apply func(dst, src []uint64)) []uint64 {
	a, b = a[:len(src)], b[:len(src)]
	if len(src) < small {
		apply(a, src)
		slices.Sort(a)
		return a
	}
	var mapped [chunk]uint64
	each := func(do func(keys []uint64)) {
		for from := 0; from < len(src); from += chunk {
			part := src[from:min(len(src), from+chunk)]
			apply(mapped[:len(part)], part)
			do(mapped[:len(part)])
		}
	}
	digits := digitsFrom(low)
	each(digits.count)
	moved := false
	for pass := range digits.counts {
		switch {
		case !digits.start(pass, len(src)):
			continue
		case moved:
			digits.move(pass, b, a)
			a, b = b, a
		default:
			each(func(keys []uint64) { digits.move(pass, a, keys) })
			moved = true
		}
	}
	if !moved {
		apply(a, src)
	}
	return a
}

// SortPairs sorts keys in ascending order, and moves values with their keys. Equal keys keep their order.
// len(values) == len(keys). It allocates two slices of that length.
func SortPairs(keys []uint64, values []uint32) { SortPairsFrom(0, keys, values) }

// SortPairsFrom is SortPairs by the bits of keys from low on. Keys that agree in them keep their order.
func SortPairsFrom(low int, keys []uint64, values []uint32) {
	if len(keys) == 0 {
		return
	}
	digits := digitsFrom(low)
	digits.count(keys)
	srcK, srcV := keys, values
	dstK, dstV := make([]uint64, len(keys)), make([]uint32, len(keys))
	for pass := range digits.counts {
		if !digits.start(pass, len(keys)) {
			continue
		}
		next, shift, mask := &digits.counts[pass], digits.shift(pass), digits.mask()
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

// PartitionPairs copies keys to dstKeys, and values to dstValues, in the order of the bits of keys from low
// upwards. key>>low must be below 1<<11. Keys that agree in these bits keep their order. No slice may be
// shorter than keys. It allocates 16 KiB.
func PartitionPairs(dstKeys []uint64, dstValues []uint32, keys []uint64, values []uint32, low int) {
	next := make([]int, buckets)
	for _, x := range keys {
		next[x>>low&(buckets-1)]++
	}
	at := 0
	for d, n := range next {
		next[d] = at
		at += n
	}
	for i, x := range keys {
		to := &next[x>>low&(buckets-1)]
		dstKeys[*to], dstValues[*to] = x, values[i]
		*to++
	}
}

// digits cuts keys into digits, one for each pass. There are as few passes as possible, and digits are as
// narrow as that allows.
type digits struct {
	low, bits int            // bits is the width of a digit; the bits below low are ignored
	counts    [][buckets]int // of each pass: the count of each digit, and then the place of its next key
}

func digitsFrom(low int) digits {
	passes := (64 - low + maxDigitBits - 1) / maxDigitBits
	return digits{low, (64 - low + passes - 1) / passes, make([][buckets]int, passes)}
}

func (d *digits) shift(pass int) int { return d.low + pass*d.bits }
func (d *digits) mask() uint64       { return 1<<d.bits - 1 }

// count counts the digits of keys.
func (d *digits) count(keys []uint64) {
	mask, low, bits, counts := d.mask(), d.low, d.bits, d.counts
	for _, x := range keys {
		x >>= low & 63
		for pass := range counts {
			counts[pass][x&mask&(buckets-1)]++
			x >>= bits & 63
		}
	}
}

// start replaces the counts of a pass by the places where the keys of each digit begin. It reports whether
// the pass moves anything, which it does not if all n keys have the same digit.
func (d *digits) start(pass, n int) bool {
	counts := &d.counts[pass]
	offset := 0
	for digit, c := range counts {
		if c == n {
			return false
		}
		counts[digit] = offset
		offset += c
	}
	return true
}

// move writes the keys of src to dst in the order of their digits.
func (d *digits) move(pass int, dst, src []uint64) {
	next, shift, mask := &d.counts[pass], d.shift(pass), d.mask()
	for _, x := range src {
		digit := x >> (shift & 63) & mask & (buckets - 1)
		dst[next[digit]] = x
		next[digit]++
	}
}
