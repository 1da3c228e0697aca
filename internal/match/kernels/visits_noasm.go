//go:build purego || !amd64

package kernels

func (v *Visits) fill(least, elements []uint64) { v.fillGeneric(least, elements) }

func (v *Visits) fillUnfilled(least []uint64, visitors []visitor) {
	v.fillUnfilledGeneric(least, visitors)
}
