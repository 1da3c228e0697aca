//go:build !purego

package kernels

func listWithin32(dst, ends, xs []uint32, runs Runs, first int, ahead []uint32, next Runs) int {
	if !useAVX512 || len(dst) < ListSlack {
		if len(ahead) > 0 && len(next.Lo) > 0 {
			prefetch(ahead, next.Lo, next.Hi, aheadAtMost)
		}
		return listWithin32Each(dst, ends, xs, runs, first)
	}
	var aheadXs, aheadLo, aheadHi *uint32
	if len(ahead) > 0 && len(next.Lo) > 0 {
		aheadXs, aheadLo, aheadHi = &ahead[0], &next.Lo[0], &next.Hi[0]
	}
	return listWithin32AVX512(&dst[0], len(dst)-ListSlack, &ends[0], &xs[0], &runs.Lo[0], &runs.Hi[0], &runs.Qs[0], &runs.Ks[0],
		first, len(runs.Lo), aheadXs, aheadLo, aheadHi, len(next.Lo))
}

// listWithin32AVX512 needs room for most+32 values at dst, n values at ends, lo, hi, qs and ks, with lo[i] <= hi[i] and
// hi[i] values at xs, k in [0, 32], and first < n. There are aheadN values at aheadLo and aheadHi, with aheadHi[i] values
// at ahead.
//
//go:noescape
func listWithin32AVX512(dst *uint32, most int, ends, xs, lo, hi, qs, ks *uint32, first, n int, ahead, aheadLo, aheadHi *uint32, aheadN int) (done int)
