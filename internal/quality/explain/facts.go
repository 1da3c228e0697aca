package explain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"

	"simsearch/preprocess"
)

// Two near texts may say different things: one changed number, or one "not", hardly changes how near they are. Two texts
// differ in numbers if a number stands more often in one of them than in the other, wherever that is, and in negations if a
// word that negates does. Numbers are written in digits or in words. Words are those of the language of the texts, by a guess.
// If that is English for one text only, the words of English count in both, and if it is another one for each, digits alone.
//
// Names would be a third kind of fact. They are not told: a capital letter marks a name in few languages, and in these not at
// the beginning of a sentence.

// A FactKinds is a set of kinds of facts in which texts can differ.
type FactKinds uint8

// The kinds.
const (
	Numbers FactKinds = 1 << iota
	Negations
	// Order is no fact of one text: two texts with the same words, or most of them, have these in another order. CompareTexts tells it.
	Order
)

var factNames = []string{"numbers", "negations", "order"}

// ParseFacts reads names of kinds with commas between them.
func ParseFacts(s string) (kinds FactKinds, err error) {
	for name := range strings.SplitSeq(s, ",") {
		i := slices.Index(factNames, strings.TrimSpace(name))
		if i < 0 {
			return 0, fmt.Errorf("unknown kind of facts %q: want numbers, negations, order, or some of them with commas between", name)
		}
		kinds |= 1 << i
	}
	return kinds, nil
}

// Names returns the names of the kinds, or nil if there are none.
func (k FactKinds) Names() (names []string) {
	for i, name := range factNames {
		if k>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns what ParseFacts reads.
func (k FactKinds) String() string { return strings.Join(k.Names(), ",") }

// Facts are digests of the numbers and negations of a text. Those of different ones are equal with a probability of 2⁻³². The zero
// value is that of a text that nobody has seen.
type Facts struct {
	digits         uint32
	own, inEnglish wordFacts // as words of the language of the text, and as English ones
	language       uint8     // a place among those that are known, from 1
}

// wordFacts are digests of the numbers in words and of the negations of a text, taken for one of some language.
type wordFacts struct{ numbers, negations uint32 }

// FactWords is the number of words that Facts are stored in.
const FactWords = 6

// Words returns the facts as FactsOfWords reads them.
func (f Facts) Words() [FactWords]uint32 {
	return [FactWords]uint32{f.digits, f.own.numbers, f.own.negations, f.inEnglish.numbers, f.inEnglish.negations, uint32(f.language)}
}

// FactsOfWords returns the facts that Words has returned. ok is false if there are no such facts.
func FactsOfWords(w [FactWords]uint32) (f Facts, ok bool) {
	if w[5] > uint32(len(known().codes)) {
		return f, false
	}
	return Facts{w[0], wordFacts{w[1], w[2]}, wordFacts{w[3], w[4]}, uint8(w[5])}, true
}

// Known reports whether the text has been seen.
func (f Facts) Known() bool { return f.language > 0 }

// Differ returns the kinds of facts in which two texts differ, none if one of them has not been seen.
func (f Facts) Differ(other Facts) (kinds FactKinds) {
	if !f.Known() || !other.Known() {
		return 0
	}
	var a, b wordFacts
	switch english := known().english; {
	case f.language == other.language:
		a, b = f.own, other.own
	case f.language == english || other.language == english:
		a, b = f.inEnglish, other.inEnglish
	}
	if f.digits != other.digits || a.numbers != b.numbers {
		kinds |= Numbers
	}
	if a.negations != b.negations {
		kinds |= Negations
	}
	return kinds
}

// Key returns a number that is the same for two texts if they do not differ in some kinds of facts. Texts of different languages
// may have different ones though they do not differ.
func (f Facts) Key(kinds FactKinds) uint64 {
	key := uint64(0)
	if kinds&Numbers != 0 {
		key = uint64(f.digits) + uint64(f.own.numbers)<<32
	}
	if kinds&Negations != 0 {
		key ^= uint64(f.own.negations) * 0x9e3779b97f4a7c15
	}
	return key
}

// FactsOf returns the facts of a text. It looks at one field after the other: what has no white space, beyond which no word reaches.
// Of a field of ASCII letters with punctuation around them, it only looks at the hash; others are divided into words.
func FactsOf(text []byte) (f Facts) {
	if !utf8.Valid(text) { // a word could reach beyond white space
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	f.language = guess(text)
	lists, other := f.lists(), &known().lists[known().english-1]
	for at := 0; at < len(text); {
		start := at
		at = skip(text, at, punctuation)
		first, hash := at, uint32(hashStart)
		for at < len(text) && classes[text[at]] == letter {
			hash = (hash ^ uint32(text[at]|0x20)) * hashPrime
			at++
		}
		word := text[first:at]
		if at = skip(text, at, punctuation); at < len(text) && classes[text[at]] != space {
			for at < len(text) && classes[text[at]] != space {
				at++
			}
			for token := words.FromBytes(text[start:at]); token.Next(); {
				f.add(token.Value(), lists, other)
			}
		} else if lists.affixes || lists.filter[hash>>20]>>(hash>>15&31)&1 != 0 {
			f.add(word, lists, other)
		}
		at = skip(text, at, space)
	}
	return f
}

// A class is what a byte is.
type class uint8

const (
	space class = iota
	letter
	punctuation
	other // a digit, a control character, or part of a character beyond ASCII
)

var classes = func() (of [256]class) {
	for b := range of {
		switch r := rune(b); {
		case b < utf8.RuneSelf && unicode.IsSpace(r):
			of[b] = space
		case b < utf8.RuneSelf && unicode.IsLetter(r):
			of[b] = letter
		case '!' <= b && b <= '~' && b != '_' && !unicode.IsDigit(r):
			of[b] = punctuation
		default:
			of[b] = other
		}
	}
	return of
}()

// skip returns where bytes of a class end that begin at a place.
func skip(text []byte, at int, is class) int {
	for at < len(text) && classes[text[at]] == is {
		at++
	}
	return at
}

const (
	hashStart, hashPrime = 2166136261, 16777619 // of FNV-1a
	// longestWord is more than the number of bytes of the longest word of a list, or of one with one of its endings that is told.
	longestWord = 48
)

// add adds a word, by the lists of the language of the text and of English.
func (f *Facts) add(word []byte, lists, english *factList) {
	var folded [longestWord]byte
	w := appendFolded(folded[:0], word)
	switch {
	case hasDigits(w):
		f.digits += digestOf(w)
	case len(w) <= longestWord:
		f.own.add(w, lists)
		f.inEnglish.add(w, english)
	}
}

func (f *wordFacts) add(w []byte, lists *factList) {
	if lists.number.has(w) {
		f.numbers += digestOf(w)
	}
	if lists.negation.has(w) {
		f.negations += digestOf(w)
	}
}

// digestOf returns a number for a word; the sum of those of several words is the digest of all.
func digestOf(w []byte) uint32 {
	h := uint64(14695981039346656037)
	for _, b := range w {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return uint32(h >> 32)
}

// guessedBy is how many bytes at the beginning of a text tell its language.
const guessedBy = 512

// lists returns the lists of the language of the text.
func (f Facts) lists() *factList { return &known().lists[f.language-1] }

// guess returns the place of the language of a text, from 1, or that of English if it is not known.
func guess(text []byte) uint8 {
	text = text[:min(len(text), guessedBy)]
	language, err := preprocess.DetectLanguage(text)
	if at := slices.Index(known().codes, language); err == nil && at >= 0 {
		return uint8(at + 1)
	}
	return known().english
}

// appendFolded appends a word without regard to case and to other forms of the same letters.
func appendFolded(dst, word []byte) []byte {
	if norm.NFKC.QuickSpan(word) < len(word) {
		word = norm.NFKC.Bytes(word)
	}
	for len(word) > 0 {
		r, n := utf8.DecodeRune(word)
		if r == '’' {
			r = '\''
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
		word = word[n:]
	}
	return dst
}

func fold(s string) string { return string(appendFolded(nil, []byte(s))) }

// hasDigits reports whether a word is a number, perhaps with a unit or an ending of up to two letters,
// such as 1,000, 12.5, 15th, 5mg and 2nd.
func hasDigits(w []byte) bool {
	first, _ := utf8.DecodeRune(w)
	if !unicode.IsDigit(first) {
		return false
	}
	rest := bytes.TrimLeftFunc(w, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune(".,'_:", r) })
	return utf8.RuneCount(rest) <= 2 && bytes.IndexFunc(rest, unicode.IsDigit) < 0
}
