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
// their stop words, which it knows by their hashes.
type detector struct {
	*stopSets
	votes *voteTable
	sum   sumAll
}

// A sumAll appends to dst the hashes of words, which are spans of a text with 16 bytes of capacity behind its end.
type sumAll = func(dst []uint64, text []byte, words []span) []uint64

// allWords are all words of a text.
var allWords = &Analyzer{stop: noStopWords}

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

// newDetector returns the detector that knows words by hashes.
func newDetector(sum sumAll) (*detector, error) {
	sets, err := allStopSets()
	if err != nil {
		return nil, err
	}
	return &detector{sets, newVoteTable(hashesOf(sets.words, sum), sets.having, sets.written[latin]), sum}, nil
}

// hashesOf returns the hash of each word.
func hashesOf(words []string, sum sumAll) []uint64 {
	var text []byte
	var spans []span
	for _, word := range words {
		spans = append(spans, span{len(text), len(text) + len(word)})
		text = append(text, word...)
	}
	return sum(nil, slices.Grow(text, slack), spans)
}

// stopSets are the stop sets of all Languages, and what their detection takes.
type stopSets struct {
	of      []func() *Analyzer // of words, without the stop words of each language, and last those of no language
	codes   []string           // of the languages, and last that of no language
	words   []string           // all stop words
	having  []uint32           // the languages of each: bit i stands for codes[i]
	written [nScripts]uint32   // the languages of each script: bit i stands for codes[i]
	scripts *[1 << 16]uint8    // of each character up to U+FFFF
}

var allStopSets = sync.OnceValues(func() (*stopSets, error) {
	s := &stopSets{codes: append(Languages(), NoLanguage), scripts: new([1 << 16]uint8)}
	at := map[string]int{}
	for i, code := range Languages() {
		list, err := stopListOf(code)
		if err != nil {
			return nil, err
		}
		s.of = append(s.of, sync.OnceValue(func() *Analyzer { return &Analyzer{stop: list.set()} }))
		for _, word := range list.words {
			if _, known := at[word]; !known {
				at[word] = len(s.words)
				s.words, s.having = append(s.words, word), append(s.having, 0)
			}
			s.having[at[word]] |= 1 << i
		}
	}
	s.of = append(s.of, func() *Analyzer { return allWords })
	for script, list := range scriptLanguages {
		for _, code := range strings.Fields(list) {
			s.written[script] |= 1 << slices.Index(s.codes, code)
		}
	}
	for r := range s.scripts {
		s.scripts[r] = uint8(scriptOf(rune(r)))
	}
	return s, nil
})

// prefix returns the length of the beginning of text by which its language is detected. split reports whether it ends
// at white space that parts words, or at the end of text, so that its words are words of text.
func prefix(text []byte) (n int, split bool) {
	if len(text) <= prefixBytes {
		return len(text), true
	}
	n = prefixBytes
	for n > prefixBytes/2 && !isSpace(text[n-1]) {
		n--
	}
	at := withoutSpace(text[:n])
	return n, at < n && spaceParts(text[:at])
}

// detect returns the index in codes of the language of words, which are spans of text and have hashes. It leaves in
// doc the sets of them, and the hashes of those that are no stop words of the language.
//
// The script of most words leaves the languages of that script. Each stop word adds one vote, in equal shares, to
// those languages that have it. Kana in Han text decides for Japanese. If there is no stop word, the language is that
// of the script if there is only one, and otherwise none.
func (d *detector) detect(doc *Document, text []byte, words []span, hashes []uint64) (language int) {
	doc.sets, doc.kept = grown(doc.sets, len(words)), grown(doc.kept[:cap(doc.kept)], len(words))
	sets := doc.sets[:len(words)]
	guess := doc.language
	kept, sum := d.votes.look(sets, doc.kept, hashes, guess)
	script := d.script(text, words)
	if script == latin && d.written[latin]>>guess&1 != 0 && sum.carried() {
		doc.kept = doc.kept[:kept]
		return guess
	}
	candidates := d.written[script]
	language = d.votes.best(sets, candidates)
	if language < 0 {
		language = len(d.codes) - 1
		if bits.OnesCount32(candidates) == 1 {
			language = bits.TrailingZeros32(candidates)
		}
	}
	if language != guess {
		kept = d.votes.keep(doc.kept, hashes, sets, language)
	}
	doc.kept, doc.language = doc.kept[:kept], language
	return language
}

// script returns the script by which the language of words is detected.
func (d *detector) script(text []byte, words []span) (script int) {
	var n [nScripts]int
	letters, others := 0, len(words)
	for some := range slices.Chunk(words, 64) {
		for _, w := range some {
			letters += int((uint64(text[w[0]]-'a') - 26) >> 63) // letters are folded
		}
		if 2*letters >= others { // no other script has more words
			return latin
		}
	}
	letters = 0
	for _, w := range words {
		c := text[w[0]]
		if c < utf8.RuneSelf {
			letters += int(asciiClass[c] & letter) // letters are folded
			continue
		}
		others--
		r, _ := utf8.DecodeRune(text[w[0]:w[1]])
		if int(r) < len(d.scripts) {
			n[d.scripts[r]]++
		} else {
			n[scriptOf(r)]++
		}
	}
	n[latin] += letters
	n[otherScript] += others - letters
	for s := range n {
		if n[s] > n[script] {
			script = s
		}
	}
	if script == otherScript && n[kana] > 0 {
		script = kana
	}
	return script
}

// analyze makes doc have the words of text that are no stop words of its language.
func (d *detector) analyze(doc *Document, text []byte) {
	language := d.choose(doc, text)
	doc.reset(len(text))
	d.of[language]().segment(doc, text)
}

// choose returns the index in codes of the language of text. It leaves doc as it is.
func (d *detector) choose(doc *Document, text []byte) (language int) {
	n, _ := prefix(text)
	if doc.prefix == nil {
		doc.prefix = new(Document)
	}
	from := doc.prefix
	from.reset(n)
	allWords.segment(from, text[:n])
	from.text = slices.Grow(from.text, slack)
	from.hashes = d.sum(from.hashes[:0], from.text, from.words)
	return d.detect(doc, from.text, from.words, from.hashes)
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
	case r == prolongedSoundMark || unicode.Is(unicode.Katakana, r):
		return kana
	}
	for script, of := range scriptTables {
		if unicode.Is(of, r) {
			return script
		}
	}
	return otherScript
}

var scriptTables = [otherScript]*unicode.RangeTable{
	unicode.Latin, unicode.Cyrillic, unicode.Arabic, unicode.Greek, unicode.Thai, unicode.Khmer, unicode.Hiragana,
}

// DetectLanguage returns the code of the language that AutoLanguage detects for text: one of Languages,
// or NoLanguage. It is meant for whole sentences. For a few words it is a guess.
func DetectLanguage(text []byte) (string, error) {
	d, err := wordDetector()
	if err != nil {
		return "", err
	}
	doc := documents.Get().(*Document)
	defer documents.Put(doc)
	return d.codes[d.choose(doc, text)], nil
}

var documents = sync.Pool{New: func() any { return new(Document) }}

// wordDetector knows words by a simple hash.
var wordDetector = sync.OnceValues(func() (*detector, error) { return newDetector(sumSimply) })

// sumSimply is the sumAll of words of which only the language is asked for.
func sumSimply(dst []uint64, text []byte, words []span) []uint64 {
	for _, w := range words {
		word := text[w[0]:w[1]:cap(text)]
		h := uint64(0)
		for ; len(word) > 16; word = word[16:] {
			half := halves(word[:16])
			h = bits.RotateLeft64((h^half.a)*bucketFactor, 29) ^ half.b*0xc2b2ae3d27d4eb4f
		}
		half := halves(word)
		dst = append(dst, (h^half.a)*bucketFactor^bits.RotateLeft64(half.b*0xc2b2ae3d27d4eb4f, 31))
	}
	return dst
}
