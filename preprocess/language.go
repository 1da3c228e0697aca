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
	*stopSets
	all      *Analyzer   // of words, without stop words
	analyzer []*Analyzer // of each language, and last the one of no language
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
	d := &detector{stopSets: sets, all: &Analyzer{stop: noStopWords}}
	for _, set := range append(slices.Clip(sets.of), noStopWords) {
		d.analyzer = append(d.analyzer, &Analyzer{features: f, stop: set})
	}
	return d, nil
}

// stopSets are the stop sets of all Languages, and what their detection takes.
type stopSets struct {
	of      []*stopSet
	codes   []string // of the languages, and last that of no language
	votes   *voteTable
	written [nScripts]uint32 // the languages of each script: bit i stands for codes[i]
	scripts *[1 << 16]uint8  // of each character up to U+FFFF
}

var allStopSets = sync.OnceValues(func() (*stopSets, error) {
	s := &stopSets{codes: append(Languages(), NoLanguage), scripts: new([1 << 16]uint8)}
	words := map[string]uint32{}
	for i, code := range Languages() {
		list, err := stopListOf(code)
		if err != nil {
			return nil, err
		}
		s.of = append(s.of, list.set)
		for _, word := range list.words {
			words[word] |= 1 << i
		}
	}
	for script, list := range scriptLanguages {
		for _, code := range strings.Fields(list) {
			s.written[script] |= 1 << slices.Index(s.codes, code)
		}
	}
	for r := range s.scripts {
		s.scripts[r] = uint8(scriptOf(rune(r)))
	}
	s.votes = newVoteTable(words, s.written[latin])
	return s, nil
})

// prefix returns the length of the beginning of text by which its language is detected. split reports whether it ends at
// white space or at the end of text, so that its words are words of text.
func prefix(text []byte) (n int, split bool) {
	if len(text) <= prefixBytes {
		return len(text), true
	}
	n = prefixBytes
	for n > prefixBytes/2 && !isSpace(text[n-1]) {
		n--
	}
	return n, isSpace(text[n-1])
}

// detect returns the index in codes of the language of the words of text, and leaves in doc the sets of them. It
// makes doc.words those that are no stop words of the language. edges has the beginning and the end of each word, in
// turn.
//
// The script of most words leaves the languages of that script. Each stop word adds one vote, in equal shares, to
// those languages that have it. Kana in Han text decides for Japanese. If there is no stop word, the language is that
// of the script if there is only one, and otherwise none.
func (d *detector) detect(doc *Document, edges []uint32) (language int) {
	n := len(edges) / 2
	doc.sets, doc.words = grown(doc.sets, n), grown(doc.words[:cap(doc.words)], n)
	sets := doc.sets[:n]
	guess := doc.language
	kept, sum, letters := d.votes.look(sets, doc.words, doc.text, edges, guess)
	script := latin
	if 2*letters < n { // no other script has more words
		script = d.script(doc.text, edges)
	}
	if script == latin && d.written[latin]>>guess&1 != 0 && sum.carried() {
		doc.words = doc.words[:kept]
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
		kept = d.votes.keep(doc.words, edges, sets, language)
	}
	doc.words, doc.language = doc.words[:kept], language
	return language
}

// script returns the script by which the language of words is detected.
func (d *detector) script(text []byte, edges []uint32) (script int) {
	var n [nScripts]int
	letters, others := 0, len(edges)/2
	for e := 0; e+1 < len(edges); e += 2 {
		c := text[edges[e]]
		if c < utf8.RuneSelf {
			letters += int(asciiClass[c] & letter) // letters are folded
			continue
		}
		others--
		r, _ := utf8.DecodeRune(text[edges[e]:edges[e+1]])
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

// words makes doc have the words of text that are no stop words of its language, and returns the analyser of the
// language.
func (d *detector) words(doc *Document, text []byte) *Analyzer {
	n, split := prefix(text)
	from := doc
	if !split || d.analyzer[0].features.Kind != Words {
		from = doc.beginning()
	}
	from.reset(n)
	a := d.analyzer[d.detect(from, d.all.edges(from, text[:n]))]
	if from == doc {
		a.segment(doc, text[n:])
		return a
	}
	doc.reset(len(text))
	if split {
		doc.add(from)
		text = text[n:]
	}
	a.segment(doc, text)
	return a
}

// choose returns the index in codes of the language of text. It leaves doc as it is.
func (d *detector) choose(doc *Document, text []byte) (language int) {
	from := doc.beginning()
	n, _ := prefix(text)
	from.reset(n)
	return d.detect(from, d.all.edges(from, text[:n]))
}

// appendEdges appends the beginning and the end of each word.
func appendEdges(dst []uint32, words []span) []uint32 {
	for _, w := range words {
		dst = append(dst, uint32(w[0]), uint32(w[1]))
	}
	return dst
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
	d, err := wordDetector()
	if err != nil {
		return "", err
	}
	return d.codes[d.choose(new(Document), text)], nil
}

var wordDetector = sync.OnceValues(func() (*detector, error) { return newDetector(FeatureSpec{}) })
