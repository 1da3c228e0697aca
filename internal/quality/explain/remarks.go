package explain

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"

	"simsearch/internal/ground/terminal"
)

// remarks returns remarks on texts that differ in facts, or in hardly anything. Words that are only at another place
// do not count.
func remarks(a, b string, ofText, ofOther Facts, changes []place, folded bool) []string {
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
	kinds := ofText.Differ(ofOther)
	language, sameWords := ofText.language(), true
	if language != ofOther.language() {
		language = known().english
		sameWords = language == ofText.language() || language == ofOther.language()
	}
	lists := &known().lists[language-1]
	for i, kind := range []func(raw, w []byte) bool{
		func(_, w []byte) bool {
			return isNumber(w) || sameWords && lists.number.has(w) && said(string(w), lists) != "1"
		},
		func(_, w []byte) bool { return lists.negation.has(w) },
		func(raw, _ []byte) bool { return bytes.ContainsAny(raw, ofCode+betweenWords+signs) },
		func(raw, _ []byte) bool { return bytes.IndexFunc(raw, unicode.IsUpper) >= 0 },
	} {
		if kinds>>i&1 != 0 {
			out = append(out, "in "+some(strings.TrimSuffix(factKinds[i].name, "s"), ofA, ofB, kind, lists))
		}
	}
	if len(out) > 0 {
		out = []string{"they differ " + strings.Join(out, ", and ")}
	}
	switch {
	case len(out) == 0 && letters(ofA...) == letters(ofB...) && letters(a) == letters(b):
		out = append(out, "they differ in case, punctuation or spaces only")
	case folded:
		out = append(out, "upper and lower case differ, too")
	}
	return out
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

// alteredWords is how many words a change may have, in each of the texts, to be one in a sentence that both
// have. A negation in a whole sentence that one of them lacks turns nothing round.
const alteredWords = 8

// isLong reports whether a text has more words or, where words have no spaces between, very many bytes.
func isLong(text string) bool {
	return len(text) > 16*alteredWords || len(strings.Fields(text)) > alteredWords
}

// some tells of the words of a kind that one side has more often than the other: "a number: 12 / 15" or, of several,
// "numbers: 12 / 15, 3, 4 and 9 more". Those in changes of few words come first: "x / y" is one that stands at the
// place of another. If there are only others, they stand in longer passages.
func some(noun string, ofA, ofB []string, kind func(raw, folded []byte) bool, lists *factList) string {
	const most = 4
	list, others := swapped(ofA, ofB, kind, lists)
	where := ""
	if len(list) == 0 {
		list, where = others, " in longer passages"
	}
	for i, s := range list {
		list[i] = terminal.OneLine(terminal.Cut(s, 40))
	}
	switch n := len(list); {
	case n == 0:
		return noun + "s"
	case n == 1:
		return "a " + noun + where + ": " + list[0]
	case n <= most:
		return noun + "s" + where + ": " + strings.Join(list, ", ")
	default:
		return fmt.Sprintf("%ss%s: %s and %s more", noun, where, strings.Join(list[:most], ", "), terminal.Thousands(n-most))
	}
}

// swapped returns the words of a kind that one side has more often than the other: those in changes of few words, "x
// / y" for one that stands at the place of another, and "x" for one that is in one of the texts only; and then the
// others.
func swapped(ofA, ofB []string, kind func(raw, folded []byte) bool, lists *factList) (out, others []string) {
	surplus := map[string]int{} // of A
	wordsA, wordsB := make([][]string, len(ofA)), make([][]string, len(ofB))
	for i := range ofA {
		wordsA[i], wordsB[i] = wordsOf(ofA[i], kind), wordsOf(ofB[i], kind)
		for _, w := range wordsA[i] {
			surplus[said(w, lists)]++
		}
		for _, w := range wordsB[i] {
			surplus[said(w, lists)]--
		}
	}
	add := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	take := func(words []string, of int) (some []string) {
		for _, w := range words {
			if key := said(w, lists); of*surplus[key] > 0 {
				surplus[key] -= of
				some = append(some, w)
			}
		}
		return some
	}
	for i := range ofA {
		x, y := take(wordsA[i], 1), take(wordsB[i], -1)
		if isLong(ofA[i]) || isLong(ofB[i]) {
			for _, w := range slices.Concat(x, y) {
				add(&others, w)
			}
			continue
		}
		for j := range max(len(x), len(y)) {
			add(&out, strings.Join(slices.Concat(x[min(j, len(x)):min(j+1, len(x))], y[min(j, len(y)):min(j+1, len(y))]), " / "))
		}
	}
	return out, others
}

// wordsOf returns the words of a text that are of a kind, folded.
func wordsOf(text string, kind func(raw, folded []byte) bool) (out []string) {
	for token := words.FromString(text); token.Next(); {
		if w := appendFolded(nil, []byte(token.Value())); kind([]byte(token.Value()), w) {
			out = append(out, string(w))
		}
	}
	return out
}

// said returns what a word counts as: a number in words as that in digits, and others without accents.
func said(w string, lists *factList) string {
	return cmp.Or(strings.TrimPrefix(lists.number.words[w], "*"), plainLetters(w))
}
