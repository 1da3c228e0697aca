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
// The steps, in order: invalid UTF-8 becomes U+FFFD; NFKC and full case folding;
// U+2019 becomes an apostrophe; runs of Han, Kana, Thai, Lao, Khmer and Myanmar
// letters become overlapping bigrams; what is left is cut into words by UAX #29;
// segments without a letter or number are dropped, then stop words; and n-grams are
// made of what remains. Items, the members of ready-made sets, go through none of this:
// they are what ASCII white space parts.
package preprocess

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is the version of the steps above. Two analysers of one version and
// equal options make the same features; every change that makes others raises it.
const Version = 1

// A Kind says what a feature is made of.
type Kind uint8

// The kinds of features.
const (
	Words  Kind = iota // single words; N is 1
	WordN              // N consecutive words, joined by a space
	CharN              // N consecutive characters of the words joined by a space
	Items              // what white space parts, as it stands
	nKinds = iota
)

// MaxN is the largest N of an n-gram.
const MaxN = 64

// A FeatureSpec says what the features of a document are. Its zero value is words.
type FeatureSpec struct {
	Kind Kind
	N    int // in [1, MaxN]; 0 or 1 for Words and Items
}

// ParseFeatureSpec reads "words", "word:N", "char:N" or "items".
func ParseFeatureSpec(s string) (FeatureSpec, error) {
	switch s {
	case "words":
		return FeatureSpec{}, nil
	case "items":
		return FeatureSpec{Kind: Items}, nil
	}
	kind, count, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(count)
	if (kind != "word" && kind != "char") || err != nil || n < 1 || n > MaxN {
		return FeatureSpec{}, fmt.Errorf("unknown features %q: want words, word:N or char:N with N from 1 to %d, or items", s, MaxN)
	}
	if kind == "word" {
		return FeatureSpec{WordN, n}, nil
	}
	return FeatureSpec{CharN, n}, nil
}

// String returns the form that ParseFeatureSpec reads.
func (f FeatureSpec) String() string {
	switch f.Kind {
	case WordN:
		return "word:" + strconv.Itoa(f.N)
	case CharN:
		return "char:" + strconv.Itoa(f.N)
	case Items:
		return "items"
	default:
		return "words"
	}
}

// MarshalText returns the form that ParseFeatureSpec reads.
func (f FeatureSpec) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *FeatureSpec) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFeatureSpec(string(text))
	return err
}

func (f FeatureSpec) validate() error {
	if f.Kind >= nKinds || ((f.Kind == WordN || f.Kind == CharN) && (f.N < 1 || f.N > MaxN)) {
		return fmt.Errorf("preprocess: no features of kind %d and length %d", f.Kind, f.N)
	}
	return nil
}

// Options are the settings of an Analyzer. All of them change the features.
type Options struct {
	Features FeatureSpec
	// Language is the code of the language whose stop words are dropped, one of Languages or
	// an alias of it; "none" and "" drop none, and "auto" those of the language that each
	// document is found to be in.
	Language string
}

// An Analyzer makes features. It is immutable and safe for concurrent use.
type Analyzer struct {
	features FeatureSpec
	stop     *stopSet
	auto     *detector // where each document has a language of its own; stop is not used then
}

// New returns an analyser, or an error that names the known languages or the
// known kinds of features. The stop words of a language are made once in a program and shared
// by all analysers: the first New of a language takes a few milliseconds, that of "auto" some
// ten, and the others next to nothing.
func New(o Options) (*Analyzer, error) {
	if err := o.Features.validate(); err != nil {
		return nil, err
	}
	code := CanonicalLanguage(o.Language)
	if code == AutoLanguage {
		auto, err := newDetector(o.Features)
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

// Analyze fills doc with the features of text, in the order of the text. What doc
// held before is lost; its memory is used again, so that once it has grown nothing
// is allocated. text is not retained.
func (a *Analyzer) Analyze(doc *Document, text []byte) {
	whole := false
	if a.auto != nil {
		var language int
		language, whole = a.auto.choose(doc, text)
		a = a.auto.analyzer[language]
	}
	doc.reset(len(text))
	switch {
	case a.features.Kind == Items:
		doc.items(text)
	case whole: // the words have been found already
		doc.keep(doc.prefix, a.stop)
	default:
		a.segment(doc, text)
	}
	doc.cut(a.features)
}
