package passages

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"

	"simsearch/fingerprint"
	"simsearch/preprocess"
)

// analyzer makes all words of a text, whatever its language.
var analyzer = sync.OnceValue(func() *preprocess.Analyzer {
	a, err := preprocess.New(preprocess.Options{Language: preprocess.NoLanguage})
	if err != nil {
		panic(err) // the options are always the same
	}
	return a
})

// A Text is a text and its words. Its zero value is empty; Read may be called again. It must not be used by several goroutines at once.
type Text struct {
	Raw   []byte
	Words []uint64 // their hashes, in order

	document preprocess.Document
	parts    []part   // of Raw, if places are asked for
	some     []uint64 // words of a part of a part
}

// A part of a text begins at a byte, and with a word.
type part struct{ at, word int }

// NewText returns a text.
func NewText(raw []byte) *Text {
	t := new(Text)
	t.Read(raw)
	return t
}

// Read makes t the text raw, which it keeps.
func (t *Text) Read(raw []byte) {
	t.Raw, t.parts = raw, t.parts[:0]
	t.Words = t.words(t.Words[:0], raw)
}

// words appends the words of text to dst.
func (t *Text) words(dst []uint64, text []byte) []uint64 {
	analyzer().Analyze(&t.document, text)
	made, spans := t.document.WordSpans()
	return fingerprint.Murmur3.SumAll(dst, made, spans)
}

// partBytes is about how many bytes a part has.
const partBytes = 512

// Bytes returns where words from to to-1, one at least, begin and end in Raw. Analysing is not undone: words of a part of a text are
// those of the text if the part ends where words do, so that the place of a word is found by bisection.
func (t *Text) Bytes(from, to int) (start, end int) {
	if len(t.parts) == 0 {
		t.divide()
	}
	text, at, first := t.part(from)
	all := t.count(text)
	low := prefixBy(text, func(p int) bool { // the first place behind the beginning of the word
		some := t.count(text[p:])
		left := all - (from - first)
		return some < left || some == left && (left == 0 || t.some[0] != t.Words[from])
	})
	for low--; low > 0 && !utf8.RuneStart(text[low]); low-- {
	}
	start = at + max(low, 0)
	text, at, first = t.part(to - 1)
	end = at + prefixBy(text, func(p int) bool {
		n, some := to-first, t.count(text[:p])
		return some > n || some == n && t.some[n-1] == t.Words[to-1]
	})
	return start, end
}

// count returns the number of words of text, which are in t.some then.
func (t *Text) count(text []byte) int {
	t.some = t.words(t.some[:0], text)
	return len(t.some)
}

// part returns the part of the text that has a word, where it begins, and its first word.
func (t *Text) part(word int) (text []byte, at, first int) {
	i := sort.Search(len(t.parts), func(i int) bool { return t.parts[i].word > word }) - 1
	end := len(t.Raw)
	if i+1 < len(t.parts) {
		end = t.parts[i+1].at
	}
	return t.Raw[t.parts[i].at:end], t.parts[i].at, t.parts[i].word
}

// divide divides the text behind spaces and ideographic full stops, at which words end in any case.
func (t *Text) divide() {
	words := 0
	for at := 0; at < len(t.Raw); {
		end := at + partBytes
		for end < len(t.Raw) && t.Raw[end-1] > ' ' && !bytes.HasSuffix(t.Raw[:end], []byte("。")) {
			end++
		}
		end = min(end, len(t.Raw))
		t.parts = append(t.parts, part{at, words})
		words += t.count(t.Raw[at:end])
		at = end
	}
	if words != len(t.Words) { // which no text is known for
		t.parts = append(t.parts[:0], part{})
	}
}

// prefixBy returns the least p at which a character of text begins, or its end, for which is(p) holds. It holds for all larger ones.
func prefixBy(text []byte, is func(p int) bool) int {
	lo, hi := 0, len(text)
	for lo < hi {
		p := int(uint(lo+hi) / 2)
		for p > lo && !utf8.RuneStart(text[p]) {
			p--
		}
		if is(p) {
			hi = p
			continue
		}
		for lo = p + 1; lo < len(text) && !utf8.RuneStart(text[lo]); lo++ {
		}
	}
	return hi
}
