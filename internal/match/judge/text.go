package judge

import (
	"encoding/binary"
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

// A Text is what is compared of a text: of its hashes the upper half. It takes about 3 kB.
type Text struct {
	grams       []uint32   // of the distinct sequences of five characters, the smallest, ascending
	halved      int        // how often the sequences were halved
	bits        [32]uint64 // a bit of each of grams
	title, head []uint32   // of the distinct words of the title, and of those among the first headWords, ascending
	numbers     []uint32   // of the words with digits, ascending
	openings    []uint32   // ascending
	early       []early    // the first earlyWords words, in the order of their hashes
	letters     []byte     // of those that may be misspelt
	count       int        // of the words
	length      int        // of the normalised words with a space between two, in bytes
	digest      uint64     // of the words in their order, or of the text if it has none
}

// gramLength is the number of characters of a sequence.
const gramLength = 5

// headWords is how many of the first words of a text are looked at for the title of another one.
const headWords = 24

// titleColumns is how much of a first line counts as the title.
const titleColumns = 120

// fewGrams is how many sequences of characters are all compared. Of more, those are whose hash is small: half of
// them, a quarter and so on, until no more than these and no fewer than a quarter of these are left. A share of so
// many is off by two or three hundredths.
const fewGrams = 512

// mostOf returns the largest hash that is left of hashes that were halved that often.
func mostOf(halved int) uint64 { return math.MaxUint64 >> halved }

// both returns the sequences of two texts, halved as often as those of either.
func both(a, b *Text) (x, y []uint32) { return a.upTo(b.halved), b.upTo(a.halved) }

// atMost returns how many of their sequences, which are given, two texts share at most. If they were halved equally
// often, each bit that one of them alone has is of a sequence that it alone has.
func atMost(a, b *Text, x, y []uint32) int {
	inA, inB := len(x), len(y)
	if a.halved == b.halved {
		for i, x := range a.bits {
			inA -= bits.OnesCount64(x &^ b.bits[i])
			inB -= bits.OnesCount64(b.bits[i] &^ x)
		}
	}
	return min(inA, inB)
}

func (t *Text) upTo(halved int) []uint32 {
	if halved <= t.halved {
		return t.grams
	}
	n, _ := slices.BinarySearch(t.grams, uint32(mostOf(halved)>>32)+1)
	return t.grams[:n]
}

// A reader makes Texts. The zero value is ready. It must not be used by several goroutines at once.
type reader struct {
	words                  sequences.Words
	hashes, grams, scratch []uint64
	chosen                 []uint64
	early                  [earlyWords]early
	letters                []byte
}

// readers has readers that are used again.
var readers = sync.Pool{New: func() any { return new(reader) }}

// Read returns what is compared of a text. It is safe for concurrent use.
func Read(text []byte) *Text {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	return r.read(text)
}

func (r *reader) read(text []byte) *Text {
	t := new(Text)
	t.title = r.sorted(r.words.AppendTo(r.hashes[:0], []byte(Title(string(text[:min(len(text), longest)]), titleColumns))), true)
	doc := r.words.Analyze(text)
	plain, spans := doc.WordSpans()
	joined := doc.Joined()
	t.count, t.length, t.digest = len(spans), len(joined), fingerprint.Murmur3.Sum(joined)
	if len(spans) == 0 {
		t.digest = fingerprint.Murmur3.Sum(analysis.Whole(text))
	}
	r.hashes = fingerprint.Murmur3.SumAll(r.hashes[:0], plain, spans[:min(len(spans), earlyWords)])
	t.openings = r.openings(r.hashes)
	r.chosen, r.letters = r.chosen[:0], r.letters[:0]
	next := nextDigit(plain, 0)
	for i, s := range spans {
		word := plain[s[0]:s[1]]
		if next < s[0] {
			next = nextDigit(plain, s[0])
		}
		number := next < s[1] && hasDigit(word)
		if number {
			r.chosen = append(r.chosen, fingerprint.Murmur3.Sum(word))
		}
		if i < earlyWords {
			r.early[i] = r.earlyOf(r.hashes[i], word, number)
		}
	}
	t.letters = slices.Clone(r.letters)
	t.numbers = r.sorted(r.chosen, false)
	t.head = r.sorted(append(r.chosen[:0], r.hashes[:min(len(spans), headWords)]...), true)
	for i, h := range r.hashes {
		r.hashes[i] = h>>32<<32 | uint64(i)
	}
	ints.SortFew(r.hashes, &r.scratch)
	t.early = make([]early, len(r.hashes))
	for i, h := range r.hashes {
		t.early[i] = r.early[uint32(h)]
	}
	r.grams = fingerprint.AppendCharGrams(r.grams[:0], joined, gramLength)
	t.sample(r)
	return t
}

// sorted returns the upper halves of hashes, ascending, each once if they are to be distinct. It changes hashes.
func (r *reader) sorted(hashes []uint64, distinct bool) []uint32 {
	ints.SortFew(hashes, &r.scratch)
	if distinct {
		hashes = slices.Compact(hashes)
	}
	halves := make([]uint32, len(hashes))
	for i, h := range hashes {
		halves[i] = uint32(h >> 32)
	}
	return halves
}

// sample keeps the smallest hashes of the sequences of characters.
func (t *Text) sample(r *reader) {
	for t.halved = bits.Len(uint(len(r.grams) / fewGrams)); ; t.halved-- {
		r.chosen = slices.Grow(r.chosen[:0], len(r.grams)+1)
		chosen, most, n := r.chosen[:len(r.grams)+1], mostOf(t.halved), 0
		for _, gram := range r.grams { // without a branch, which would be guessed badly
			chosen[n] = gram
			if gram <= most {
				n++
			}
		}
		if t.grams = r.sorted(chosen[:n], true); t.halved == 0 || len(t.grams) >= fewGrams/4 {
			break // and otherwise the text repeats itself
		}
	}
	for _, gram := range t.grams {
		t.bits[gram>>6%uint32(len(t.bits))] |= 1 << (gram & 63)
	}
}

// nextDigit returns where, from a place of text on, the first byte is that may be of a digit, or the length of text.
func nextDigit(text []byte, from int) int {
	const ones = 0x0101010101010101
	for ; from+8 <= len(text); from += 8 {
		eight := binary.LittleEndian.Uint64(text[from:])
		low := eight &^ (0x80 * ones) // then + 0x50 sets the highest bit from '0' on, and + 0x46 from ':' on
		if found := (eight | (low+0x50*ones)&^(low+0x46*ones)) & (0x80 * ones); found != 0 {
			return from + bits.TrailingZeros64(found)/8
		}
	}
	for ; from < len(text); from++ {
		if c := text[from]; c >= utf8.RuneSelf || '0' <= c && c <= '9' {
			break
		}
	}
	return from
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
