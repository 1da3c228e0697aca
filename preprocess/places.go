package preprocess

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Places returns for each word of d, which Analyze has made of text, which bytes of text it was made of. The analyser
// makes all single words: it has no stop words. Pairs of unspaced characters overlap, as their words do. The places
// are valid until d is used again.
//
// Normalising changes characters and their number. So the text is normalised once more, one character with its marks
// after another, and each word is looked for in that behind the word before it. Between two words, there is no letter
// and no number, so that the first place that is found is the right one. A word that is not found for all that is
// said to be empty, where the word before ends. What is dropped behind a character belongs to the word of that
// character.
func (d *Document) Places(text []byte) [][2]int {
	if indexNonASCII(text) < 0 {
		return d.words // the text is as it was, but for its case
	}
	shown, at := shownOf(text)
	places := d.placesIn(shown)
	if at != nil {
		for i, p := range places {
			from := at[p[0]]
			places[i] = span{from, from + len(bytes.TrimRightFunc(text[from:at[p[1]]], unicode.IsSpace))}
		}
	}
	return places
}

// shownOf returns text without what is dropped and without white space between unspaced characters, and for each byte
// of that, and for its end, where it stands in text. It returns text and nil if nothing is dropped.
func shownOf(text []byte) (shown []byte, at []int) {
	from := 0
	show := func(to int) {
		for i := from; i < to; i++ {
			shown, at = append(shown, text[i]), append(at, i)
		}
	}
	run := false // behind an unspaced character
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		k, left := classOf(runes.look(r)), 0
		if k == dropped || r > 0xffff && IsDropped(r) {
			left = n
		} else if run {
			left = blank(text[i:])
		}
		if left > 0 {
			show(i)
			n, from = left, i+left
		} else {
			run = k == unspacedRune || isUnspaced(r) || run && k == mark
		}
		i += n
	}
	if from == 0 {
		return text, nil
	}
	show(len(text))
	return shown, append(at, len(text))
}

// placesIn is Places of a text of which nothing is dropped that is not part of another character.
func (d *Document) placesIn(text []byte) [][2]int {
	plain, from := normalisedPlaces(text)
	places := make([]span, len(d.words))
	cursor := 0
	for i, w := range d.words {
		word := d.text[w[0]:w[1]]
		at := bytes.Index(plain[cursor:min(len(plain), cursor+len(word)+farthest)], word)
		if at < 0 {
			at = bytes.Index(plain[cursor:], word)
		}
		if at < 0 {
			places[i] = span{from[cursor][0], from[cursor][0]}
			continue
		}
		at += cursor
		end := at + len(word)
		places[i] = span{from[at][0], from[end-1][1]}
		if cursor = end; i+1 < len(d.words) && pairs(word, d.text[d.words[i+1][0]:d.words[i+1][1]]) {
			_, size := utf8.DecodeRune(word)
			cursor = at + size
		}
	}
	return places
}

// farthest is how many bytes behind the last word the next one is looked for at first.
const farthest = 64

// pairs reports whether two words may be pairs of unspaced characters that share one. If they share none, the second
// is not found at the end of the first. A single character would be, but is no pair.
func pairs(word, next []byte) bool {
	r, _ := utf8.DecodeRune(word)
	last, size := utf8.DecodeLastRune(word)
	first, one := utf8.DecodeRune(next)
	return isUnspaced(r) && size < len(word) && first == last && one < len(next)
}

// normalisedPlaces returns text as the steps of the package comment normalise it, and for each byte of it, and for
// its end, the bytes of text that it was made of.
func normalisedPlaces(text []byte) (plain []byte, from [][2]int) {
	plain = make([]byte, 0, len(text)+len(text)/8)
	from = make([][2]int, 0, cap(plain)+1)
	var it norm.Iter
	for at := 0; at < len(text); {
		next := indexNonASCII(text[at:])
		if next < 0 {
			next = len(text) - at
		} else if next > 0 {
			next-- // what follows may belong to the last ASCII character
		}
		had := len(plain)
		plain, from = append(plain, text[at:at+next]...), slices.Grow(from, next)[:had+next]
		for i, c := range plain[had:] {
			plain[had+i], from[had+i] = asciiLower[c], [2]int{at + i, at + i + 1}
		}
		at += next
		// Two ASCII characters that follow each other do not belong together.
		end := at
		for end < len(text) && (end == at || end+1 < len(text) && max(text[end], text[end-1]) >= utf8.RuneSelf) {
			end++
		}
		if end+1 >= len(text) {
			end = len(text)
		}
		it.Init(norm.NFKC, text[at:end])
		for !it.Done() {
			start := it.Pos()
			part := it.Next()
			if len(part) == 1 && part[0] < utf8.RuneSelf {
				plain = append(plain, asciiLower[part[0]])
			} else {
				plain = append(plain, norm.NFKC.String(strings.Map(simplified, foldString(string(part))))...)
			}
			from = appendPlaces(from, plain[len(from):], text[at+start:at+it.Pos()], at+start)
		}
		at = end
	}
	return plain, append(from, [2]int{len(text), len(text)})
}

// appendPlaces appends the places of the bytes of plain, which was made of text, a character with its marks that
// begins at some byte. What is as it was has a place of its own for each mark: a word of an unspaced script may begin
// or end between a character and its mark.
func appendPlaces(from [][2]int, plain, text []byte, at int) [][2]int {
	if !bytes.Equal(plain, text) {
		for range plain {
			from = append(from, [2]int{at, at + len(text)})
		}
		return from
	}
	for size := 0; len(text) > 0; text = text[size:] {
		_, size = utf8.DecodeRune(text)
		for range size {
			from = append(from, [2]int{at, at + size})
		}
		at += size
	}
	return from
}
