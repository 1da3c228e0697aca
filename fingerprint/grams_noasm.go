//go:build purego || !amd64

package fingerprint

func asciiGrams(dst []uint64, text []byte, n int) { asciiGramsGeneric(dst, text, n) }
