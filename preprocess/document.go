package preprocess

import (
	"slices"
	"unicode/utf8"
)

// A Document holds the features of one text. The zero value is empty and ready to use. A Document must
// not be used by several goroutines at the same time.
type Document struct {
	// text has the normalised words that were kept. Between two of them are the characters that were there,
	// or a space. Pairs of unspaced characters overlap.
	text  []byte
	words []span // of text
	spec  FeatureSpec

	// These are made when they are asked for.
	joined   []byte // the words with one space between two; empty until then
	grams    []span // the n-grams, as spans of joined
	hasGrams bool

	scratch scratch
	// These are for detecting the language: its words if they are not those of this document, the sets of languages
	// that have the words as stop words, and the language of the text before.
	prefix   *Document
	sets     []uint8
	language int
	hashes   []uint64 // of the words of this document, if they detect the language of another one
	kept     []uint64 // the hashes of the words that are no stop words of the language
	first    int      // the number of words by which the language is detected, or -1 if these are no words of the document
}

// A span is text[span[0]:span[1]].
type span = [2]int

// Len returns the number of features. A feature counts as often as it occurs.
func (d *Document) Len() int {
	_, features := d.Features()
	return len(features)
}

// Feature returns feature i, in [0, Len()), in normalised form. It is valid until the next Analyze.
func (d *Document) Feature(i int) []byte {
	text, features := d.Features()
	s := features[i]
	return text[s[0]:s[1]:s[1]]
}

// Features returns all features: feature i is text[spans[i][0]:spans[i][1]]. The slices belong to the
// Document and are valid until the next Analyze. text has at least 16 bytes of capacity behind its end,
// so that 16 bytes can be loaded at any feature.
//
// N-grams are made when they are asked for first. WordSpans and Joined have all that hashing them takes.
func (d *Document) Features() (text []byte, spans [][2]int) {
	if d.spec.Kind == Words || d.spec.Kind == Items {
		return d.text, d.words
	}
	if !d.hasGrams {
		d.cut()
		d.hasGrams = true
	}
	return d.Joined(), d.grams
}

// WordSpans returns the words that were kept: word i is text[spans[i][0]:spans[i][1]]. The slices are as those
// of Features.
func (d *Document) WordSpans() (text []byte, spans [][2]int) { return d.text, d.words }

// Joined returns the words that were kept, with one space between two. N-grams of characters are cut from it. The slice
// belongs to the Document and is valid until the next Analyze. It has at least 16 bytes of capacity behind its end.
func (d *Document) Joined() []byte {
	if len(d.joined) == 0 && len(d.words) > 0 {
		d.join()
	}
	return d.joined
}

// join copies the words. Most of them have at most 16 bytes and take one step.
func (d *Document) join() {
	size := 0
	for _, w := range d.words { // they may overlap
		size += w[1] - w[0] + 1
	}
	dst, src := slices.Grow(d.joined[:0], size+slack), d.text[:cap(d.text)]
	dst = dst[:cap(dst)]
	at := 0
	for _, w := range d.words {
		if n := w[1] - w[0]; n <= 16 {
			*(*[16]byte)(dst[at:]) = [16]byte(src[w[0]:])
		} else {
			copy(dst[at:], src[w[0]:w[1]])
		}
		at += w[1] - w[0]
		dst[at] = ' '
		at++
	}
	d.joined = dst[:at-1]
}

// Words returns the number of words that were kept.
func (d *Document) Words() int { return len(d.words) }

// slack is the capacity behind the text in bytes, so that 16 bytes can be read at any word.
const slack = 16

func (d *Document) reset(size int) {
	if need := size + size/8 + slack; cap(d.text) < need {
		d.text = make([]byte, 0, need)
	}
	d.text, d.words = d.text[:0], d.words[:0]
	d.joined, d.hasGrams = d.joined[:0], false
}

// begin adds the space before the next word, if there is a word already, and returns where it begins.
func (d *Document) begin() int {
	if len(d.words) > 0 {
		d.text = append(d.text, ' ')
	}
	return len(d.text)
}

// drop removes the word that began at lo, and the space before it.
func (d *Document) drop(lo int) {
	if lo > 0 {
		lo--
	}
	d.text = d.text[:lo]
}

// items makes a word of each stretch between ASCII white space.
func (d *Document) items(text []byte) {
	d.text = append(d.text, text...)
	for i := 0; i < len(d.text); i++ {
		lo := i
		for i < len(d.text) && !isSpace(d.text[i]) {
			i++
		}
		if i > lo {
			d.words = append(d.words, span{lo, i})
		}
	}
}

// tokens makes a word of each token of a source, whatever its language.
func (d *Document) tokens(source []byte) {
	for _, t := range anyCode().AppendTokens(nil, source) {
		lo := d.begin()
		d.text = append(d.text, t.Folded(source)...)
		d.words = append(d.words, span{lo, len(d.text)})
	}
}

// cut makes the n-grams. If there are fewer words than a word n-gram has, or fewer characters than a
// character n-gram has, all of them make one feature. No words make no feature.
func (d *Document) cut() {
	d.grams = d.grams[:0]
	if len(d.words) == 0 {
		return
	}
	if d.spec.Kind != CharN {
		d.cutWords(d.spec.N)
	} else {
		d.cutChars(d.spec.N)
	}
	if len(d.grams) == 0 {
		d.grams = append(d.grams, span{0, len(d.Joined())})
	}
}

// cutWords makes the word n-grams: it moves two positions over the joined words, n words apart.
func (d *Document) cutWords(n int) {
	lo, hi := 0, -1
	for i, w := range d.words {
		hi += 1 + w[1] - w[0]
		if i < n-1 {
			continue
		}
		d.grams = append(d.grams, span{lo, hi})
		first := d.words[i-n+1]
		lo += first[1] - first[0] + 1
	}
}

// cutChars makes the character n-grams: it moves two positions over the text, n characters apart.
func (d *Document) cutChars(n int) {
	text := d.Joined()
	lo, hi := 0, 0
	for range n {
		if hi == len(text) {
			return
		}
		hi += charLen(text, hi)
	}
	for {
		d.grams = append(d.grams, span{lo, hi})
		if hi == len(text) {
			return
		}
		lo += charLen(text, lo)
		hi += charLen(text, hi)
	}
}

func charLen(text []byte, at int) int {
	if text[at] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(text[at:])
	return n
}
