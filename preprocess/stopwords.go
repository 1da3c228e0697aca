package preprocess

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
)

//go:generate go -C ../bench run ./genstopwords

// stopWordFiles are the stop words of bbalet/stopwords, one file for each language. That module decides which words are stop words.
// It does not export its lists, and it makes them all when a program starts, so that genstopwords asks it.
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
	words []string // normalised
	set   *stopSet // of words
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
	return list.set, nil
}

// newStopList normalises the stop words of a language. It leaves out a stop word that normalises to
// several features, as a long one of an unspaced script does, since no word of a text can equal it.
func newStopList(code string) (*stopList, error) {
	list, err := stopWordFiles.ReadFile("stopwords/" + code + ".txt")
	if err != nil {
		return nil, unknownLanguage(code)
	}
	makeRunes()
	keepAll := Analyzer{stop: noStopWords}
	var doc Document
	var words []string
	for word := range strings.FieldsSeq(string(list)) {
		if keepAll.Analyze(&doc, []byte(word)); doc.Len() == 1 {
			words = append(words, string(doc.Feature(0)))
		}
	}
	return &stopList{words, newStopSet(words)}, nil
}
