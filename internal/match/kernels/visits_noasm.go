//go:build purego || !amd64

package kernels

func (v *Visits) fill(least, elements []uint64) { v.fillGeneric(least, elements) }

func (v *Visits) fillUnfilled(least []uint64, visitors []visitor) {
	v.fillUnfilledGeneric(least, visitors)
}

func hashBelow(dst, elements []uint64, key uint64, k int, limit uint64) int {
	return hashBelowGeneric(dst, elements, key, k, limit)
}
