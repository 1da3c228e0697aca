package preprocess

import (
	"embed"
	"io/fs"
	"strings"
	"sync"

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

// A stopList is what one language makes of its stop words.
type stopList struct {
	words []string // normalised
	set   *stopSet // of words
}

// stopLists holds, for each language, the function that returns its stopList. A list is made
// the first time that it is asked for, in some milliseconds, and shared by all analysers.
var stopLists = sync.OnceValue(func() map[string]func() (*stopList, error) {
	lists := map[string]func() (*stopList, error){}
	for _, code := range Languages() {
		lists[code] = sync.OnceValues(func() (*stopList, error) { return newStopList(code) })
	}
	return lists
})

// stopListOf returns the stop words of one of Languages, or the error that names these.
func stopListOf(code string) (*stopList, error) {
	list, ok := stopLists()[code]
	if !ok {
		return nil, unknownLanguage(code)
	}
	return list()
}

// stopSetOf is the set of stopListOf, and that of no words for NoLanguage.
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

// newStopList normalises the stop words of a language. A stop word that normalises to several
// features, as a long one of an unspaced script does, cannot equal a word of ours and is left
// out.
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
