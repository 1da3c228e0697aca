package preprocess

import (
	"slices"
	"unicode/utf8"
)

// A Document holds the features of one text. The zero value is empty and ready to use. A Document must
// not be used by several goroutines at the same time.
type Document struct {
	// text has the normalised words that were kept, with one space between two. If the features are
	// words, it also has characters between the words, and words may overlap.
	text  []byte
	words []span // of text
	// features are spans of text. They are the same slice as words if features are words.
	features []span
	grams    []span // the memory of features that are not words
	scratch  scratch
	// These are for detecting the language: its words if they are not those of this document, the sets of languages
	// that have the words as stop words, and the language of the text before.
	prefix   *Document
	sets     []uint16
	language int
}

// A span is text[span[0]:span[1]].
type span = [2]int

// Len returns the number of features. A feature counts as often as it occurs.
func (d *Document) Len() int { return len(d.features) }

// Feature returns feature i, in [0, Len()), in normalised form. It is valid until the next Analyze.
func (d *Document) Feature(i int) []byte {
	s := d.features[i]
	return d.text[s[0]:s[1]:s[1]]
}

// Features returns all features: feature i is text[spans[i][0]:spans[i][1]]. The slices belong to the
// Document and are valid until the next Analyze. text has at least 16 bytes of capacity behind its end,
// so that 16 bytes can be loaded at any feature.
func (d *Document) Features() (text []byte, spans [][2]int) { return d.text, d.features }

// Words returns the number of words that were kept.
func (d *Document) Words() int { return len(d.words) }

// slack is the capacity behind the text in bytes, so that 16 bytes can be read at any word.
const slack = 16

func (d *Document) reset(size int) {
	if need := size + size/8 + slack; cap(d.text) < need {
		d.text = make([]byte, 0, need)
	}
	d.text, d.words, d.features = d.text[:0], d.words[:0], nil
}

// begin adds the space before the next word, if there is a word already, and returns where it begins.
func (d *Document) begin() int {
	if len(d.words) > 0 {
		d.text = append(d.text, ' ')
	}
	return len(d.text)
}

// add adds the words of another document.
func (d *Document) add(from *Document) {
	for _, w := range from.words {
		lo := d.begin()
		d.text = append(d.text, from.text[w[0]:w[1]]...)
		d.words = append(d.words, span{lo, len(d.text)})
	}
}

// beginning returns the document of the words by which the language is detected.
func (d *Document) beginning() *Document {
	if d.prefix == nil {
		d.prefix = new(Document)
	}
	return d.prefix
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

// cut makes the features. If there are fewer words than a word n-gram has, or fewer characters than a
// character n-gram has, all of them make one feature. No words make no feature.
func (d *Document) cut(f FeatureSpec) {
	d.text = slices.Grow(d.text, slack)
	switch {
	case f.Kind == Words || f.Kind == Items:
		d.features = d.words
		return
	case len(d.words) == 0:
		return
	}
	d.grams = d.grams[:0]
	if f.Kind == WordN {
		d.cutWords(f.N)
	} else {
		d.cutChars(f.N)
	}
	if len(d.grams) == 0 {
		d.grams = append(d.grams, span{0, len(d.text)})
	}
	d.features = d.grams
}

func (d *Document) cutWords(n int) {
	for last := n - 1; last < len(d.words); last++ {
		d.grams = append(d.grams, span{d.words[last-n+1][0], d.words[last][1]})
	}
}

// cutChars makes the character n-grams: it moves two positions over the text, n characters apart.
func (d *Document) cutChars(n int) {
	lo, hi := 0, 0
	for range n {
		if hi == len(d.text) {
			return
		}
		hi += d.charLen(hi)
	}
	for {
		d.grams = append(d.grams, span{lo, hi})
		if hi == len(d.text) {
			return
		}
		lo += d.charLen(lo)
		hi += d.charLen(hi)
	}
}

func (d *Document) charLen(at int) int {
	if d.text[at] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(d.text[at:])
	return n
}
