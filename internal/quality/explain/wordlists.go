package explain

import (
	"bytes"
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// wordsText has in each line "negation", "number" or "link", the code of a language, and words that negate, are
// numbers, or stand between the words of one number, folded. Endings and beginnings have a hyphen where the rest of the
// word is. A word stands there only if it is that nearly always in that language, but for words for one. Behind = is
// the number in digits, and * if it multiplies what stands before.
//
//go:embed words.txt
var wordsText string

// A wordList has folded words, and endings and beginnings of words.
type wordList struct {
	words               map[string]string // with what stands behind =, or themselves
	endings, beginnings []string
}

// has reports whether the list has a folded word.
func (l *wordList) has(w []byte) bool {
	for _, ending := range l.endings {
		if len(w) >= len(ending) && string(w[len(w)-len(ending):]) == ending {
			return true
		}
	}
	for _, beginning := range l.beginnings {
		if bytes.HasPrefix(w, []byte(beginning)) {
			return true
		}
	}
	return l.words[string(w)] != ""
}

// add adds the words of a line.
func (l *wordList) add(words []string) {
	for _, w := range words {
		if ending, ok := strings.CutPrefix(w, "-"); ok {
			l.endings = append(l.endings, ending)
		} else if beginning, ok := strings.CutSuffix(w, "-"); ok {
			l.beginnings = append(l.beginnings, beginning)
		} else {
			w, value, _ := strings.Cut(w, "=")
			l.words[w] = cmp.Or(value, w)
		}
	}
}

// A factList has the words of a language that are numbers and those that negate, and those of Chinese, whose signs
// are in all languages.
type factList struct {
	number, negation wordList
	filter           [1 << 12]uint32 // a bit for the hash of each word, and of each English one; a word without one is in neither list
	affixes          bool            // there are endings or beginnings of letters, for which the filter is of no use
	nouns            bool            // have capital letters
	link             uint32          // the hash of the word between those of one number
}

// factLanguages are the languages that have lists, in order, with their lists.
type factLanguages struct {
	codes   []string
	lists   []factList
	english uint8 // the place of English, from 1
}

// known are the languages of wordsText.
var known = sync.OnceValue(func() (k factLanguages) {
	lines := map[[2]string][]string{} // by kind and language
	for line := range strings.Lines(wordsText) {
		fields := strings.Fields(line)
		lines[[2]string(fields)] = fields[2:]
		k.codes = append(k.codes, fields[1])
	}
	slices.Sort(k.codes)
	k.codes = slices.Compact(k.codes)
	k.lists = make([]factList, len(k.codes))
	for i, language := range k.codes {
		l := &k.lists[i]
		l.nouns = language == "de"
		l.link = hashOf([]byte(strings.Join(lines[[2]string{"link", language}], "")))
		for kind, list := range map[string]*wordList{"number": &l.number, "negation": &l.negation} {
			list.words = map[string]string{}
			list.add(lines[[2]string{kind, "zh"}])
			list.add(lines[[2]string{kind, language}])
			for w := range list.words {
				hash := hashOf([]byte(w))
				l.filter[hash>>20] |= 1 << (hash >> 15 & 31)
			}
			for _, affix := range append(list.endings, list.beginnings...) {
				l.affixes = l.affixes || !strings.Contains(affix, "'")
			}
		}
	}
	english := slices.Index(k.codes, "en")
	k.english = uint8(english + 1)
	for i := range k.lists {
		for at, bits := range k.lists[english].filter {
			k.lists[i].filter[at] |= bits
		}
	}
	return k
})
