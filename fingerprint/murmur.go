package fingerprint

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/spaolacci/murmur3"
)

// SumAll appends to dst the hash of each feature text[spans[i][0]:spans[i][1]], as Sum returns it, and
// returns the extended slice. text must have 16 bytes of capacity behind the last feature, with any
// contents.
func (h Hash) SumAll(dst []uint64, text []byte, spans [][2]int) []uint64 {
	if h != Murmur3 {
		for _, s := range spans {
			dst = append(dst, h.Sum(text[s[0]:s[1]]))
		}
		return dst
	}
	start := len(dst)
	dst = slices.Grow(dst, len(spans))[:start+len(spans)]
	if len(spans) > 0 {
		murmurAll(dst[start:], text[:cap(text)], spans)
	}
	return dst
}

// murmurAll sets dst[i] to the hash of text[spans[i][0]:spans[i][1]]. dst has the length of spans, which is not 0. 16
// bytes can be read at each feature.
func murmurAll(dst []uint64, text []byte, spans [][2]int) {
	if !useAVX512 && !useAVX2 && !useNEON {
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
	return murmurBase(dst, text, spans, n)
}

// murmurAVX512 sets n values at dst to the hashes of features, and returns the mask of those of more than 15 bytes,
// whose hashes are wrong. n is in {8, 16, ..., 64}. 16 bytes can be read at each feature.
//
//go:noescape
func murmurAVX512(dst *uint64, text *byte, spans *[2]int, n int) uint64

// murmurBase is murmurAVX512 by AVX2, or without vectors on arm64.
//
//go:noescape
func murmurBase(dst *uint64, text *byte, spans *[2]int, n int) uint64

// murmurAllGeneric is murmurAll in Go, the reference of the other backends.
func murmurAllGeneric(dst []uint64, text []byte, spans [][2]int) {
	for i, s := range spans {
		lo, n := s[0], s[1]-s[0]
		if n > 15 {
			dst[i] = murmur3.Sum64(text[lo:s[1]])
			continue
		}
		mask := &shortMasks[n&15]
		sixteen := text[lo : lo+16]
		dst[i] = murmurShort(binary.LittleEndian.Uint64(sixteen)&mask[0], binary.LittleEndian.Uint64(sixteen[8:])&mask[1], uint64(n))
	}
}

// shortMasks[n] has the bits of the first n of 16 bytes.
var shortMasks = func() (masks [16][2]uint64) {
	for n := range masks {
		masks[n] = [2]uint64{1<<min(64, 8*n) - 1, 1<<max(0, 8*n-64) - 1}
	}
	return masks
}()

// murmurShort is Murmur3 of n < 16 bytes, given as two little-endian integers that are filled up with
// zeros. There is no block of 16 bytes, only the tail of the algorithm. Mixing in a zero changes nothing,
// so that no branch is needed for a second integer that is zero.
//
// The module is the reference. This copy of its short case stays since the module takes 2.3 times as long for words
// of 3 to 10 bytes (BenchmarkSumAll), and hashing words is a good part of making fingerprints.
func murmurShort(k1, k2, n uint64) uint64 {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	h2 := bits.RotateLeft64(k2*c2, 33) * c1
	h1 := bits.RotateLeft64(k1*c1, 31) * c2
	h1 ^= n
	h2 ^= n
	h1 += h2
	h2 += h1
	return mix(h1) + mix(h2)
}

// mix is the finalizer of MurmurHash3, fmix64.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
