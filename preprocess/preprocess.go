// Package preprocess turns the bytes of a document into features: words, word
// n-grams or character n-grams, without the stop words of a language.
//
//	a, err := preprocess.New(preprocess.Options{Language: "en"})
//	var doc preprocess.Document
//	a.Analyze(&doc, []byte("The quick brown fox"))
//	for i := range doc.Len() {
//		fmt.Printf("%s\n", doc.Feature(i)) // quick, brown, fox
//	}
//
// These are the steps, in order:
//
//  1. Invalid UTF-8 becomes U+FFFD.
//  2. The text is brought into normal form NFKC, and case is folded fully. Characters that nobody sees,
//     and vowel marks of Hebrew and Arabic, are dropped, and so are accents: marks from U+0300 to U+036F, and those
//     that a letter consists of by its canonical decomposition. The rest is brought into normal form again.
//  3. U+2019, the right single quotation mark, becomes an apostrophe.
//  4. Runs of Han, Kana, Thai, Lao, Khmer and Myanmar letters become overlapping bigrams, whatever
//     white space is between two of them.
//  5. The other text is cut into words by UAX #29. Segments without a letter or number are dropped.
//  6. Stop words are dropped.
//  7. The remaining words make n-grams.
//
// Items, the members of ready-made sets, skip all these steps: they are the stretches between ASCII
// white space.
package preprocess

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of the steps above, and of the hashes that package analysis computes of the features.
// Analysers of one version with equal options make the same features. Every change of features or hashes raises it.
const Version = 4

// A Kind is what a feature is made of.
type Kind uint8

// The kinds of features.
const (
	Words  Kind = iota // single words; N is 1
	WordN              // N consecutive words, joined by a space
	CharN              // N consecutive characters of the words joined by a space
	Items              // stretches between white space, unchanged
	CodeN              // N consecutive tokens of sources, joined by a space: names, numbers and what is quoted count as one each
	nKinds = iota
)

// MaxN is the largest N of an n-gram.
const MaxN = 64

// A FeatureSpec is the definition of features. Its zero value is words.
type FeatureSpec struct {
	Kind Kind
	N    int // in [1, MaxN]; 0 or 1 for Words and Items
}

// ParseFeatureSpec parses "words", "word:N", "char:N", "code:N" or "items". It returns an error for other strings,
// and for N outside [1, MaxN].
func ParseFeatureSpec(s string) (FeatureSpec, error) {
	switch s {
	case "words":
		return FeatureSpec{}, nil
	case "items":
		return FeatureSpec{Kind: Items}, nil
	}
	kind, count, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(count)
	of, known := map[string]Kind{"word": WordN, "char": CharN, "code": CodeN}[kind]
	f := FeatureSpec{Kind: of, N: n}
	if !known || err != nil || f.validate() != nil {
		return FeatureSpec{}, fmt.Errorf("unknown features %q: want words, word:N, char:N or code:N with N from 1 to %d, or items", s, MaxN)
	}
	return f, nil
}

// String returns the form that ParseFeatureSpec parses.
func (f FeatureSpec) String() string {
	switch f.Kind {
	case WordN:
		return "word:" + strconv.Itoa(f.N)
	case CharN:
		return "char:" + strconv.Itoa(f.N)
	case CodeN:
		return "code:" + strconv.Itoa(f.N)
	case Items:
		return "items"
	}
	return "words"
}

// MarshalText returns f in the form that ParseFeatureSpec reads. The error is always nil.
func (f FeatureSpec) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText sets f to what text describes. The error is that of ParseFeatureSpec.
func (f *FeatureSpec) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFeatureSpec(string(text))
	return err
}

func (f FeatureSpec) validate() error {
	if f.Kind >= nKinds || (f.Kind != Words && f.Kind != Items && (f.N < 1 || f.N > MaxN)) {
		return fmt.Errorf("preprocess: no features of kind %d and length %d", f.Kind, f.N)
	}
	return nil
}

// Options are the settings of an Analyzer. All of them change the features.
type Options struct {
	Features FeatureSpec
	// Language is the code of the language of the stop words: one of Languages, or an alias. "none" and
	// "" stand for no stop words. "auto" detects the language of each document.
	Language string
}

// An Analyzer makes features. It is immutable and safe for concurrent use.
type Analyzer struct {
	features FeatureSpec
	stop     *stopSet
	auto     *detector // detects the language of each document, and replaces stop; nil for one language
}

// New returns an analyser. The error names the known languages or the known kinds of features.
//
// All analysers of a language share its stop words. The first New of a language makes them, in a few
// milliseconds. The first New of "auto" makes those of all languages, in some ten milliseconds.
func New(o Options) (*Analyzer, error) {
	if err := o.Features.validate(); err != nil {
		return nil, err
	}
	makeRunes()
	code := CanonicalLanguage(o.Language)
	if code == AutoLanguage {
		auto, err := wordDetector()
		if err != nil {
			return nil, err
		}
		return &Analyzer{features: o.Features, auto: auto}, nil
	}
	stop, err := stopSetOf(code)
	if err != nil {
		return nil, err
	}
	return &Analyzer{features: o.Features, stop: stop}, nil
}

// Analyze replaces the contents of doc by the features of text, in the order of the text. It uses the
// memory of doc again, and allocates only to grow it. It does not keep text.
func (a *Analyzer) Analyze(doc *Document, text []byte) {
	switch {
	case a.features.Kind == Items:
		doc.reset(len(text))
		doc.items(text)
	case a.features.Kind == CodeN:
		doc.reset(len(text))
		doc.tokens(text)
	case a.auto != nil:
		a.auto.analyze(doc, text)
	default:
		doc.reset(len(text))
		n, split := prefix(text)
		if doc.first = -1; split { // white space parts words, so that this makes no difference for them
			a.segment(doc, text[:n])
			doc.first, text = len(doc.words), text[n:]
		}
		a.segment(doc, text)
	}
	doc.text = slices.Grow(doc.text, slack)
	doc.spec = a.features
}
