package preprocess

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Text is cut into chunks, and at characters that the quick path does not know, where no step looks across the cut:
//
//   - at ASCII white space, which neither composes nor reorders, and is a word boundary but between unspaced
//     characters;
//   - behind a character that is in no word, if a character follows that neither belongs to the one before nor composes
//     with it.
//
// So chunks of ASCII can take the fast path, chunks that can be made plain the quick path, and the features are those
// of the general path. Fuzz tests compare every answer with Reference.

// segment adds the words of text to doc.
func (a *Analyzer) segment(doc *Document, text []byte) {
	for len(text) > 0 {
		n := len(text)
		if n > chunk {
			if n = lastCut(text[:boundary(text, chunk)]); n == 0 {
				n = nextCut(text, chunk)
			}
		}
		if indexNonASCII(text[:n]) < 0 {
			a.chunkPlain(doc, text[:n], nil)
		} else {
			a.chunkAny(doc, text[:n])
		}
		text = text[n:]
	}
}

// chunkAny adds the words of text in any script to doc.
func (a *Analyzer) chunkAny(doc *Document, text []byte) {
	for len(text) > 0 {
		plain := &doc.scratch.plain
		n := plain.fill(text)
		if n == len(text) {
			a.chunkPlain(doc, plain.text, plain.runs)
			return
		}
		_, size := utf8.DecodeRune(text[n:])
		start, end := lastCut(text[:n]), nextCut(text, n+size)
		if start > 0 {
			plain.fill(text[:start])
			a.chunkPlain(doc, plain.text, plain.runs)
		}
		a.segmentUnicode(doc, text[start:end])
		text = text[end:]
	}
}

// boundary returns n, or where the character begins inside which n is.
func boundary(text []byte, n int) int {
	for at := n; at > max(0, n-utf8.UTFMax); at-- {
		if at < len(text) && utf8.RuneStart(text[at]) {
			return at
		}
	}
	return n
}

// lastCut returns the last place in text where it may be cut, or 0. The character behind text is in question, so that
// the end is no such place.
func lastCut(text []byte) int {
	good := false // the character at end fits behind a cut
	for end := len(text); end > 0; {
		r, n := rune(text[end-1]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeLastRune(text[:end])
		} else if isSpace(byte(r)) {
			at := withoutSpace(text[:end])
			if spaceParts(text[:at]) {
				return end
			}
			good, end = true, at
			continue
		}
		if good && parts(r) {
			return end
		}
		good = begins(r)
		end -= n
	}
	return 0
}

// nextCut returns the first place at or behind from, but in front of the end, where text may be cut. It returns the
// length of text if there is none.
func nextCut(text []byte, from int) int {
	at := boundary(text, from)
	parted := false // the character before is in no word
	spaced := spaceParts(text[:withoutSpace(text[:at])])
	for at < len(text) {
		r, n := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[at:])
		}
		space := r < utf8.RuneSelf && isSpace(byte(r))
		if space && spaced || parted && begins(r) {
			return at
		}
		parted = parts(r)
		if at += n; !space {
			spaced = spaceParts(text[:at])
		}
	}
	return len(text)
}

// parts reports whether text may be cut behind r, if the character there begins something.
func parts(r rune) bool {
	e := runes.look(r)
	return r >= utf8.RuneSelf && classOf(e) == other && e>>4 == 0 && !unicode.IsSpace(r)
}

// withoutSpace returns the length of text without the ASCII white space at its end.
func withoutSpace(text []byte) int {
	n := len(text)
	for n > 0 && isSpace(text[n-1]) {
		n--
	}
	return n
}

// spaceParts reports whether text may be cut in ASCII white space behind it, since it does not end with what may be an
// unspaced character.
func spaceParts(text []byte) bool {
	r, _ := utf8.DecodeLastRune(text)
	k := classOf(runes.look(r))
	return len(text) == 0 || r < utf8.RuneSelf || k == alphabetic || k == numeric || k == hebrew || parts(r)
}

// begins reports whether r neither belongs to the character before nor composes with it.
func begins(r rune) bool {
	if r < utf8.RuneSelf {
		return true
	}
	switch classOf(runes.look(r)) {
	case hard, mark, jamo, extend, dropped:
		return false
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// chunkPlain adds the words of plain text, which ends at white space or at the end of its stretch.
func (a *Analyzer) chunkPlain(doc *Document, text []byte, runs []uint32) {
	base := len(doc.text)
	edges := a.plainEdges(doc, text, runs)
	doc.words = a.stop.keep(doc.words, doc.text, base, edges)
}

// plainEdges adds plain text to that of doc, with its case folded, and returns the edges of its words, from where the
// added text begins. Only those are words that have a letter or a number.
func (a *Analyzer) plainEdges(doc *Document, text []byte, runs []uint32) []uint32 {
	s := &doc.scratch
	s.edges = grown(s.edges, len(text)+1+edgeSlack)
	s.masks = grown(s.masks, len(text)/block+3)
	base := len(doc.text)
	doc.text = slices.Grow(doc.text, len(text)+slack)[:base+len(text)]
	n, under := edgesASCII(doc.text[base:], s.edges, s.masks, text)
	edges := s.edges[:n]
	if len(runs) > 0 {
		s.pairs = appendPairs(s.pairs[:0], edges, runs)
		edges = s.pairs
	}
	if under {
		kept := edges[:0]
		for ; len(edges) > 0; edges = edges[2:] {
			if len(bytes.Trim(doc.text[base:][edges[0]:edges[1]], "_")) > 0 {
				kept = append(kept, edges[0], edges[1])
			}
		}
		edges = kept
	}
	return edges
}

// charBytes is the length in bytes of an unspaced character of plain text.
const charBytes = 3

// appendPairs appends edges, where each word that is a run of unspaced characters is replaced by its pairs, which
// overlap. A run of one character stays.
func appendPairs(dst, edges, runs []uint32) []uint32 {
	for _, run := range runs {
		n := 0
		for edges[n] != run {
			n += 2
		}
		dst = append(dst, edges[:n]...)
		lo, hi := edges[n], edges[n+1]
		edges = edges[n+2:]
		if hi-lo == charBytes {
			dst = append(dst, lo, hi)
			continue
		}
		at := len(dst)
		count := int(hi-lo)/charBytes - 1
		dst = slices.Grow(dst, 2*count)[:at+2*count]
		for pairs := dst[at:]; len(pairs) >= 2; pairs = pairs[2:] {
			pairs[0], pairs[1] = lo, lo+2*charBytes
			lo += charBytes
		}
	}
	return append(dst, edges...)
}

// indexNonASCII returns the index of the first byte above 0x7f, or -1.
func indexNonASCII(p []byte) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+64 <= len(p); i += 64 {
		q := p[i : i+64 : i+64]
		all := binary.LittleEndian.Uint64(q) | binary.LittleEndian.Uint64(q[8:]) | binary.LittleEndian.Uint64(q[16:]) | binary.LittleEndian.Uint64(q[24:]) |
			binary.LittleEndian.Uint64(q[32:]) | binary.LittleEndian.Uint64(q[40:]) | binary.LittleEndian.Uint64(q[48:]) | binary.LittleEndian.Uint64(q[56:])
		if all&high != 0 {
			break
		}
	}
	for ; i+8 <= len(p); i += 8 {
		if w := binary.LittleEndian.Uint64(p[i:]) & high; w != 0 {
			return i + bits.TrailingZeros64(w)/8
		}
	}
	for ; i < len(p); i++ {
		if p[i] >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}
