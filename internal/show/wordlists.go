package show

import (
	"strings"
	"sync"
)

// A wordList has folded words, and endings and beginnings of words.
type wordList struct {
	words               map[string]bool
	endings, beginnings []string
}

// add adds the words of a list such as those of negationsOf: words with spaces between, "-ending" and
// "beginning-".
func (l *wordList) add(list string) {
	if l.words == nil {
		l.words = map[string]bool{}
	}
	for w := range strings.FieldsSeq(list) {
		ending, isEnding := strings.CutPrefix(w, "-")
		beginning, isBeginning := strings.CutSuffix(w, "-")
		switch {
		case isEnding:
			l.endings = append(l.endings, ending)
		case isBeginning:
			l.beginnings = append(l.beginnings, beginning)
		default:
			l.words[w] = true
		}
	}
}

// has reports whether the list has a folded word. l may be nil.
func (l *wordList) has(w string) bool {
	if l == nil {
		return false
	}
	for _, ending := range l.endings {
		if strings.HasSuffix(w, ending) {
			return true
		}
	}
	for _, beginning := range l.beginnings {
		if strings.HasPrefix(w, beginning) {
			return true
		}
	}
	return l.words[w]
}

// wordLists are the lists of several languages, by their codes, and of all languages together, by "".
type wordLists map[string]*wordList

// listsOf returns a function that makes the lists of several languages when it is first called: each word of
// two texts is looked up.
func listsOf(languages map[string]string) func() wordLists {
	return sync.OnceValue(func() wordLists {
		l := wordLists{"": {}}
		for language, list := range languages {
			l[language] = &wordList{}
			l[language].add(list)
			l[""].add(list)
		}
		return l
	})
}

// has reports whether the list of a language has a folded word, or the one of Chinese, whose signs are in all.
func (l wordLists) has(language, w string) bool { return l[language].has(w) || l["zh"].has(w) }
