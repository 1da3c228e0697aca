package preprocess

import (
	"embed"
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
