//go:build purego || !amd64

package kernels

func throwRounds(least, elements, keys []uint64) bool { return throwGeneric(least, elements, keys) }
