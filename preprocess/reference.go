package preprocess

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// Reference returns the features that Analyze makes. It applies the steps of the package comment to the
// whole text, one after another, without special cases. Tests compare Analyze with it.
func (a *Analyzer) Reference(text []byte) []string {
	if a.auto != nil {
		a = &Analyzer{features: a.features, stop: a.auto.of[a.auto.reference(text)]().stop}
	}
	if a.features.Kind == Items {
		return strings.FieldsFunc(string(text), func(r rune) bool { return r < utf8.RuneSelf && isSpace(byte(r)) })
	}
	if a.features.Kind == CodeN {
		var tokens []string
		for _, t := range anyCode().AppendTokens(nil, text) {
			tokens = append(tokens, string(t.Folded(text)))
		}
		return referenceFeatures(a.features, tokens)
	}
	return referenceFeatures(a.features, a.referenceKept(text))
}

// referenceKept returns the words of text that are no stop words.
func (a *Analyzer) referenceKept(text []byte) (kept []string) {
	s := norm.NFKC.String(strings.ToValidUTF8(string(text), "\ufffd"))
	s = norm.NFKC.String(strings.Map(simplified, foldString(s)))
	for _, word := range a.referenceWords(s) {
		if !a.stop.contains([]byte(word)) {
			kept = append(kept, word)
		}
	}
	return kept
}

// referenceWords returns the words of text. It separates runs of unspaced characters, with white space between them or
// not, from the other text.
func (a *Analyzer) referenceWords(s string) []string {
	var out []string
	var run []rune           // unspaced characters
	var rest strings.Builder // spaced text
	blank := ""              // white space behind a run
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
			run, blank = append(run, r), ""
		case run != nil && unicode.IsSpace(r):
			blank += string(r)
		default:
			flushRun()
			rest.WriteString(blank + string(r))
			blank = ""
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
	if f.Kind != CharN {
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

// reference returns the index in codes of the language of text, as the comment of detect says.
func (d *detector) reference(text []byte) (language int) {
	n, _ := prefix(text)
	words := allWords.referenceKept(text[:n])
	var scripts [nScripts]int
	for _, word := range words {
		r, _ := utf8.DecodeRuneInString(word)
		scripts[scriptOf(r)]++
	}
	script := 0
	for s, n := range scripts {
		if n > scripts[script] {
			script = s
		}
	}
	if script == otherScript && scripts[kana] > 0 {
		script = kana
	}
	var score [maxLanguages]int
	for _, word := range words {
		var having []int
		for i, a := range d.of {
			if d.written[script]>>i&1 != 0 && a().stop.contains([]byte(word)) {
				having = append(having, i)
			}
		}
		for _, i := range having {
			score[i] += share / len(having)
		}
	}
	none := len(d.codes) - 1
	best := none
	for i := range d.of {
		if score[i] > 0 && (best == none || score[i] > score[best]) {
			best = i
		}
	}
	if best == none && bits.OnesCount32(d.written[script]) == 1 {
		best = bits.TrailingZeros32(d.written[script])
	}
	return best
}
