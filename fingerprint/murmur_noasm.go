//go:build purego || !amd64

package fingerprint

func murmurAll(dst []uint64, text []byte, spans [][2]int) { murmurAllGeneric(dst, text, spans) }
