package preprocess

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/bbalet/stopwords"
)

//go:generate go -C ../bench run ./genstopwords

// stopWordFiles are the candidates for stop words, one file for each language. The module bbalet/stopwords decides
// which of them are stop words. It does not export its lists, so that genstopwords reads the candidates from its
// source.
//
//go:embed stopwords/*.txt
var stopWordFiles embed.FS

// Languages returns the codes of the languages with stop words, sorted.
func Languages() []string {
	entries, err := fs.ReadDir(stopWordFiles, "stopwords")
	if err != nil {
		panic(err) // impossible: the directory is embedded
	}
	var codes []string
	for _, e := range entries {
		codes = append(codes, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return codes
}

// A stopList is the stop words of one language.
type stopList struct {
	words []string        // normalised
	set   func() *stopSet // of words, made once
}

// stopLists has for each language the function that returns its stopList. The first call makes the
// list. All analysers share it.
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
	return list.set(), nil
}

// stopWordsAmong returns the words of a text that the module removes from texts of a language. It is asked for all of
// them at once, and for each word only if one is left, as with another version of the module.
func stopWordsAmong(candidates, code string) []string {
	removed := func(text string) bool { return strings.TrimSpace(stopwords.CleanString(text, code, false)) == "" }
	words := strings.Fields(candidates)
	if !removed(candidates) {
		words = slices.DeleteFunc(words, func(word string) bool { return !removed(word) })
	}
	return words
}

// newStopList normalises the stop words of a language. It leaves out a stop word that normalises to
// several features, as a long one of an unspaced script does, since no word of a text can equal it.
func newStopList(code string) (*stopList, error) {
	candidates, err := stopWordFiles.ReadFile("stopwords/" + code + ".txt")
	if err != nil {
		return nil, unknownLanguage(code)
	}
	makeRunes()
	keepAll := Analyzer{stop: noStopWords}
	var doc Document
	var words []string
	for _, word := range stopWordsAmong(string(candidates), code) {
		if keepAll.Analyze(&doc, []byte(word)); doc.Len() == 1 {
			words = append(words, string(doc.Feature(0)))
		}
	}
	return &stopList{words, sync.OnceValue(func() *stopSet { return newStopSet(words) })}, nil
}
