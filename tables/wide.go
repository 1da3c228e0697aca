package tables

import (
	"math/bits"
	"slices"

	"simsearch/hamming"
	"simsearch/internal/ground/ints"
)

// Wide tables search fingerprints of 128 or 256 bits by distance, without a miss: the hashes of pictures such as PDQ,
// whose authors call pictures near within 31 of 256 bits, and others that are made elsewhere.
//
//	t := tables.BuildWide(values, 256, threads) // sorted and distinct, four words each
//	found := t.Near(nil, query, 3, nil)
//
// # The search
//
// A fingerprint has m blocks of 16 bits, eight or sixteen, in a ring: the first follows the last. Table i has a
// directory by the bits of block i, and for each fingerprint the 16 bits that follow, and its number.
//
// A query within distance k chooses whole numbers t(i) of at least -1, one for each block, whose sum is k-m+1. Let
// d(i) be the distance of a near fingerprint in block i. The differences d(i)-t(i)-1 are whole numbers, and their sum
// over the ring is at most k-(k-m+1)-m = -1. So there is a block from which on every sum of consecutive differences,
// around the ring, is at most -1: the one behind the last place at which the sums from the first block on are
// largest. Of that block i, d(i) ≤ t(i), and d(i)+d(i+1) ≤ t(i)+t(i+1)+1.
//
// It is therefore enough to look at each table i for the keys within t(i) of block i of the query and, of their
// entries, at those whose next bits make the second sum small enough. These are compared as a whole. For k = 31 and m
// = 16 all t(i) are 1 if fingerprints are spread evenly: 17 keys in each table, and one in four hundred of their
// entries. A table with t(i) = -1 is not looked at.
//
// The argument is that of the pigeonring principle (Qin, Xiao, "Pigeonring: A Principle for Faster Thresholded
// Similarity Search", PVLDB 12(1), 2018), with thresholds that are whole numbers and differ, as in the general
// pigeonhole principle of Qin et al. ("GPH: Similarity Search in Hamming Space", ICDE 2018). Of chains, only the
// first two blocks are used here.
//
// Where blocks are skewed, such as zero in most fingerprints, the directory tells how many entries each t(i) would
// cost, and the query takes the cheapest. If that is more than comparing all fingerprints, or if too many entries
// pass, all are compared. So no query takes much longer than Scan.
//
// Tables of few fingerprints have directories by fewer bits: by the first bits of each block. The bits that follow
// them are still a part of the two blocks, so that both inequalities hold for them.

// Widths are the numbers of bits that fingerprints may have.
var Widths = []int{128, mostBits}

const mostBits = 256

// blockBits is the number of bits of a block.
const blockBits = 16

// Words returns the number of words of 64 bits of a fingerprint, whose width may be 64 or less, too. The first word
// has the first bits, which are the most significant ones of a number and the first digits in hexadecimal.
func Words(width int) int { return max(1, width/64) }

// Distance returns the number of bits in which two fingerprints of as many words differ.
func Distance(a, b []uint64) (d int) {
	for i, x := range a {
		d += bits.OnesCount64(x ^ b[i])
	}
	return d
}

// ScanWide appends the values within distance k of q, nearest first, and equally near ones by their numbers. It
// compares all: it is the reference of every search, and its fallback. values has len(q) words for each, two or four.
func ScanWide(dst []hamming.Match, values, q []uint64, k int) []hamming.Match {
	start, words := len(dst), len(q)
	for i := 0; i < len(values); i += words {
		v := values[i : i+words : i+words]
		d := bits.OnesCount64(v[0]^q[0]) + bits.OnesCount64(v[1]^q[1])
		if len(v) == 4 {
			d += bits.OnesCount64(v[2]^q[2]) + bits.OnesCount64(v[3]^q[3])
		}
		if d <= k {
			dst = append(dst, hamming.Match{Index: uint32(i / words), Distance: uint16(d)})
		}
	}
	sortMatches(dst[start:])
	return dst
}

// SortWide sorts values of so many words each, and numbers along with them. It takes as much memory again.
func SortWide(values []uint64, words int, numbers []uint32) {
	if words == 1 {
		ints.SortPairs(values, numbers)
		return
	}
	n := len(numbers)
	firsts, order := make([]uint64, n), make([]uint32, n)
	for i := range firsts {
		firsts[i], order[i] = values[i*words], uint32(i)
	}
	ints.SortPairs(firsts, order)
	of := func(i uint32) []uint64 { return values[int(i)*words:][:words] }
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && firsts[hi] == firsts[lo] {
			hi++
		}
		if hi > lo+1 {
			slices.SortStableFunc(order[lo:hi], func(a, b uint32) int { return slices.Compare(of(a), of(b)) })
		}
		lo = hi
	}
	sorted, moved := make([]uint64, 0, len(values)), make([]uint32, n)
	for i, from := range order {
		sorted, moved[i] = append(sorted, of(from)...), numbers[from]
	}
	copy(values, sorted)
	copy(numbers, moved)
}

// bitsAt returns the 16 bits of v from bit at on, around the end.
func bitsAt(v []uint64, at int) uint16 {
	w, off := at/64, uint(at%64)
	x := v[w] << off
	if off > 48 {
		if w++; w == len(v) {
			w = 0
		}
		x |= v[w] >> (64 - off)
	}
	return uint16(x >> 48)
}
