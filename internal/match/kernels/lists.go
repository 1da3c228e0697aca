package kernels

import (
	"math/bits"
	"unsafe"
)

// Runs are parts of a list of values, each with a query and a distance of its own.
type Runs struct {
	Lo, Hi []uint32 // run i is the values [Lo[i], Hi[i])
	Qs     []uint32
	Ks     []uint32 // in [0, 32]
}

// ListSlack is how many elements of ListWithin32's dst are not used for indices.
const ListSlack = 32

// aheadAtMost is how many values of a run ListWithin32 reads ahead.
const aheadAtMost = 4096

// ListWithin32 writes to dst the index of every value of the runs from run first on that is within the distance of
// its run from the query of its run, run by run and in ascending order. It sets ends[i] to the number of indices up
// to the end of run i.
//
// It stops before a run that might not fit into dst: where fewer than the length of the run and ListSlack
// elements are left. It returns the number of the first run that is not done, which is len(runs.Lo) at the end. What
// dst holds behind the last index is undefined.
//
// Meanwhile the runs of next, which are parts of ahead, are read into the cache, or their first aheadAtMost values.
// On amd64 and arm64 it does not wait for them. Qs and Ks of next are not used.
//
// It panics if ends or another slice of runs is shorter than runs.Lo. The caller must make sure that Lo[i] <= Hi[i]
// <= len(xs), the same of next, that first is in [0, len(runs.Lo)], and that dst has room for each run alone, since
// nothing is done otherwise.
func ListWithin32(dst, ends, xs []uint32, runs Runs, first int, ahead []uint32, next Runs) (done int) {
	n := len(runs.Lo)
	if len(ends) < n || len(runs.Hi) < n || len(runs.Qs) < n || len(runs.Ks) < n || len(next.Hi) < len(next.Lo) {
		panic("kernels: runs without bounds, queries or distances")
	}
	if first == n || len(xs) == 0 || len(dst) == 0 {
		for i := first; i < n; i++ { // they are empty
			ends[i] = 0
		}
		return n
	}
	if !useAVX512 && !useNEON || len(dst) < ListSlack {
		Prefetch(ahead, next.Lo, next.Hi, aheadAtMost)
		return listWithin32Each(dst, ends, xs, runs, first)
	}
	aheadN := len(next.Lo)
	if len(ahead) == 0 { // the runs of next are empty
		aheadN = 0
	}
	return listWithin32Vectors(&dst[0], len(dst)-ListSlack, &ends[0], &xs[0], &runs.Lo[0], &runs.Hi[0], &runs.Qs[0], &runs.Ks[0],
		first, len(runs.Lo), unsafe.SliceData(ahead), unsafe.SliceData(next.Lo), unsafe.SliceData(next.Hi), aheadN)
}

// listWithin32Each is ListWithin32 by masks of up to 64 values.
func listWithin32Each(dst, ends, xs []uint32, runs Runs, first int) int {
	n := 0
	for i := first; i < len(runs.Lo); i++ {
		lo, hi := int(runs.Lo[i]), int(runs.Hi[i])
		if n+hi-lo > len(dst)-ListSlack {
			return i
		}
		for ; lo < hi; lo += 64 {
			mask := maskWithin32(xs[lo:min(hi, lo+64)], runs.Qs[i], int(runs.Ks[i]))
			for ; mask != 0; mask &= mask - 1 {
				dst[n] = uint32(lo + bits.TrailingZeros64(mask))
				n++
			}
		}
		ends[i] = uint32(n)
	}
	return len(runs.Lo)
}

// listWithin32Vectors needs room for most+32 values at dst, n values at ends, lo, hi, qs and ks, with lo[i] <= hi[i]
// and hi[i] values at xs, k in [0, 32], and first < n. There are aheadN values at aheadLo and aheadHi, with
// aheadHi[i] values at ahead.
//
//go:noescape
func listWithin32Vectors(dst *uint32, most int, ends, xs, lo, hi, qs, ks *uint32, first, n int, ahead, aheadLo, aheadHi *uint32, aheadN int) (done int)
