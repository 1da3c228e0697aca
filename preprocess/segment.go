package preprocess

import (
	"encoding/binary"
	"unicode/utf8"
)

// Text is cut at ASCII white space into stretches that are ASCII and stretches that are not. White
// space neither composes nor reorders, and is always a word boundary, so that no step looks across a
// cut. So stretches of ASCII can take the fast path, and their features are those of the general path. A
// text with a few typographic quotation marks takes the fast path for most of its length. Fuzz tests
// compare every answer with Reference.

// joinGap is the length in bytes below which a stretch of ASCII stays on the quick path of Unicode
// text.
const joinGap = 8

// segment adds the words of text to doc.
func (a *Analyzer) segment(doc *Document, text []byte) {
	for len(text) > 0 {
		first := indexNonASCII(text)
		if first < 0 {
			a.segmentASCII(doc, text)
			return
		}
		start := first
		for start > 0 && !isSpace(text[start-1]) {
			start--
		}
		if start > 0 {
			start-- // the white space belongs to the stretch that follows it
		}
		a.segmentASCII(doc, text[:start])
		end := first
		for {
			for end < len(text) && !isSpace(text[end]) {
				end++
			}
			next := indexNonASCII(text[end:min(len(text), end+joinGap)])
			if next < 0 {
				break
			}
			end += next
		}
		a.segmentQuick(doc, text[start:end])
		text = text[end:]
	}
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

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
		if binary.LittleEndian.Uint64(p[i:])&high != 0 {
			break
		}
	}
	for ; i < len(p); i++ {
		if p[i] >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}
