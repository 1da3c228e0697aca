package explain

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"

	"simsearch/internal/terminal"
)

// remarks returns remarks on texts that differ in numbers or in negations, or in hardly anything. Words
// that are only at another place do not count.
func remarks(a, b string, changes []place, folded bool) []string {
	var ofA, ofB []string // each for the same change
	for _, p := range changes {
		ofA, ofB = append(ofA, p.a), append(ofB, p.b)
	}
	if len(ofA) == 0 {
		switch {
		case a == b:
			return []string{"the texts are equal"}
		case folded:
			return []string{"the texts are equal but for upper and lower case"}
		}
		return []string{"the texts are equal but for white space"}
	}
	var out []string
	language := sync.OnceValue(func() string { return languageOf(a, b) })
	for _, of := range []struct {
		noun string
		is   func(language, w string) bool
	}{{"number", isNumber}, {"negation", isNegation}} {
		pairs := swapped(ofA, ofB, func(w string) bool { return of.is("", w) })
		if len(pairs) > 0 { // in some language
			pairs = swapped(ofA, ofB, func(w string) bool { return of.is(language(), w) })
		}
		if len(pairs) > 0 {
			out = append(out, "in "+some(of.noun, pairs))
		}
	}
	var all []string
	if len(out) > 0 {
		all = append(all, "they differ "+strings.Join(out, ", and "))
	}
	switch {
	case len(all) == 0 && letters(ofA...) == letters(ofB...) && letters(a) == letters(b):
		all = append(all, "they differ in case, punctuation or spaces only")
	case folded:
		all = append(all, "upper and lower case differ, too")
	}
	return all
}

// letters returns the letters and digits of texts, folded.
func letters(texts ...string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, fold(strings.Join(texts, " ")))
}

func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(norm.NFKC.String(s)), "’", "'")
}

// alteredWords is how many words a change may have, in each of the texts, to be one in a sentence that both
// have. A negation in a whole sentence that one of them lacks turns nothing round.
const alteredWords = 8

// isLong reports whether a text has more words or, where words have no spaces between, very many bytes.
func isLong(text string) bool {
	return len(text) > 16*alteredWords || len(strings.Fields(text)) > alteredWords
}

// swapped returns the words of a kind that one side has more often than the other, in changes of few words:
// "x / y" for one that stands at the place of another, and "x" for one that is in one of the texts only.
func swapped(ofA, ofB []string, kind func(string) bool) []string {
	surplus := map[string]int{} // of A
	wordsA, wordsB := make([][]string, len(ofA)), make([][]string, len(ofB))
	for i := range ofA {
		wordsA[i], wordsB[i] = wordsOf(ofA[i], kind), wordsOf(ofB[i], kind)
		for _, w := range wordsA[i] {
			surplus[w]++
		}
		for _, w := range wordsB[i] {
			surplus[w]--
		}
	}
	var out []string
	for i := range ofA {
		var x, y []string
		for _, w := range wordsA[i] {
			if surplus[w] > 0 {
				surplus[w]--
				x = append(x, w)
			}
		}
		for _, w := range wordsB[i] {
			if surplus[w] < 0 {
				surplus[w]++
				y = append(y, w)
			}
		}
		if isLong(ofA[i]) || isLong(ofB[i]) {
			continue
		}
		for j := range max(len(x), len(y)) {
			text := strings.Join(slices.Concat(x[min(j, len(x)):min(j+1, len(x))], y[min(j, len(y)):min(j+1, len(y))]), " / ")
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// wordsOf returns the words of a text that are of a kind, folded.
func wordsOf(text string, kind func(string) bool) (out []string) {
	for token := words.FromString(text); token.Next(); {
		if w := fold(token.Value()); kind(w) {
			out = append(out, w)
		}
	}
	return out
}

// some returns "a number: 12 / 15" or, of several, "numbers: 12 / 15, 3, 4 and 9 more".
func some(noun string, list []string) string {
	const most = 4
	for i, s := range list {
		list[i] = clean(terminal.Cut(s, 40))
	}
	switch n := len(list); {
	case n == 1:
		return "a " + noun + ": " + list[0]
	case n <= most:
		return noun + "s: " + strings.Join(list, ", ")
	default:
		return fmt.Sprintf("%ss: %s and %s more", noun, strings.Join(list[:most], ", "), terminal.Thousands(n-most))
	}
}
