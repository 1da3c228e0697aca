package sequences

import (
	"bytes"
	"slices"
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

// AppendTo appends the hash of each word of text to dst. Words with equal hashes, of 64 bits, count as equal, as
// everywhere.
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
func (w *Words) Places(text []byte) [][2]int { return w.Analyze(text).Places(text) }

// LastPlaces is Places of the text that w was used for last.
func (w *Words) LastPlaces(text []byte) [][2]int { return w.doc.Places(text) }

// stopWords are those of the language that is found for each text.
var stopWords = sync.OnceValue(func() *preprocess.StopHashes {
	stop, err := preprocess.NewStopHashes(preprocess.AutoLanguage, fingerprint.Murmur3.SumAll)
	if err != nil {
		panic(err) // the language is always the same
	}
	return stop
})

// stop returns which of the words of text, whose hashes AppendTo has just returned, are stop words of its language.
func (w *Words) stop(text []byte, hashes []uint64) []bool {
	kept := stopWords().Drop(&w.doc, text, slices.Clone(hashes))
	stop := make([]bool, len(hashes))
	for i, h := range hashes { // what is kept stands in the same order
		if stop[i] = len(kept) == 0 || kept[0] != h; !stop[i] {
			kept = kept[1:]
		}
	}
	return stop
}

// A Text is a text and its words. Its zero value is empty; Read may be called again. It must not be used by several
// goroutines at once.
type Text struct {
	Raw      []byte
	Words    []uint64  // their hashes, in order; of a source those of its tokens
	Stop     []bool    // which of them are stop words, if that was asked for
	Literals []literal // of a source: what is between quotes

	hashing Words
	code    *preprocess.Code // of a source
	places  [][2]uint32      // of the words in Raw, once they are asked for
}

// A literal is a word of a source, by its number, and the hash of what is between its quotes.
type literal struct {
	Word int
	Hash uint64
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

// ReadStop notes in t.Stop which words of the text that was read last are stop words.
func (t *Text) ReadStop() { t.Stop = t.hashing.stop(t.Raw, t.Words) }

// ReadCode makes t a source, which it keeps. Its words are tokens: names count as one, as numbers and what is quoted
// do.
func (t *Text) ReadCode(source []byte, c *preprocess.Code) {
	*t = Text{Raw: source, code: c}
	for _, token := range c.AppendTokens(nil, source) {
		t.Words = append(t.Words, fingerprint.Murmur3.Sum(token.Folded(source)))
		if inner := bytes.Trim(source[token.From:token.To], "\"'`"); token.Quoted() && len(inner) > 1 {
			t.Literals = append(t.Literals, literal{len(t.Words) - 1, fingerprint.Murmur3.Sum(inner)})
		}
	}
}

// Bytes returns where words from to to-1, one at least, begin and end in Raw. Once it has been called, several
// goroutines may call it.
func (t *Text) Bytes(from, to int) (start, end int) {
	switch {
	case t.places != nil:
	case t.code == nil:
		var words Words // Raw and Words may be all that somebody has kept
		for _, at := range words.Places(t.Raw) {
			t.places = append(t.places, [2]uint32{uint32(at[0]), uint32(at[1])})
		}
	default:
		for _, token := range t.code.AppendTokens(nil, t.Raw) {
			t.places = append(t.places, [2]uint32{uint32(token.From), uint32(token.To)})
		}
	}
	return int(t.places[from][0]), int(t.places[to-1][1])
}
