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
// word that negates does. A number is a word with a digit, as in 12.5, ½, v1.2 and B52, with the sign before it (+, <, $ …) and the unit or
// sign behind it (%, mg …); a Roman number of two capital letters or more; or a word of a list. The digits of all scripts are equal, 1,000 is
// 1000, and 1,5 is 1.5. Words are those of the language of the texts, by a guess.
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

// Key returns a number for some kinds of facts. Texts with the same number do not differ in these. Texts of one language that do not
// differ have the same number; those of different languages have different ones.
func (f Facts) Key(kinds FactKinds) uint64 {
	key := uint64(f.language) * 0xd6e8feb86659fd93
	if kinds&Numbers != 0 {
		key += uint64(f.digits) + uint64(f.own.numbers)<<32
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
	var n numbers
	for at := 0; at < len(text); {
		start := at
		at = skip(text, at, punctuation)
		first, hash := at, uint32(hashStart)
		for at < len(text) && classes[text[at]] == letter {
			hash = (hash ^ uint32(text[at]|0x20)) * hashPrime
			at++
		}
		word := text[first:at]
		at = skip(text, at, punctuation)
		switch plain := at == len(text) || classes[text[at]] == space; {
		case plain && (n.last == nil || first == start):
			f.addUnit(word, &n)
			if isRoman(word) || lists.affixes || lists.filter[hash>>20]>>(hash>>15&31)&1 != 0 {
				f.add(word, lists, other, &n)
			}
		default:
			for at < len(text) && classes[text[at]] != space {
				at++
			}
			for token := words.FromBytes(text[start:at]); token.Next(); {
				f.add(token.Value(), lists, other, &n)
			}
		}
		n.sign = nil // what is behind white space has it not before it
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

// numbers remembers what a number may belong to, from one word to the next.
type numbers struct {
	sign []byte // the word before, if it may be the sign of a number
	last []byte // the number before, with its sign, if nothing but white space has come since

	buffer []byte
}

// signs may stand before a number, and those of behind, too, or units.
const signs, behind = "+-−<>≤≥±~≈$€£¥₹", "%‰°$€£¥₹"

// unitWords are folded words that tell what a number is of, if they stand behind it.
var unitWords = map[string]bool{}

func init() {
	for _, unit := range strings.Fields("mg g kg µg mcg t ml cl dl l mm cm m km nm µm ms s sec min h hr hrs kb mb gb tb kib mib gib tib b kbit mbit gbit " +
		"w kw mw gw v mv kv ma kwh hz khz mhz ghz k c f kcal cal j kj pa hpa kpa bar psi lb lbs oz ft yd mi mph kph rpm dpi px pt " +
		"percent days day weeks week months month years year hours hour minutes minute seconds second times million billion thousand") {
		unitWords[fold(unit)] = true
	}
}

// addUnit adds a word behind a number if it is a unit.
func (f *Facts) addUnit(word []byte, n *numbers) {
	if n.last == nil {
		return
	}
	last := len(n.last)
	if n.last = appendFolded(n.last, word); unitWords[string(n.last[last:])] {
		f.digits += digestOf(n.last)
	}
	n.last = nil
}

// add adds a word, by the lists of the language of the text and of English.
func (f *Facts) add(word []byte, lists, english *factList, n *numbers) {
	var folded [longestWord]byte
	if r, size := utf8.DecodeRune(word); unicode.IsSpace(r) {
		n.sign = nil
		return
	} else if size == len(word) && strings.ContainsRune(signs+behind, r) {
		if n.last != nil && strings.ContainsRune(behind, r) {
			n.last = append(n.last, word...)
			f.digits += digestOf(n.last)
		}
		n.sign, n.last = word, nil
		return
	}
	f.addUnit(word, n)
	w, sign := appendFolded(folded[:0], word), n.sign
	n.sign, n.last = nil, nil
	switch {
	case isNumber(w):
		n.buffer = appendNumber(append(n.buffer[:0], sign...), w)
		n.last = n.buffer
		f.digits += digestOf(n.last)
	case isRoman(word):
		f.digits += digestOf(word)
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

// isNumber reports whether a folded word has a digit, or another sign of a number.
func isNumber(w []byte) bool {
	for i := range w {
		if '0' <= w[i] && w[i] <= '9' {
			return true
		} else if w[i] >= utf8.RuneSelf {
			return bytes.IndexFunc(w[i:], unicode.IsNumber) >= 0
		}
	}
	return false
}

// appendNumber appends a folded word with digits as it is compared: with digits of ASCII, a point before its fraction, and no signs
// between thousands.
func appendNumber(out, w []byte) []byte {
	if bytes.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(",'_", r) }) < 0 {
		return append(out, w...)
	}
	zero := func(r rune) rune { // of the digits that r is one of: they come in tens
		for r > 0 && unicode.IsDigit(r-1) && (r-1)%16 != 15 {
			r--
		}
		return r
	}
	text := []rune(string(w))
	for i, r := range text {
		if unicode.IsDigit(r) && r > '9' {
			text[i] = '0' + (r-zero(r))%10
		}
	}
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9' }
	for i, r := range text {
		if !strings.ContainsRune(",'_", r) || !isDigit(i-1) {
			out = utf8.AppendRune(out, r)
			continue
		}
		n := 0
		for isDigit(i + 1 + n) {
			n++
		}
		if r == ',' && n != 3 {
			out = append(out, '.')
		} else if n != 3 {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// isRoman reports whether a word is a Roman number of two capital letters or more, in its usual form.
func isRoman(word []byte) bool {
	if len(word) < 2 || len(word) > 15 || strings.IndexByte("MDCLXVI", word[0]) < 0 {
		return false
	}
	rest := string(word)
	for _, digit := range [][]string{{"MMM", "MM", "M"}, {"CM", "CD", "DCCC", "DCC", "DC", "D", "CCC", "CC", "C"},
		{"XC", "XL", "LXXX", "LXX", "LX", "L", "XXX", "XX", "X"}, {"IX", "IV", "VIII", "VII", "VI", "V", "III", "II", "I"}} {
		for _, letters := range digit {
			if after, ok := strings.CutPrefix(rest, letters); ok {
				rest = after
				break
			}
		}
	}
	return rest == ""
}
