package preprocess

import (
	"encoding/binary"
	"math/bits"
)

// A stopSet is an immutable set of words. Nearly all words have at most 16 bytes; these are looked up
// without a branch. About every other word of a text is a stop word, so that a branch would often be
// mispredicted.
type stopSet struct {
	buckets [][2]stopWord // their number is a power of two
	shift   uint
	long    map[string]bool // words of more than 16 bytes
	longest int             // the length of the longest word in long, in bytes
}

// A stopWord is a word of at most 16 bytes as two little-endian integers, filled up with zeros. No word
// has a zero byte. An empty place is all zeros.
type stopWord struct{ a, b uint64 }

// noStopWords is the empty set.
var noStopWords = &stopSet{buckets: make([][2]stopWord, 1), shift: 64}

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
	for size := max(2, bits.Len(uint(len(words)))); !s.fill(words, size); size++ {
	}
	return s
}

// fill puts words into 1<<size buckets and reports whether there is room for all.
func (s *stopSet) fill(words []stopWord, size int) bool {
	s.buckets, s.shift = make([][2]stopWord, 1<<size), uint(64-size)
	for _, w := range words {
		b := &s.buckets[s.bucket(w)]
		switch {
		case b[0] == w || b[1] == w: // the word is already there, by another spelling
		case b[0] == stopWord{}:
			b[0] = w
		case b[1] == stopWord{}:
			b[1] = w
		default:
			return false
		}
	}
	return true
}

// bucket returns the bucket of a word, by multiplicative hashing (Knuth, TAOCP volume 3, section
// 6.4).
func (s *stopSet) bucket(w stopWord) uint64 {
	return (w.a ^ w.b*0xc2b2ae3d27d4eb4f) * 0x9e3779b97f4a7c15 >> s.shift
}

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
// each span, in turn, to which base is added. text has 16 bytes of capacity behind its end.
func (s *stopSet) keep(words []span, text []byte, base int, edges []uint32) []span {
	n := len(words)
	for cap(words) < n+len(edges)/2 {
		words = append(words[:cap(words)], span{})
	}
	words = words[:n+len(edges)/2]
	if s == noStopWords {
		for i := range words[n:] {
			words[n+i] = span{base + int(edges[2*i]), base + int(edges[2*i+1])}
		}
		return words
	}
	text = text[:cap(text)]
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
