//go:build !purego

package fingerprint

import (
	"math/bits"

	"github.com/spaolacci/murmur3"
)

// murmurAll sets dst[i] to the hash of text[spans[i][0]:spans[i][1]]. dst has the length of spans, which is not 0. 16
// bytes can be read at each feature.
func murmurAll(dst []uint64, text []byte, spans [][2]int) {
	if !useAVX512 && !useAVX2 {
		murmurAllGeneric(dst, text, spans)
		return
	}
	_ = text[spans[len(spans)-1][1]+15]
	for len(spans) >= 8 {
		n := min(64, len(spans)&^7)
		for long := murmurEights(&dst[0], &text[0], &spans[0], n); long != 0; long &= long - 1 {
			i := bits.TrailingZeros64(long)
			dst[i] = murmur3.Sum64(text[spans[i][0]:spans[i][1]])
		}
		dst, spans = dst[n:], spans[n:]
	}
	if len(spans) > 0 { // the rest, and features without bytes
		var few [8][2]int
		var hashes [8]uint64
		copy(few[:], spans)
		for long := murmurEights(&hashes[0], &text[0], &few[0], 8); long != 0; long &= long - 1 {
			i := bits.TrailingZeros64(long)
			hashes[i] = murmur3.Sum64(text[few[i][0]:few[i][1]])
		}
		copy(dst, hashes[:])
	}
}

func murmurEights(dst *uint64, text *byte, spans *[2]int, n int) uint64 {
	if useAVX512 {
		return murmurAVX512(dst, text, spans, n)
	}
	return murmurAVX2(dst, text, spans, n)
}

// murmurAVX512 sets n values at dst to the hashes of features, and returns the mask of those of more than 15 bytes,
// whose hashes are wrong. n is in {8, 16, ..., 64}. 16 bytes can be read at each feature.
//
//go:noescape
func murmurAVX512(dst *uint64, text *byte, spans *[2]int, n int) uint64

// murmurAVX2 is murmurAVX512.
//
//go:noescape
func murmurAVX2(dst *uint64, text *byte, spans *[2]int, n int) uint64
