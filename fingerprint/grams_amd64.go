//go:build !purego

package fingerprint

// asciiGrams sets dst[i] to the hash of text[i:i+n], with n in [1, 8]. 16 bytes can be read at each of these, of which there
// is one or more.
func asciiGrams(dst []uint64, text []byte, n int) {
	done := 0
	if (useAVX512 || useAVX2) && len(dst) >= 8 {
		done = len(dst) &^ 7
		_ = text[done+7]
		if useAVX512 {
			asciiGramsAVX512(&dst[0], &text[0], done, 0x0101010101010101*(1<<n-1))
		} else {
			asciiGramsAVX2(&dst[0], &text[0], done, shortMasks[n][0])
		}
	}
	asciiGramsGeneric(dst[done:], text[done:], n)
}

// asciiGramsAVX512 sets grams values at dst, a multiple of 8 greater than 0. keep has a bit for each byte of eight numbers of eight
// bytes, which is set if the number has that byte of the text. grams+8 bytes can be read at text.
//
//go:noescape
func asciiGramsAVX512(dst *uint64, text *byte, grams int, keep uint64)

// asciiGramsAVX2 is asciiGramsAVX512, but for keep: the bits of the lowest n of 8 bytes.
//
//go:noescape
func asciiGramsAVX2(dst *uint64, text *byte, grams int, keep uint64)
