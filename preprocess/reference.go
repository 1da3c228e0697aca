package preprocess

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// Reference returns the features of text as Analyze does, computed in the plainest
// way: every step of the package comment over the whole text, in order, with no
// path for special cases. Tests hold Analyze to it.
func (a *Analyzer) Reference(text []byte) []string {
	if a.auto != nil {
		language, _ := a.auto.choose(new(Document), text)
		a = a.auto.analyzer[language]
	}
	if a.features.Kind == Items {
		return strings.FieldsFunc(string(text), func(r rune) bool { return r < utf8.RuneSelf && isSpace(byte(r)) })
	}
	s := norm.NFKC.String(strings.ToValidUTF8(string(text), "\ufffd"))
	s = norm.NFKC.String(fold.String(s))
	s = strings.ReplaceAll(s, "\u2019", "'")
	var kept []string
	for _, word := range a.referenceWords(s) {
		if !a.stop.contains([]byte(word)) {
			kept = append(kept, word)
		}
	}
	return referenceFeatures(a.features, kept)
}

// referenceWords parts runs of unspaced characters from the rest.
func (a *Analyzer) referenceWords(s string) []string {
	var out []string
	var run []rune           // of unspaced characters
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
			// dropped, and the run goes on
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
