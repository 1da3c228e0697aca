package preprocess

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A stopSet is an immutable set of words. Nearly all words have at most 16 bytes; these are looked up
// without a branch. About every other word of a text is a stop word, so that a branch would often be
// mispredicted.
type stopSet struct {
	buckets [][2]stopWord // their number is a power of two
	keys    [][2]uint64   // of the words in the buckets
	factor  uint64        // of the second half of a word in its key
	shift   uint
	long    map[string]bool // words of more than 16 bytes
	longest int             // the length of the longest word in long, in bytes
}

// A stopWord is a word of at most 16 bytes as two little-endian integers, filled up with zeros. No word
// has a zero byte. An empty place is all zeros.
type stopWord struct{ a, b uint64 }

// noStopWords is the empty set.
var noStopWords = &stopSet{buckets: make([][2]stopWord, 1), keys: make([][2]uint64, 1), shift: 64}

// newStopSet returns the set of words, which are normalised and not empty.
func newStopSet(all []string) *stopSet {
	var words []stopWord
	s := &stopSet{long: map[string]bool{}}
	for _, word := range all {
		if len(word) > 16 {
			s.long[word] = true
			s.longest = max(s.longest, len(word))
		} else {
			words = append(words, halves([]byte(word)))
		}
	}
	slices.SortFunc(words, func(a, b stopWord) int { return cmp.Or(cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b)) })
	words = slices.Compact(words) // of a word that has several spellings
	size := max(2, bits.Len(uint(len(words))))
	for s.factor = 0xc2b2ae3d27d4eb4f; !s.keysDiffer(words); s.factor += 2 {
	}
	for ; !s.fill(words, size); size++ {
	}
	return s
}

// keysDiffer reports whether no word of more than 8 bytes has the key of a shorter one in ASCII.
func (s *stopSet) keysDiffer(words []stopWord) bool {
	const high = 0x8080808080808080
	return !slices.ContainsFunc(words, func(w stopWord) bool { return w.b != 0 && s.key(w)&high == 0 })
}

// fill puts words, which differ, into 1<<size buckets and reports whether there is room for all.
func (s *stopSet) fill(words []stopWord, size int) bool {
	s.shift = uint(64 - size)
	in := make([]uint8, 1<<size) // how many words are in each
	for _, w := range words {
		i := s.bucket(w)
		if in[i] == 2 {
			return false
		}
		in[i]++
	}
	s.buckets, s.keys = make([][2]stopWord, 1<<size), make([][2]uint64, 1<<size)
	for _, w := range words {
		i := s.bucket(w)
		in[i]--
		s.buckets[i][in[i]], s.keys[i][in[i]] = w, s.key(w)
	}
	return true
}

// key returns 64 bits by which a word is looked up. A word of at most 8 bytes is its own key.
func (s *stopSet) key(w stopWord) uint64 { return w.a ^ w.b*s.factor }

// bucket returns the bucket of a word, by multiplicative hashing (Knuth, TAOCP volume 3, section
// 6.4).
func (s *stopSet) bucket(w stopWord) uint64 { return s.key(w) * bucketFactor >> s.shift }

// bucketFactor is 2^64 divided by the golden ratio.
const bucketFactor = 0x9e3779b97f4a7c15

// contains reports whether word is a stop word. word is normalised and not empty.
func (s *stopSet) contains(word []byte) bool {
	if len(word) > 16 {
		return len(word) <= s.longest && s.long[string(word)]
	}
	w := halves(word)
	b := &s.buckets[s.bucket(w)]
	return b[0] == w || b[1] == w
}

// keep appends to words the spans of text that are no stop words. edges has the beginning and the end of
// each span, in turn, to which base is added. The spans have no zeros. text has 16 bytes of capacity behind
// its end.
func (s *stopSet) keep(words []span, text []byte, base int, edges []uint32) []span {
	if need := len(words) + len(edges)/2 + keepSlack; cap(words) < need {
		words = append(make([]span, 0, need+need/4), words...)
	}
	if s == noStopWords {
		n := len(words)
		words = words[:n+len(edges)/2]
		for i := range words[n:] { // one that the compiler checks no bounds in
			if 2*i+1 < len(edges) {
				words[n:][i] = span{base + int(edges[2*i]), base + int(edges[2*i+1])}
			}
		}
		return words
	}
	return s.keepWords(words, text[:cap(text)], base, edges)
}

// keepSlack is the number of spans that may be written behind the last one.
const keepSlack = 8

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
		} else if useAVX2 {
			done, kept = keepBMI2(first, &text[base], &edges[0], &s.keys[0], base, s.factor, s.shift, blocks)
		}
		words, edges = words[:len(words)+kept], edges[done*at:]
		if len(edges) >= at { // these have a word that must be looked at more closely
			words, edges = s.keepGeneric(words, text, base, edges[:at]), edges[at:]
		}
	}
	return s.keepGeneric(words, text, base, edges)
}

// keepAVX512 writes the spans of those of 8*blocks words to words that are no stop words, and adds base to their
// edges. It stops before a block that has a word of more than 16 bytes, or one of more than 8 with the key of a stop
// word. It returns the number of blocks before that, and of the spans. The words are spans of text. 16 bytes can be
// read at each. It may write 8 spans behind the last one. blocks is not 0.
//
//go:noescape
func keepAVX512(words *span, text *byte, edges *uint32, keys *[2]uint64, base int, factor uint64, shift uint, blocks int) (done, kept int)

// keepBMI2 is keepAVX512 for blocks of one word.
//
//go:noescape
func keepBMI2(words *span, text *byte, edges *uint32, keys *[2]uint64, base int, factor uint64, shift uint, blocks int) (done, kept int)

// keepGeneric is keepWords in Go, the reference of the other backends.
func (s *stopSet) keepGeneric(words []span, text []byte, base int, edges []uint32) []span {
	n := len(words)
	words = words[:n+len(edges)/2]
	for e := 0; e+1 < len(edges); e += 2 {
		lo, hi := base+int(edges[e]), base+int(edges[e+1])
		words[n] = span{lo, hi}
		if hi-lo > 16 {
			if !s.contains(text[lo:hi]) {
				n++
			}
			continue
		}
		w := halves(text[lo:hi])
		b := &s.buckets[s.bucket(w)]
		first, second := w.a^b[0].a|w.b^b[0].b, w.a^b[1].a|w.b^b[1].b
		// The highest bit of x|-x is set exactly where x is not zero.
		n += int((first | -first) & (second | -second) >> 63)
	}
	return words[:n]
}

// halfMasks[n] has the bits of the first n of 16 bytes.
var halfMasks = func() (masks [17]stopWord) {
	for n := range masks {
		masks[n].a = 1<<min(64, 8*n) - 1
		masks[n].b = 1<<max(0, 8*n-64) - 1
	}
	return masks
}()

// halves returns a word of at most 16 bytes. It reads past the end of word if its capacity allows
// that.
func halves(word []byte) stopWord {
	if cap(word) >= 16 {
		mask, sixteen := &halfMasks[len(word)], word[:16]
		return stopWord{binary.LittleEndian.Uint64(sixteen) & mask.a, binary.LittleEndian.Uint64(sixteen[8:]) & mask.b}
	}
	var sixteen [16]byte
	copy(sixteen[:], word)
	return stopWord{binary.LittleEndian.Uint64(sixteen[:]), binary.LittleEndian.Uint64(sixteen[8:])}
}
