// Package analysis makes of a text what a collection is searched by: its features, their
// fingerprint, the set of them and a MinHash signature of that set.
//
//	settings := analysis.Default()
//	a, err := analysis.New(settings)
//	var scratch analysis.Scratch // of this goroutine
//	fp, ok, err := a.Fingerprint(&scratch, text)
//
// Settings say how. They are values that have a text form, a JSON form and a check, and a collection
// keeps them: a query is analysed as the documents were. Each analyses many documents on several
// goroutines, and yields the results in the order of the documents.
package analysis

import (
	"errors"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/radix"
	"simsearch/minhash"
	"simsearch/preprocess"
)

// An Analysis analyses texts as its settings say. It is immutable and safe for concurrent use, if
// each goroutine has a Scratch of its own.
type Analysis struct {
	settings Settings
	analyzer *preprocess.Analyzer
	idf      IDF           // for fingerprint.TFIDF; nil while it is being learnt
	sketcher *minhash.Fast // nil if there are no signatures
}

// An IDF weighs features by how rare they are: fingerprint.IDF is one.
type IDF interface {
	// Weights appends to dst the weight of each feature, in fixed point, and returns the extended
	// slice. An error leaves dst as it was.
	Weights(dst []uint32, features []uint64) ([]uint32, error)
}

// ErrNotLearnt is returned by an Analysis with weights tfidf that knows no IDF.
var ErrNotLearnt = errors.New("weights tfidf are learnt from a collection, and this analysis has learnt from none")

// New returns the analysis of settings, or what Settings.Validate finds wrong. With weights tfidf
// it makes no fingerprints until WithIDF says how rare features are.
func New(s Settings) (*Analysis, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	a := &Analysis{settings: s}
	var err error
	if a.analyzer, err = preprocess.New(preprocess.Options{Features: s.Features, Language: s.Language}); err != nil {
		return nil, err
	}
	if s.Sets() {
		a.sketcher = minhash.NewFast(s.Positions, s.Seed)
	}
	return a, nil
}

// WithIDF returns an analysis that weighs features by idf, where its settings say tfidf, and is
// a in all else.
func (a *Analysis) WithIDF(idf IDF) *Analysis {
	b := *a
	b.idf = idf
	return &b
}

// Settings returns the settings of the analysis.
func (a *Analysis) Settings() Settings { return a.settings }

// Learns reports whether the weights are learnt from a collection, and have not been yet.
func (a *Analysis) Learns() bool { return a.settings.Weights == fingerprint.TFIDF && a.idf == nil }

// A Scratch is memory that an Analysis works in; the zero value is ready.
type Scratch struct {
	Document preprocess.Document // the features of the last text
	hashes   []uint64
	weights  []uint32
	counter  fingerprint.Counter
	set      []uint64
	sketch   []uint64
	bytes    []byte
}

// Fingerprint returns the fingerprint of text; ok is false if text has no features,
// so that it is near nothing. It allocates only to grow s. The error is ErrNotLearnt or that of
// IDF.Weights.
func (a *Analysis) Fingerprint(s *Scratch, text []byte) (fp uint64, ok bool, err error) {
	a.hash(s, text)
	return a.fingerprint(s)
}

// hash hashes the features of text, each as often as it occurs.
func (a *Analysis) hash(s *Scratch, text []byte) {
	a.analyzer.Analyze(&s.Document, text)
	kept, features := s.Document.Features()
	s.hashes = a.settings.Hash.SumAll(s.hashes[:0], kept, features)
}

// fingerprint makes the fingerprint of the features that have been hashed, and changes their hashes.
func (a *Analysis) fingerprint(s *Scratch) (fp uint64, ok bool, err error) {
	bits := a.settings.Bits
	switch a.settings.Weights {
	case fingerprint.Set:
		s.hashes, s.weights = s.counter.Count(s.hashes, s.weights)
	case fingerprint.LogTF:
		s.hashes, s.weights = s.counter.Count(s.hashes, s.weights)
		for i, n := range s.weights {
			s.weights[i] = fingerprint.LogCount(n)
		}
		fp, ok = fingerprint.Weighted(s.hashes, s.weights, bits)
		return fp, ok, nil
	case fingerprint.TFIDF:
		if a.idf == nil {
			return 0, false, ErrNotLearnt
		}
		// Each occurrence weighs as much as the feature is rare: together, TF × IDF.
		if s.weights, err = a.idf.Weights(s.weights[:0], s.hashes); err != nil {
			return 0, false, err
		}
		fp, ok = fingerprint.Weighted(s.hashes, s.weights, bits)
		return fp, ok, nil
	}
	fp, ok = fingerprint.Unit(s.hashes, bits)
	return fp, ok, nil
}

// Set returns the set of the features of text, as their hashes in ascending order; it is
// empty if text has no features. It is a part of s, valid until s is used again.
func (a *Analysis) Set(s *Scratch, text []byte) []uint64 {
	a.hash(s, text)
	return s.distinct()
}

// distinct returns the set of the features that have been hashed.
func (s *Scratch) distinct() []uint64 {
	s.set = append(s.set[:0], s.hashes...)
	radix.SortFew(s.set, &s.sketch)
	s.set = slices.Compact(s.set)
	return s.set
}

// AppendSignature appends the signature of a set that is not empty, a byte a position, and returns
// the extended slice. The settings have sets.
func (a *Analysis) AppendSignature(dst []byte, s *Scratch, set []uint64) []byte {
	s.sketch = a.sketcher.Sketch(s.sketch[:0], set)
	return minhash.Pack(dst, s.sketch, SignatureBits)
}
