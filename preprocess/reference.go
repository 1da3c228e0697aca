package preprocess

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// Reference returns the features that Analyze makes. It applies the steps of the package comment to the
// whole text, one after another, without special cases. Tests compare Analyze with it.
func (a *Analyzer) Reference(text []byte) []string {
	old := a.old
	if a.auto != nil {
		language, _ := a.auto.choose(new(Document), text)
		a = a.auto.analyzer[language]
	}
	if a.features.Kind == Items {
		return strings.FieldsFunc(string(text), func(r rune) bool { return r < utf8.RuneSelf && isSpace(byte(r)) })
	}
	s := norm.NFKC.String(strings.ToValidUTF8(string(text), "\ufffd"))
	s = norm.NFKC.String(foldString(s))
	s = strings.ReplaceAll(s, "\u2019", "'")
	if old {
		s = strings.Map(small, s)
	}
	var kept []string
	for _, word := range a.referenceWords(s) {
		if !a.stop.contains([]byte(word)) {
			kept = append(kept, word)
		}
	}
	return referenceFeatures(a.features, kept)
}

// referenceWords returns the words of text. It separates runs of unspaced characters from the other
// text.
func (a *Analyzer) referenceWords(s string) []string {
	var out []string
	var run []rune           // unspaced characters
	var rest strings.Builder // spaced text
	flushRun := func() {
		if len(run) == 1 {
			out = append(out, string(run))
		}
		for i := 1; i < len(run); i++ {
			out = append(out, string(run[i-1:i+1]))
		}
		run = nil
	}
	flushRest := func() {
		for it := words.FromString(rest.String()); it.Next(); {
			if isWord([]byte(it.Value())) {
				out = append(out, it.Value())
			}
		}
		rest.Reset()
	}
	for _, r := range s {
		switch {
		case isUnspaced(r):
			flushRest()
			run = append(run, r)
		case len(run) > 0 && isIgnorable(r):
			// dropped; the run continues
		default:
			flushRun()
			rest.WriteRune(r)
		}
	}
	flushRun()
	flushRest()
	return out
}

// referenceFeatures makes n-grams by slicing and joining.
func referenceFeatures(f FeatureSpec, words []string) []string {
	if f.Kind == Words || len(words) == 0 {
		return words
	}
	var grams []string
	if f.Kind == WordN {
		for i := f.N; i <= len(words); i++ {
			grams = append(grams, strings.Join(words[i-f.N:i], " "))
		}
	} else {
		chars := []rune(strings.Join(words, " "))
		for i := f.N; i <= len(chars); i++ {
			grams = append(grams, string(chars[i-f.N:i]))
		}
	}
	if grams == nil {
		return []string{strings.Join(words, " ")}
	}
	return grams
}
