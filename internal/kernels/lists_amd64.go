//go:build !purego

package kernels

func listWithin32(dst, ends, xs []uint32, runs Runs, first int) int {
	if !useAVX512 || len(dst) < ListSlack {
		return listWithin32Each(dst, ends, xs, runs, first)
	}
	return listWithin32AVX512(&dst[0], len(dst)-ListSlack, &ends[0], &xs[0], &runs.Lo[0], &runs.Hi[0], &runs.Qs[0], &runs.Ks[0], first, len(runs.Lo))
}

// listWithin32AVX512 needs room for most+32 values at dst, n values at ends, lo, hi, qs and ks, with lo[i] <= hi[i] and
// hi[i] values at xs, k in [0, 32], and first < n.
//
//go:noescape
func listWithin32AVX512(dst *uint32, most int, ends, xs, lo, hi, qs, ks *uint32, first, n int) (done int)
