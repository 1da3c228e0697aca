package preprocess

import (
	"slices"
	"unicode/utf8"
)

// A Document holds the features of one text. The zero value is empty and ready;
// it must not be used by several goroutines at once.
type Document struct {
	// The kept words, normalised, one space between; of ASCII text whose features are words,
	// also what was between them.
	text  []byte
	words []span // of text
	// The features of text; words itself where they are words.
	features []span
	grams    []span // memory for features that are not words
	scratch  scratch
	prefix   *Document // in which its language is found out; nil until then
}

// A span is text[span[0]:span[1]].
type span = [2]int

// Len returns the number of features, each counted as often as it occurs.
func (d *Document) Len() int { return len(d.features) }

// Feature returns feature i in normalised form, valid until the next Analyze.
func (d *Document) Feature(i int) []byte {
	s := d.features[i]
	return d.text[s[0]:s[1]:s[1]]
}

// Features returns all features, feature i being text[spans[i][0]:spans[i][1]], in
// memory that is the Document's and valid until the next Analyze. Behind text are at least
// 16 bytes of capacity, so that a reader may load more than a feature at a time.
func (d *Document) Features() (text []byte, spans [][2]int) { return d.text, d.features }

// Words returns the number of words kept.
func (d *Document) Words() int { return len(d.words) }

// slack is free space behind the text, so that 16 bytes can be read at any word.
const slack = 16

func (d *Document) reset(size int) {
	if need := size + size/8 + slack; cap(d.text) < need {
		d.text = make([]byte, 0, need)
	}
	d.text, d.words, d.features = d.text[:0], d.words[:0], nil
}

// begin makes room for the space before another word and returns its start.
func (d *Document) begin() int {
	if len(d.words) > 0 {
		d.text = append(d.text, ' ')
	}
	return len(d.text)
}

// keep adds the words of another document that are not stop words.
func (d *Document) keep(from *Document, stop *stopSet) {
	for _, w := range from.words {
		word := from.text[w[0]:w[1]]
		if stop.contains(word) {
			continue
		}
		lo := d.begin()
		d.text = append(d.text, word...)
		d.words = append(d.words, span{lo, len(d.text)})
	}
}

// drop forgets the word that began at lo, with the space before it.
func (d *Document) drop(lo int) {
	if lo > 0 {
		lo--
	}
	d.text = d.text[:lo]
}

// items makes a word of everything that white space parts.
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

// cut makes the features. Fewer words than a word n-gram needs, and fewer
// characters than a character n-gram needs, make one feature of all of them; no
// words make none.
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

// cutChars moves two ends over the text, n characters apart.
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
