package preprocess

import (
	"errors"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// scratch is the memory in which the features of a Document are made.
type scratch struct {
	valid, normal, folded []byte
	plain                 plainText
	pairs                 []uint32 // the edges of words and of pairs of unspaced characters
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
		s.valid = appendValid(s.valid[:0], text)
		text = s.valid
	}
	s.normal = norm.NFKC.Append(s.normal[:0], text...)
	s.folded = appendFolded(s.folded[:0], s.normal)
	if norm.NFKC.IsNormal(s.folded) {
		return s.folded
	}
	s.normal = norm.NFKC.Append(s.normal[:0], s.folded...)
	return s.normal
}

// appendValid appends text with each run of invalid bytes replaced by U+FFFD.
func appendValid(dst, text []byte) []byte {
	invalid := false
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			if !invalid {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
			invalid = true
		} else {
			dst = append(dst, text[:n]...)
			invalid = false
		}
		text = text[n:]
	}
	return dst
}

// appendFolded appends text with its case folded, and with an apostrophe for each U+2019, which typeset
// text uses as one.
func appendFolded(dst, text []byte) []byte {
	from := len(dst)
	for len(text) > 0 {
		if cap(dst)-len(dst) < len(text)+utf8.UTFMax {
			dst = append(dst, make([]byte, 2*len(text)+64)...)[:len(dst)]
		}
		nDst, nSrc, err := lowerFold.Transform(dst[len(dst):cap(dst)], text, true)
		dst, text = dst[:len(dst)+nDst], text[nSrc:]
		if err != nil && !errors.Is(err, transform.ErrShortDst) {
			panic(err) // impossible: folding of valid text has no other error
		}
	}
	capitals(dst[from:])
	return straighten(dst)
}

// straighten replaces U+2019 in place. The result is no longer than the argument.
func straighten(p []byte) []byte {
	const apostrophe = "\u2019"
	out := p[:0]
	for i := 0; i < len(p); i++ {
		if p[i] == apostrophe[0] && i+2 < len(p) && p[i+1] == apostrophe[1] && p[i+2] == apostrophe[2] {
			out = append(out, '\'')
			i += 2
			continue
		}
		out = append(out, p[i])
	}
	return out
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
// text, and returns the length of the run in bytes. A run of one character is one word. Variation
// selectors and joiners inside the run are dropped.
func (a *Analyzer) segmentUnspaced(doc *Document, text []byte) int {
	var before []byte // the character before; nil at the beginning
	count, at := 0, 0
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		if !isUnspaced(r) {
			if !isIgnorable(r) {
				break
			}
			at += n
			continue
		}
		char := text[at : at+n]
		if before != nil {
			lo := doc.begin()
			doc.text = append(append(doc.text, before...), char...)
			a.keep(doc, lo)
		}
		before = char
		count++
		at += n
	}
	if count == 1 {
		lo := doc.begin()
		doc.text = append(doc.text, before...)
		a.keep(doc, lo)
	}
	return at
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

// isIgnorable reports whether r only changes how its neighbour is drawn.
func isIgnorable(r rune) bool {
	return r == 0x200c || r == 0x200d || unicode.Is(unicode.Variation_Selector, r)
}
