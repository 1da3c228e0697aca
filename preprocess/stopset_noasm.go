//go:build purego || !amd64

package preprocess

func (s *stopSet) keepWords(words []span, text []byte, base int, edges []uint32) []span {
	return s.keepGeneric(words, text, base, edges)
}
