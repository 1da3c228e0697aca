package preprocess

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// scratch is the memory in which the features of a Document are made.
type scratch struct {
	normal, folded []byte
	plain          plainText
	pairs          []uint32 // the edges of words and of pairs of unspaced characters
	// Of the ASCII path: the edges and masks of its words.
	masks []masks
	edges []uint32
}

// segmentUnicode adds the words of any text to doc.
func (a *Analyzer) segmentUnicode(doc *Document, text []byte) {
	text = doc.scratch.normalise(text)
	for len(text) > 0 {
		n := 0 // the length of the run of characters that are not unspaced
		r, size := utf8.DecodeRune(text)
		for !isUnspaced(r) {
			if n += size; n == len(text) {
				break
			}
			r, size = utf8.DecodeRune(text[n:])
		}
		a.segmentSpaced(doc, text[:n])
		text = text[n:]
		text = text[a.segmentUnspaced(doc, text):]
	}
}

// normalise returns text in the normal form of the package. The result is valid until the next call.
func (s *scratch) normalise(text []byte) []byte {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	s.normal = norm.NFKC.Append(s.normal[:0], text...)
	s.folded = appendFolded(s.folded[:0], s.normal)
	if norm.NFKC.IsNormal(s.folded) {
		return s.folded
	}
	s.normal = norm.NFKC.Append(s.normal[:0], s.folded...)
	return s.normal
}

// appendFolded appends text with its case folded, and each character as simplified says.
func appendFolded(dst, text []byte) []byte {
	from := len(dst)
	dst, _, err := transform.Append(lowerFold, dst, text)
	if err != nil {
		panic(err) // impossible: folding of valid text has no error
	}
	capitals(dst[from:])
	return append(dst[:from], bytes.Map(simplified, dst[from:])...)
}

// simplified returns what becomes of a folded character: -1 if it is dropped, and an apostrophe of
// U+2019, which typeset text uses as one.
func simplified(r rune) rune {
	switch {
	case r == 0x2019:
		return '\''
	case IsDropped(r), isAccent(r):
		return -1
	}
	return withoutAccent(r)
}

// isAccent reports whether r is an accent: a mark that is above, below or across letters of Latin, Greek and Cyrillic.
func isAccent(r rune) bool { return 0x0300 <= r && r <= 0x036f }

// withoutAccent returns the letter that a letter with accents is made of, and others as they are.
func withoutAccent(r rune) rune {
	if r < 0xc0 {
		return r
	}
	var buffer [utf8.UTFMax]byte
	parts := norm.NFD.Properties(buffer[:utf8.EncodeRune(buffer[:], r)]).Decomposition()
	letter, n := utf8.DecodeRune(parts)
	if mark, _ := utf8.DecodeRune(parts[n:]); len(parts) > n && isAccent(mark) {
		return letter
	}
	return r
}

// segmentSpaced adds the UAX #29 words of normalised text to doc.
func (a *Analyzer) segmentSpaced(doc *Document, text []byte) {
	for it := words.FromBytes(text); it.Next(); {
		if word := it.Value(); isWord(word) {
			lo := doc.begin()
			doc.text = append(doc.text, word...)
			a.keep(doc, lo)
		}
	}
}

// isWord reports whether a segment has a letter or a number.
func isWord(segment []byte) bool {
	for len(segment) > 0 {
		r, n := utf8.DecodeRune(segment)
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
		segment = segment[n:]
	}
	return false
}

// segmentUnspaced adds the overlapping bigrams of the run of unspaced characters at the beginning of
// text, with white space between them or not, and returns the length of the run in bytes. A run of one character is one
// word.
func (a *Analyzer) segmentUnspaced(doc *Document, text []byte) int {
	var before []byte // the character before; nil at the beginning
	count, at := 0, 0
	for rest := text; ; rest = text[at:] {
		rest = bytes.TrimLeftFunc(rest, unicode.IsSpace)
		r, n := utf8.DecodeRune(rest)
		if !isUnspaced(r) {
			break
		}
		char := rest[:n]
		if before != nil {
			lo := doc.begin()
			doc.text = append(append(doc.text, before...), char...)
			a.keep(doc, lo)
		}
		before = char
		count++
		at = len(text) - len(rest) + n
	}
	if count == 1 {
		lo := doc.begin()
		doc.text = append(doc.text, before...)
		a.keep(doc, lo)
	}
	return at
}

// keep ends the word that began at lo, and drops it if it is a stop word.
func (a *Analyzer) keep(doc *Document, lo int) {
	hi := len(doc.text)
	if a.stop.contains(doc.text[lo:hi]) {
		doc.drop(lo)
		return
	}
	doc.words = append(doc.words, span{lo, hi})
}

const (
	firstUnspaced      = 0x0e01 // THAI CHARACTER KO KAI
	prolongedSoundMark = 0x30fc // a letter of script Common that only Kana words use
)

// unspaced are the scripts written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isUnspaced reports whether r is a letter or mark of such a script. The digits of these scripts make
// words as all digits do.
func isUnspaced(r rune) bool {
	if r < firstUnspaced {
		return false
	}
	return r == prolongedSoundMark || unicode.In(r, unspaced...) && unicode.In(r, unicode.L, unicode.M, unicode.Nl)
}

// IsDropped reports whether r makes no difference to a word. Nobody sees characters of formatting (Cf),
// such as soft hyphens, joiners, spaces without width and marks of direction, nor variation selectors
// and the grapheme joiner. Vowel marks of Hebrew and Arabic are written in some texts only. The marks
// from U+0653 to U+0655 are parts of Arabic letters.
func IsDropped(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case 0x0591 <= r && r <= 0x06ed || 0x0898 <= r && r <= 0x08ff || r == 0xfb1e:
		return unicode.In(r, unicode.Mn, unicode.Cf) && (r < 0x0653 || r > 0x0655)
	}
	return r == 0x034f || unicode.In(r, unicode.Cf, unicode.Variation_Selector)
}
