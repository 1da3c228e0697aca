package passages

import (
	"sync"

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
	places   [][2]int // of the words in Raw, once they are asked for
}

// NewText returns a text.
func NewText(raw []byte) *Text {
	t := new(Text)
	t.Read(raw)
	return t
}

// Read makes t the text raw, which it keeps.
func (t *Text) Read(raw []byte) {
	t.Raw, t.places = raw, nil
	analyzer().Analyze(&t.document, raw)
	made, spans := t.document.WordSpans()
	t.Words = fingerprint.Murmur3.SumAll(t.Words[:0], made, spans)
}

// Bytes returns where words from to to-1, one at least, begin and end in Raw.
func (t *Text) Bytes(from, to int) (start, end int) {
	if t.places == nil {
		if t.document.Words() != len(t.Words) { // Raw and Words are all that somebody has kept
			analyzer().Analyze(&t.document, t.Raw)
		}
		t.places = t.document.Places(t.Raw)
	}
	return t.places[from][0], t.places[to-1][1]
}
