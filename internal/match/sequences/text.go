package sequences

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

// Words hash the words of texts. The zero value is ready. They must not be used by several goroutines at once.
type Words struct{ doc preprocess.Document }

// AppendTo appends the hash of each word of text to dst. Words with equal hashes, of 64 bits, count as equal, as everywhere.
func (w *Words) AppendTo(dst []uint64, text []byte) []uint64 {
	plain, spans := w.Analyze(text).WordSpans()
	return fingerprint.Murmur3.SumAll(dst, plain, spans)
}

// Analyze returns the words of text, valid until w is used again.
func (w *Words) Analyze(text []byte) *preprocess.Document {
	analyzer().Analyze(&w.doc, text)
	return &w.doc
}

// Places returns which bytes of text each of its words is made of, valid until w is used again.
func (w *Words) Places(text []byte) [][2]int {
	analyzer().Analyze(&w.doc, text)
	return w.LastPlaces(text)
}

// LastPlaces is Places of the text that w was used for last.
func (w *Words) LastPlaces(text []byte) [][2]int { return w.doc.Places(text) }

// A Text is a text and its words. Its zero value is empty; Read may be called again. It must not be used by several goroutines at once.
type Text struct {
	Raw   []byte
	Words []uint64 // their hashes, in order

	hashing Words
	places  [][2]int // of the words in Raw, once they are asked for
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
	t.Words = t.hashing.AppendTo(t.Words[:0], raw)
}

// Bytes returns where words from to to-1, one at least, begin and end in Raw. Once it has been called, several goroutines may call it.
func (t *Text) Bytes(from, to int) (start, end int) {
	if t.places == nil {
		t.places = t.hashing.Places(t.Raw) // Raw and Words may be all that somebody has kept
	}
	return t.places[from][0], t.places[to-1][1]
}
