package preprocess

import (
	"embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bbalet/stopwords"
)

//go:generate go run ./gencandidates

// candidates are the words that may be stop words, a file a language.
//
//go:embed candidates/*.txt
var candidates embed.FS

// Languages returns the codes of the languages with stop words, sorted.
func Languages() []string {
	entries, err := fs.ReadDir(candidates, "candidates")
	if err != nil {
		panic(err) // embedded: it is there or the program does not build
	}
	var codes []string
	for _, e := range entries {
		codes = append(codes, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return codes
}

// NoLanguage is the code under which no word is a stop word.
const NoLanguage = "none"

// sentinel is a word of no language; it parts the candidates in what CleanString
// is given and gives back.
const sentinel = "qzxqzx"

// stopWords returns the stop words of a language as bbalet/stopwords v1.0.0 decides
// them: a candidate is one if CleanString lets it vanish.
//
// That function is the only sound way into the module: its lists are not exported,
// and it is too slow and drops too much (digits) to clean whole documents with.
func stopWords(code string) ([]string, error) {
	list, err := candidates.ReadFile("candidates/" + code + ".txt")
	if err != nil {
		return nil, fmt.Errorf("unknown language %q: want none or one of %s", code, strings.Join(Languages(), ", "))
	}
	words := strings.Fields(string(list))
	cleaned := stopwords.CleanString(strings.Join(words, " "+sentinel+" ")+" "+sentinel, code, false)
	var stop []string
	for i, left := range strings.SplitN(cleaned, sentinel, len(words)+1)[:len(words)] {
		if strings.TrimSpace(left) == "" {
			stop = append(stop, words[i])
		}
	}
	return stop, nil
}

// A stopSet is an immutable hash table of words with open addressing. A nil one
// is empty.
type stopSet struct {
	slots   []stopSlot // a power of two, at most a quarter full
	shift   uint
	longest int // bytes
}

type stopSlot struct {
	head uint64 // the first eight bytes, little-endian, zeros behind a short word
	word string // "" where the slot is free
}

// newStopSet returns the normalised stop words of a language. A stop word that
// normalises to several features, as a long one of an unspaced script does, cannot
// equal a word of ours and is left out.
func newStopSet(code string) (*stopSet, error) {
	if code == NoLanguage || code == "" {
		return nil, nil
	}
	list, err := stopWords(code)
	if err != nil {
		return nil, err
	}
	var keepAll Analyzer
	var doc Document
	words := make([]string, 0, len(list))
	for _, word := range list {
		if keepAll.Analyze(&doc, []byte(word)); doc.Words() == 1 {
			words = append(words, string(doc.Feature(0)))
		}
	}
	bits := uint(2)
	for 1<<bits < 4*len(words) {
		bits++
	}
	s := &stopSet{slots: make([]stopSlot, 1<<bits), shift: 64 - bits}
	for _, word := range words {
		s.add(word)
	}
	return s, nil
}

func (s *stopSet) add(word string) {
	h := head([]byte(word))
	i := s.slot(h)
	for s.slots[i].word != "" {
		if s.slots[i].word == word {
			return // two spellings of one normalised word
		}
		i = (i + 1) & (len(s.slots) - 1)
	}
	s.slots[i] = stopSlot{h, word}
	s.longest = max(s.longest, len(word))
}

// slot spreads heads by Fibonacci hashing (Knuth, TAOCP volume 3, section 6.4).
func (s *stopSet) slot(head uint64) int { return int(head * 0x9e3779b97f4a7c15 >> s.shift) }

// contains reports whether word, normalised and not empty, is a stop word.
func (s *stopSet) contains(word []byte) bool {
	if s == nil || len(word) > s.longest {
		return false
	}
	h := head(word)
	for i := s.slot(h); s.slots[i].word != ""; i = (i + 1) & (len(s.slots) - 1) {
		if s.slots[i].head == h && s.slots[i].word == string(word) {
			return true
		}
	}
	return false
}

// head returns the first eight bytes of word, with zeros for those it lacks. It
// reads past the end of word where the memory behind it is known to be there.
func head(word []byte) uint64 {
	if len(word) >= 8 {
		return binary.LittleEndian.Uint64(word)
	}
	if cap(word) >= 8 {
		return binary.LittleEndian.Uint64(word[:8]) & (1<<(8*uint(len(word))) - 1)
	}
	var h uint64
	for i, c := range word {
		h |= uint64(c) << (8 * i)
	}
	return h
}
