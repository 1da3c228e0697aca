//go:build purego || !amd64

package kernels

func (v *Visits) fillUnfilled(least []uint64, visitors []visitor) {
	v.fillUnfilledGeneric(least, visitors)
}

func (v *Visits) round(least, elements []uint64, i int) bool {
	return v.roundGeneric(least, elements, i)
}
