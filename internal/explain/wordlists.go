package explain

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"simsearch/preprocess"
)

// A wordList has folded words, and endings and beginnings of words with a hyphen where the rest of the word is.
type wordList map[string]bool

// has reports whether the list has a folded word.
func (l wordList) has(w string) bool {
	for i := range w {
		if l["-"+w[i:]] || l[w[:i]+"-"] {
			return true
		}
	}
	return l[w] || l[w+"-"]
}

// wordLists are the lists of several languages, by their codes, and of all languages together, by "".
type wordLists map[string]wordList

// has reports whether the list of a language has a folded word, or the one of Chinese, whose signs are in all.
func (l wordLists) has(language, w string) bool { return l[language].has(w) || l["zh"].has(w) }

// wordsText has in each line "negation" or "number", the code of a language, and words that negate, or are numbers, folded. Endings
// and beginnings that do so have a hyphen where the rest of the word is. A word stands there only if it is that nearly always
// in that language: of numbers, words for one are left out, which stand for articles and pronouns, too.
//
//go:embed words.txt
var wordsText string

// lists has the lists of wordsText by their kinds.
var lists = sync.OnceValue(func() map[string]wordLists {
	all := map[string]wordLists{}
	for line := range strings.Lines(wordsText) {
		fields := strings.Fields(line)
		kind, language := fields[0], fields[1]
		if all[kind] == nil {
			all[kind] = wordLists{"": {}}
		}
		all[kind][language] = wordList{}
		for _, w := range fields[2:] {
			all[kind][language][w], all[kind][""][w] = true, true
		}
	}
	return all
})

// languageOf returns the language of two texts, English if it is not known.
func languageOf(a, b string) string {
	const prefix = 4 << 10
	language, err := preprocess.DetectLanguage([]byte(a[:min(len(a), prefix)] + "\n" + b[:min(len(b), prefix)]))
	if _, ok := lists()["negation"][language]; err != nil || !ok {
		return "en"
	}
	return language
}

// isNegation reports whether a folded word negates in a language, or in some if that is "".
func isNegation(language, w string) bool { return lists()["negation"].has(language, w) }

// isNumber reports whether a folded word is a number, or one in words of a language, or of some if that is "".
func isNumber(language, w string) bool { return hasDigits(w) || lists()["number"].has(language, w) }

// hasDigits reports whether a word is a number, perhaps with a unit or an ending of up to two letters,
// such as 1,000, 12.5, 15th, 5mg and 2nd.
func hasDigits(w string) bool {
	rest := strings.TrimLeftFunc(w, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune(".,'_:", r) })
	first, _ := utf8.DecodeRuneInString(w)
	return unicode.IsDigit(first) && utf8.RuneCountInString(rest) <= 2 && strings.IndexFunc(rest, unicode.IsDigit) < 0
}
