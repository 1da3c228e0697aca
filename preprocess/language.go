package preprocess

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// NoLanguage is the code of no stop words.
	NoLanguage = "none"
	// AutoLanguage is the code for detecting the language of each document.
	AutoLanguage = "auto"
)

// aliases are other codes of languages.
var aliases = map[string]string{"nb": "no", "nn": "no", "": NoLanguage}

// CanonicalLanguage returns the code that an alias such as "nb" stands for, here "no". It returns any
// other code as it is, known or not.
func CanonicalLanguage(code string) string {
	if other, ok := aliases[code]; ok {
		return other
	}
	return code
}

// unknownLanguage returns the error of an unknown code.
func unknownLanguage(code string) error {
	return fmt.Errorf("unknown language %q: want none, auto or one of %s", code, strings.Join(Languages(), ", "))
}

// prefixBytes is the length of the beginning of a document by which its language is detected.
const prefixBytes = 4 << 10

// A detector detects the language of a text by its script, and among the languages of that script by
// their stop words.
type detector struct {
	words    map[string]uint32 // the languages of each stop word: bit i stands for languages[i]
	analyzer []*Analyzer       // of each language, and last the one of no language
	codes    []string
	of       [nScripts]uint32 // the languages of each script, as in words
}

// Scripts by which languages are detected.
const (
	latin = iota
	cyrillic
	arabic
	greek
	thai
	khmer
	kana
	otherScript
	nScripts
)

// scriptLanguages lists the languages with stop words that are written in each script.
var scriptLanguages = [nScripts]string{
	latin:    "cs da de en es fi fr hu id it lv nl no pl pt ro sk sv tr",
	cyrillic: "bg ru", arabic: "ar fa", greek: "el", thai: "th", khmer: "km", kana: "ja", otherScript: "",
}

// newDetector returns the detector for features of one kind. Stop words are made once in a process.
func newDetector(f FeatureSpec) (*detector, error) {
	sets, err := allStopSets()
	if err != nil {
		return nil, err
	}
	d := &detector{words: sets.words, codes: append(Languages(), NoLanguage)}
	for _, set := range append(slices.Clip(sets.of), noStopWords) {
		d.analyzer = append(d.analyzer, &Analyzer{features: f, stop: set})
	}
	for script, list := range scriptLanguages {
		for _, code := range strings.Fields(list) {
			d.of[script] |= 1 << slices.Index(d.codes, code)
		}
	}
	return d, nil
}

// stopSets returns the stop sets of all Languages, and all words of these.
type stopSets struct {
	of    []*stopSet
	words map[string]uint32
}

var allStopSets = sync.OnceValues(func() (*stopSets, error) {
	s := &stopSets{words: map[string]uint32{}}
	for i, code := range Languages() {
		list, err := stopListOf(code)
		if err != nil {
			return nil, err
		}
		s.of = append(s.of, list.set)
		for _, word := range list.words {
			s.words[word] |= 1 << i
		}
	}
	return s, nil
})

// choose returns the index in codes of the language of text.
//
// It looks at the first words of text. The script of most of them leaves the languages of that script.
// Each stop word adds one vote, in equal shares, to those languages that have it. Kana in Han text
// decides for Japanese. If there is no stop word, the language is that of the script if there is only
// one, and otherwise none.
//
// choose leaves the words in doc.prefix. whole reports whether they are all words of text.
func (d *detector) choose(doc *Document, text []byte) (language int, whole bool) {
	if doc.prefix == nil {
		doc.prefix = new(Document)
	}
	none := len(d.codes) - 1
	whole = len(text) <= prefixBytes
	if !whole {
		text = text[:prefixBytes]
		for len(text) > prefixBytes/2 && !isSpace(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	words := doc.prefix
	d.analyzer[none].words(words, text)
	var scripts [nScripts]int
	for _, w := range words.words {
		r, _ := utf8.DecodeRune(words.text[w[0]:w[1]])
		scripts[scriptOf(r)]++
	}
	script := 0
	for s, n := range scripts {
		if n > scripts[script] {
			script = s
		}
	}
	if script == otherScript && scripts[kana] > 0 {
		script = kana
	}
	candidates := d.of[script]
	const share = 2520 // divisible by 1 to 10
	var score [32]int
	for _, w := range words.words {
		mask := d.words[string(words.text[w[0]:w[1]])] & candidates
		n := bits.OnesCount32(mask)
		for ; mask != 0; mask &= mask - 1 {
			score[bits.TrailingZeros32(mask)] += share / n
		}
	}
	best := none
	for i := range d.codes[:none] {
		if score[i] > 0 && (best == none || score[i] > score[best]) {
			best = i
		}
	}
	if best == none && bits.OnesCount32(candidates) == 1 {
		best = bits.TrailingZeros32(candidates)
	}
	return best, whole
}

// words fills doc with the words of text.
func (a *Analyzer) words(doc *Document, text []byte) {
	doc.reset(len(text))
	a.segment(doc, text)
}

func scriptOf(r rune) int {
	switch { // the main blocks come first, most of which have one script
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' { // folded
			return latin
		}
		return otherScript
	case 0xdf <= r && r < 0x250 && r != '÷':
		return latin
	case 0x430 <= r && r < 0x482:
		return cyrillic
	case 0x4e00 <= r && r < 0xa000 || 0xac00 <= r && r < 0xd7a4:
		return otherScript // Han; Hangul
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.Is(unicode.Arabic, r):
		return arabic
	case unicode.Is(unicode.Greek, r):
		return greek
	case unicode.Is(unicode.Thai, r):
		return thai
	case unicode.Is(unicode.Khmer, r):
		return khmer
	case unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == prolongedSoundMark:
		return kana
	}
	return otherScript
}

// DetectLanguage returns the code of the language that AutoLanguage detects for text: one of Languages,
// or NoLanguage. It is meant for whole sentences. For a few words it is a guess.
func DetectLanguage(text []byte) (string, error) {
	d, err := newDetector(FeatureSpec{})
	if err != nil {
		return "", err
	}
	language, _ := d.choose(new(Document), text)
	return d.codes[language], nil
}
