package fingerprint

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// An n-gram of words has a hash that is computed from the hashes of its words, so that each word is hashed once,
// however many n-grams it is in. With hashes w[1] to w[n] the hash of the n-gram is
//
//	mix(w[1]·gramBase^(n-1) + w[2]·gramBase^(n-2) + … + w[n])
//
// modulo 2^64. The sum is the rolling hash of Karp and Rabin, "Efficient Randomized Pattern-Matching Algorithms", IBM
// Journal of Research and Development 1987 (https://doi.org/10.1147/rd.312.0249), modulo a power of two. It depends on
// the order of the words. mix, the finalizer of MurmurHash3, is a bijection that makes all bits depend on all bits of
// the sum. One word alone keeps its hash.
//
// Two n-grams share a hash with probability 2^-64 if one has a word once that the other does not have. If they have
// the same words in another order, powers of gramBase are subtracted, which leaves even factors. Then it is at most
// 2^-59 for up to four words, and at most 2^-37 for 64 words.
//
// An n-gram of characters is short, so that its bytes are hashed. They are cut into numbers b[1], b[2], … of eight
// bytes, little-endian. The last one is filled up with zeros. The hash is
//
//	mix(… mix(mix(b[1]) ^ b[2]) … ^ b[last])
//
// Two n-grams of at most eight bytes never share a hash, since mix is a bijection and text has no zero bytes.

// gramBase is odd, so that no bit of a word is lost: 2^64 divided by the golden ratio.
const gramBase = 0x9e3779b97f4a7c15

// WordGram returns the hash of the sequence of words that have the given hashes. words must not be empty.
func WordGram(words []uint64) uint64 {
	if len(words) == 1 {
		return words[0]
	}
	sum := uint64(0)
	for _, w := range words {
		sum = sum*gramBase + w
	}
	return mix(sum)
}

// AppendWordGrams appends to dst the hash of each sequence of n >= 1 words, in the order of the text, and returns the
// extended slice. words has the hashes of the words of a text. Fewer than n words make one sequence; no words make
// none. Each hash is that of WordGram. dst and words must not overlap.
func AppendWordGrams(dst, words []uint64, n int) []uint64 {
	n = min(n, len(words))
	if n <= 1 {
		return append(dst, words...)
	}
	sum, power := uint64(0), uint64(1)
	for _, w := range words[:n] {
		sum = sum*gramBase + w
		power *= gramBase
	}
	start, more := len(dst), len(words)-n
	dst = slices.Grow(dst, more+1)[:start+more+1]
	out := dst[start:]
	out[0] = mix(sum)
	before, out := words[:more], out[1:][:more]
	for i, w := range words[n:][:more] {
		sum = sum*gramBase + (w - before[i]*power) // what leaves the sum is not on the path from one sum to the next
		out[i] = mix(sum)
	}
	return dst
}

// CharGram returns the hash of a sequence of characters.
func CharGram(gram []byte) uint64 {
	h := uint64(0)
	for ; len(gram) > 8; gram = gram[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(gram))
	}
	var last [8]byte
	copy(last[:], gram)
	return mix(h ^ binary.LittleEndian.Uint64(last[:]))
}

// charGram is CharGram of text[lo:hi], and needs 8 bytes behind it.
func charGram(text []byte, lo, hi int) uint64 {
	h := uint64(0)
	for ; hi-lo > 8; lo += 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(text[lo:]))
	}
	return mix(h ^ binary.LittleEndian.Uint64(text[lo:])&shortMasks[(hi-lo)&15][0])
}

// AppendCharGrams appends to dst the hash of each sequence of n >= 1 characters of text, in the order of the text,
// and returns the extended slice. text is UTF-8 and must have 16 bytes of capacity behind its end, with any contents.
// Fewer than n characters make one sequence; an empty text makes none. Each hash is that of CharGram.
func AppendCharGrams(dst []uint64, text []byte, n int) []uint64 {
	if len(text) == 0 {
		return dst
	}
	whole := text[: len(text)+16 : len(text)+16]
	lo, hi := 0, 0
	for range n {
		if hi == len(text) {
			return append(dst, charGram(whole, 0, hi))
		}
		hi += charLen(text, hi)
	}
	dst = slices.Grow(dst, len(text))
	for {
		if hi-lo == n && n <= 8 { // n characters of a byte each, and maybe more
			grams := lengthASCII(text[lo:]) - n + 1
			out := len(dst)
			dst = dst[:out+grams]
			asciiGrams(dst[out:], whole[lo:], n)
			lo += grams
			hi = lo + n - 1
		} else {
			dst = append(dst, charGram(whole, lo, hi))
			lo += charLen(text, lo)
		}
		if hi == len(text) {
			return dst
		}
		hi += charLen(text, hi)
	}
}

// asciiGrams sets dst[i] to the hash of text[i:i+n], with n in [1, 8]. 16 bytes can be read at each of these, of
// which there is one or more.
func asciiGrams(dst []uint64, text []byte, n int) {
	done := 0
	if (useAVX512 || useAVX2 || useNEON) && len(dst) >= 8 {
		done = len(dst) &^ 7
		_ = text[done+7]
		if useAVX512 {
			asciiGramsAVX512(&dst[0], &text[0], done, 0x0101010101010101*(1<<n-1))
		} else {
			asciiGramsBase(&dst[0], &text[0], done, shortMasks[n][0])
		}
	}
	asciiGramsGeneric(dst[done:], text[done:], n)
}

// asciiGramsAVX512 sets grams values at dst, a multiple of 8 greater than 0. keep has a bit for each byte of eight
// numbers of eight bytes, which is set if the number has that byte of the text. grams+8 bytes can be read at text.
//
//go:noescape
func asciiGramsAVX512(dst *uint64, text *byte, grams int, keep uint64)

// asciiGramsBase is asciiGramsAVX512 by AVX2, or without vectors on arm64, but for keep: the bits of the lowest n of
// 8 bytes.
//
//go:noescape
func asciiGramsBase(dst *uint64, text *byte, grams int, keep uint64)

// asciiGramsGeneric sets dst[i] to the hash of text[i:i+n], with n in [1, 8]. It is the reference of the other
// backends.
func asciiGramsGeneric(dst []uint64, text []byte, n int) {
	mask := shortMasks[n][0]
	for i := range dst {
		dst[i] = mix(binary.LittleEndian.Uint64(text[i:]) & mask)
	}
}

// lengthASCII returns the number of bytes of text before the first that is not ASCII.
func lengthASCII(text []byte) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+32 <= len(text); i += 32 {
		q := text[i : i+32 : i+32]
		if (binary.LittleEndian.Uint64(q)|binary.LittleEndian.Uint64(q[8:])|binary.LittleEndian.Uint64(q[16:])|binary.LittleEndian.Uint64(q[24:]))&high != 0 {
			break
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

func charLen(text []byte, at int) int {
	if text[at] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(text[at:])
	return n
}
