package sequences

import (
	"bytes"
	"sort"
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
	analyzer().Analyze(&w.doc, text)
	plain, spans := w.doc.WordSpans()
	return fingerprint.Murmur3.SumAll(dst, plain, spans)
}

// Document returns what the words of the last text were made of. It is valid until w is used again.
func (w *Words) Document() *preprocess.Document { return &w.doc }

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
	places  [][2]int // of the words in Raw without what nobody sees, once they are asked for
	shown   []byte   // Raw without what nobody sees, if there is some
	unseen  [][2]int // where that was in shown, and how many bytes up to there, in order
}

// unseen are characters inside of words that nobody sees: soft hyphens, the zero-width non-joiner and joiner, and the word joiner. They
// make no other word of one.
var unseen = [][]byte{[]byte("\u00ad"), []byte("\u200c"), []byte("\u200d"), []byte("\u2060")}

// NewText returns a text.
func NewText(raw []byte) *Text {
	t := new(Text)
	t.Read(raw)
	return t
}

// Read makes t the text raw, which it keeps.
func (t *Text) Read(raw []byte) {
	t.Raw, t.places = raw, nil
	t.Words = t.hashing.AppendTo(t.Words[:0], t.show())
}

// show returns Raw without what nobody sees.
func (t *Text) show() []byte {
	t.shown, t.unseen = t.shown[:0], t.unseen[:0]
	from, next := 0, [4]int{} // where each of the unseen characters stands next
	for i, c := range unseen {
		next[i] = find(t.Raw, c, 0)
	}
	for {
		i := 0 // the first one
		for j := range next {
			if next[j] < next[i] {
				i = j
			}
		}
		at := next[i]
		if at == len(t.Raw) {
			break
		}
		t.shown = append(t.shown, t.Raw[from:at]...)
		from = at + len(unseen[i])
		t.unseen = append(t.unseen, [2]int{len(t.shown), from - len(t.shown)})
		next[i] = find(t.Raw, unseen[i], from)
	}
	if from == 0 {
		return t.Raw
	}
	t.shown = append(t.shown, t.Raw[from:]...)
	return t.shown
}

// find returns where the first character c begins in text from a byte on, or the end of text.
func find(text, c []byte, from int) int {
	if at := bytes.Index(text[from:], c); at >= 0 {
		return from + at
	}
	return len(text)
}

// Bytes returns where words from to to-1, one at least, begin and end in Raw. Once it has been called, several goroutines may call it.
func (t *Text) Bytes(from, to int) (start, end int) {
	if t.places == nil {
		t.places = t.hashing.Places(t.show()) // Raw and Words may be all that somebody has kept
	}
	start, end = t.places[from][0], t.places[to-1][1]
	return start + t.hidden(start+1), end + t.hidden(end)
}

// hidden returns how many bytes that nobody sees stand before byte at of what is seen, but directly before it.
func (t *Text) hidden(at int) int {
	if n := sort.Search(len(t.unseen), func(i int) bool { return t.unseen[i][0] >= at }); n > 0 {
		return t.unseen[n-1][1]
	}
	return 0
}
