//go:build !purego

package preprocess

// keepWords is keep. words has room for all spans and keepSlack more.
func (s *stopSet) keepWords(words []span, text []byte, base int, edges []uint32) []span {
	at := 0 // the edges of as many words are looked at together
	switch {
	case useAVX512:
		at = 16
	case useAVX2:
		at = 2
	}
	if at > 0 && len(edges) >= at {
		_ = text[base+int(edges[len(edges)-1])+15]
	}
	for at > 0 && len(edges) >= at {
		var done, kept int
		first, blocks := &words[:len(words)+1][len(words)], len(edges)/at
		if useAVX512 {
			done, kept = keepAVX512(first, &text[base], &edges[0], &s.keys[0], base, s.factor, s.shift, blocks)
		} else {
			done, kept = keepBMI2(first, &text[base], &edges[0], &s.keys[0], base, s.factor, s.shift, blocks)
		}
		words, edges = words[:len(words)+kept], edges[done*at:]
		if len(edges) >= at { // these have a word that must be looked at more closely
			words, edges = s.keepGeneric(words, text, base, edges[:at]), edges[at:]
		}
	}
	return s.keepGeneric(words, text, base, edges)
}

// keepAVX512 writes the spans of those of 8*blocks words to words that are no stop words, and adds base to their edges. It
// stops before a block that has a word of more than 16 bytes, or one of more than 8 with the key of a stop word. It returns the number
// of blocks before that, and of the spans. The words are spans of text. 16 bytes can be read at each. It may write 8 spans behind the
// last one. blocks is not 0.
//
//go:noescape
func keepAVX512(words *span, text *byte, edges *uint32, keys *[2]uint64, base int, factor uint64, shift uint, blocks int) (done, kept int)

// keepBMI2 is keepAVX512 for blocks of one word.
//
//go:noescape
func keepBMI2(words *span, text *byte, edges *uint32, keys *[2]uint64, base int, factor uint64, shift uint, blocks int) (done, kept int)
