package judge

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/sequences"
)

// A Text is what is compared of a text. It takes about two bytes for each byte of the text, and 16 kB more.
type Text struct {
	words   []uint64 // hashes of all words, ascending
	grams   []uint64 // of the distinct sequences of five characters, those up to mostOf(halved), ascending
	halved  int      // how often the sequences were halved
	title   []uint64 // of the distinct words of the title, ascending
	head    []uint64 // of the distinct words among the first headWords, ascending
	numbers []uint64 // of the words with digits, ascending
	length  int      // of the normalised words with a space between two, in bytes
	digest  uint64   // of the words in their order, or of the text if it has none
}

// gramLength is the number of characters of a sequence.
const gramLength = 5

// headWords is how many of the first words of a text are looked at for the title of another one.
const headWords = 24

// titleColumns is how much of a first line counts as the title.
const titleColumns = 120

// A reader makes Texts. The zero value is ready. It must not be used by several goroutines at once.
type reader struct {
	words   sequences.Words
	grams   []uint64
	scratch []uint64
}

// readers has readers that are used again.
var readers = sync.Pool{New: func() any { return new(reader) }}

// Read returns what is compared of a text. It is safe for concurrent use.
func Read(text []byte) *Text {
	r, t := readers.Get().(*reader), new(Text)
	r.read(t, text)
	readers.Put(r)
	return t
}

// read sets t to what is compared of a text. It uses the memory of t again.
func (r *reader) read(t *Text, text []byte) {
	t.title = r.distinct(r.words.AppendTo(t.title[:0], []byte(Title(string(text[:min(len(text), longest)]), titleColumns))))
	t.words = r.words.AppendTo(t.words[:0], text)
	doc := r.words.Document()
	plain, spans := doc.WordSpans()
	t.numbers, t.digest = t.numbers[:0], 0
	for i, s := range spans {
		t.digest = fingerprint.WordGram([]uint64{t.digest, t.words[i]})
		if hasDigit(plain[s[0]:s[1]]) {
			t.numbers = append(t.numbers, t.words[i])
		}
	}
	if len(spans) == 0 {
		t.digest = fingerprint.Murmur3.Sum(analysis.Whole(text))
	}
	t.head = r.distinct(append(t.head[:0], t.words[:min(len(t.words), headWords)]...))
	slices.Sort(t.numbers)
	ints.SortFew(t.words, &r.scratch)
	joined := doc.Joined()
	t.length = len(joined)
	r.grams = fingerprint.AppendCharGrams(r.grams[:0], joined, gramLength)
	for t.halved = bits.Len(uint(len(r.grams) / fewGrams)); ; t.halved-- {
		t.grams = t.grams[:0]
		for most, i := mostOf(t.halved), 0; i < len(r.grams); i++ {
			if r.grams[i] <= most {
				t.grams = append(t.grams, r.grams[i])
			}
		}
		if t.grams = r.distinct(t.grams); t.halved == 0 || len(t.grams) >= fewGrams/4 {
			return // and otherwise the text repeats itself
		}
	}
}

// fewGrams is how many sequences of characters are all compared. Of more, those are whose hash is small: half of
// them, a quarter and so on, until no more than these and no fewer than a quarter of these are left. A share of so
// many is off by one or two hundredths.
const fewGrams = 2048

// mostOf returns the largest hash of the sequences that are compared if they were halved that often.
func mostOf(halved int) uint64 { return math.MaxUint64 >> halved }

// gramsOf returns the sequences of two texts, halved as often as those of either.
func gramsOf(a, b *Text) (x, y []uint64) {
	return a.upTo(mostOf(b.halved)), b.upTo(mostOf(a.halved))
}

func (t *Text) upTo(most uint64) []uint64 {
	if mostOf(t.halved) <= most {
		return t.grams
	}
	n, found := slices.BinarySearch(t.grams, most)
	if found {
		n++
	}
	return t.grams[:n]
}

// distinct sorts hashes, and leaves each once.
func (r *reader) distinct(hashes []uint64) []uint64 {
	ints.SortFew(hashes, &r.scratch)
	return slices.Compact(hashes)
}

// hasDigit reports whether a word has a digit.
func hasDigit(word []byte) bool {
	for i := range word {
		if c := word[i]; '0' <= c && c <= '9' {
			return true
		} else if c >= utf8.RuneSelf {
			return slices.ContainsFunc([]rune(string(word[i:])), unicode.IsDigit)
		}
	}
	return false
}
