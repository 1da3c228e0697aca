package preprocess

import (
	"embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/bbalet/stopwords"
)

//go:generate go -C ../bench run ./gencandidates

// The module bbalet/stopwords decides which words are stop words. It does not export its lists, so that
// gencandidates extracts candidates from its source. The first analyser of a language passes them once
// through the cleaning function of the module. Those that it drops form a hash table.

// candidates are the words that may be stop words, one file for each language.
//
//go:embed candidates/*.txt
var candidates embed.FS

// Languages returns the codes of the languages with stop words, sorted.
func Languages() []string {
	entries, err := fs.ReadDir(candidates, "candidates")
	if err != nil {
		panic(err) // impossible: the directory is embedded
	}
	var codes []string
	for _, e := range entries {
		codes = append(codes, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return codes
}

// sentinel is a word of no language. It separates the candidates in the argument and the result of
// CleanString.
const sentinel = "qzxqzx"

// stopWords returns the stop words of a language by bbalet/stopwords v1.0.0: a candidate is a stop word
// if CleanString drops it.
//
// The lists of the module are not exported, so that CleanString is the only way to ask for them. It
// cannot clean whole documents, since it is slow and drops digits.
func stopWords(code string) ([]string, error) {
	list, err := candidates.ReadFile("candidates/" + code + ".txt")
	if err != nil {
		return nil, unknownLanguage(code)
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

// A stopList is the stop words of one language.
type stopList struct {
	words []string // normalised
	set   *stopSet // of words
}

// stopLists has for each language the function that returns its stopList. The first call makes the
// list, in some milliseconds. All analysers share it.
var stopLists = sync.OnceValue(func() map[string]func() (*stopList, error) {
	lists := map[string]func() (*stopList, error){}
	for _, code := range Languages() {
		lists[code] = sync.OnceValues(func() (*stopList, error) { return newStopList(code) })
	}
	return lists
})

// stopListOf returns the stop words of one of Languages. The error names Languages.
func stopListOf(code string) (*stopList, error) {
	list, ok := stopLists()[code]
	if !ok {
		return nil, unknownLanguage(code)
	}
	return list()
}

// stopSetOf returns the set of stopListOf, and the empty set for NoLanguage.
func stopSetOf(code string) (*stopSet, error) {
	if code == NoLanguage {
		return noStopWords, nil
	}
	list, err := stopListOf(code)
	if err != nil {
		return nil, err
	}
	return list.set, nil
}

// newStopList normalises the stop words of a language. It leaves out a stop word that normalises to
// several features, as a long one of an unspaced script does, since no word of a text can equal it.
func newStopList(code string) (*stopList, error) {
	list, err := stopWords(code)
	if err != nil {
		return nil, err
	}
	keepAll := Analyzer{stop: noStopWords}
	var doc Document
	var words []string
	for _, word := range list {
		if keepAll.Analyze(&doc, []byte(word)); doc.Len() == 1 {
			words = append(words, string(doc.Feature(0)))
		}
	}
	return &stopList{words, newStopSet(words)}, nil
}
