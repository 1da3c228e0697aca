// Package analysis turns a text into what a collection is searched by: its features, their
// fingerprint, the set of the features and a MinHash signature of that set.
//
//	settings := analysis.Default()
//	a, err := analysis.New(settings)
//	var scratch analysis.Scratch // of this goroutine
//	fp, ok, err := a.Fingerprint(&scratch, text)
//
// Settings choose the features and how they are hashed and weighted. A collection keeps its
// settings as JSON, so that a query is analysed as the documents were. Each analyses many documents
// on several goroutines and yields the results in the order of the documents.
package analysis

import (
	"cmp"
	"errors"
	"fmt"

	"simsearch/fingerprint"
	"simsearch/internal/ground/ints"
	"simsearch/minhash"
	"simsearch/preprocess"
)

// An Analysis analyses texts as its settings say. It is immutable. It is safe for concurrent use if
// each goroutine has its own Scratch.
type Analysis struct {
	settings Settings
	prints   *features // of fingerprints
	sets     *features // of sets; nil if there are none
	share    share
	stop     *preprocess.StopHashes // drops them from the words of sets, for fingerprints, with shareWords
	idf      IDF                    // for fingerprint.TFIDF; nil until it is learnt
	sketcher minhash.Sketcher       // nil if there are no signatures
}

// An IDF weighs features by how rare they are. fingerprint.IDF implements it.
type IDF interface {
	// Weights appends to dst the weight of each feature, in fixed point, and returns the extended
	// slice. After an error dst is as it was.
	Weights(dst []uint32, features []uint64) ([]uint32, error)
}

// ErrNotLearnt is returned by an Analysis with weights tfidf that has no IDF.
var ErrNotLearnt = errors.New("weights tfidf are learnt from a collection, and this analysis has learnt from none")

// ErrWide is returned for a text by an Analysis of settings that are Wide.
var ErrWide = errors.New("no fingerprint is made of a text")

// New returns the analysis for s. The error is that of Settings.Validate. With weights tfidf the
// analysis makes no fingerprints until WithIDF gives it an IDF.
func New(s Settings) (*Analysis, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	a := &Analysis{settings: s}
	var err error
	if a.prints, err = s.newFeatures(s.Features, s.Language); err != nil || !s.Sets() {
		return a, err
	}
	if s.Signatures() {
		a.sketcher = s.Sketch.New(s.Positions, s.Seed)
	}
	a.share = s.share()
	if a.sets, err = s.newFeatures(s.SetFeatures, s.SetLanguage); err == nil && a.share == shareWords {
		a.stop, err = s.stopHashes(s.Language)
	}
	return a, err
}

// WithIDF returns a copy of a that weighs features by idf. This has an effect only if the settings learn
// (Settings.Learns).
func (a *Analysis) WithIDF(idf IDF) *Analysis {
	b := *a
	b.idf = idf
	return &b
}

// Settings returns the settings of the analysis.
func (a *Analysis) Settings() Settings { return a.settings }

// Learns reports whether weights are learnt from a collection and have not been learnt yet.
func (a *Analysis) Learns() bool { return a.settings.Learns() && a.idf == nil }

// A Scratch is the working memory of an Analysis. The zero value is ready to use. It must not be
// used by several goroutines at once.
type Scratch struct {
	Document preprocess.Document // the features of the last text
	hashes   []uint64
	words    []uint64 // the hashes of words, of which n-grams are made
	weights  []uint32
	counter  fingerprint.Counter
	set      []uint64
	sketch   []uint64
	bytes    []byte
}

// Fingerprint returns the fingerprint of text. ok is true unless there is an error: ErrNotLearnt or
// that of IDF.Weights. It allocates only to grow s.
func (a *Analysis) Fingerprint(s *Scratch, text []byte) (fp uint64, ok bool, err error) {
	a.hash(s, text)
	return a.fingerprint(s)
}

// hash hashes the features of the fingerprint of text. A feature that occurs several times has as
// many hashes.
func (a *Analysis) hash(s *Scratch, text []byte) { a.settings.hash(a.prints, s, text) }

// fingerprint returns the fingerprint of the hashed features. It changes the hashes.
func (a *Analysis) fingerprint(s *Scratch) (fp uint64, ok bool, err error) {
	bits := a.settings.Bits
	if a.settings.Wide() {
		return 0, false, fmt.Errorf("%w of %d bits: want fingerprints that were made elsewhere, or --bits 64", ErrWide, bits)
	}
	switch a.settings.Weights {
	case fingerprint.Set:
		s.hashes = s.counter.Distinct(s.hashes)
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
		// Each occurrence adds the weight of the feature's rarity, which makes TF × IDF in all.
		if s.weights, err = a.idf.Weights(s.weights[:0], s.hashes); err != nil {
			return 0, false, err
		}
		fp, ok = fingerprint.Weighted(s.hashes, s.weights, bits)
		return fp, ok, nil
	}
	fp, ok = fingerprint.Unit(s.hashes, bits)
	return fp, ok, nil
}

// Features leaves the features of the fingerprint of text in s.Document, valid until s is used again.
func (a *Analysis) Features(s *Scratch, text []byte) {
	if a.prints.analyzer.Analyze(&s.Document, text); s.Document.Words() == 0 && a.prints.kept != nil {
		a.prints.kept.analyzer.Analyze(&s.Document, text)
	}
}

// Set returns the set of the features of text, as their hashes in strictly ascending order. It is not
// empty: a text without words has the feature Whole. It is a part of s and valid until s is used
// again. Without Settings.Sets, the features are those of the fingerprint.
func (a *Analysis) Set(s *Scratch, text []byte) []uint64 {
	a.settings.hash(cmp.Or(a.sets, a.prints), s, text)
	return s.distinct()
}

// distinct returns the set of the hashed features.
func (s *Scratch) distinct() []uint64 {
	s.set = append(s.set[:0], s.hashes...)
	ints.SortFew(s.set, &s.sketch)
	s.set = compact(s.set)
	return s.set
}

// compact is slices.Compact without a branch for each element, since no processor can foresee which features occur
// again.
func compact(sorted []uint64) []uint64 {
	if len(sorted) == 0 {
		return sorted
	}
	n, last := 1, sorted[0]
	for _, h := range sorted[1:] {
		other := h ^ last
		n += int((other | -other) >> 63) // 1 unless they are equal
		sorted[n-1] = h
		last = h
	}
	return sorted[:n]
}

// AppendSignature appends the signature of set, one byte per position, and returns the extended
// slice. The set must not be empty, and Settings.Signatures must be true.
func (a *Analysis) AppendSignature(dst []byte, s *Scratch, set []uint64) []byte {
	s.sketch = a.sketcher.Sketch(s.sketch[:0], set)
	return minhash.Pack(dst, s.sketch)
}

// A share says how much the analyses for fingerprint and set have in common.
type share uint8

const (
	shareAll   share = iota // the features are the same, or only one of the two is wanted
	shareWords              // sets have all words, fingerprints those that are no stop words
	shareNone
)

// share returns what the analyses of settings with sets have in common.
func (s Settings) share() share {
	switch {
	case !s.Fingerprints(), s.SetFeatures == s.Features && s.SetLanguage == s.Language:
		return shareAll
	case s.SetFeatures == preprocess.FeatureSpec{} && s.Features == s.SetFeatures && s.SetLanguage == preprocess.NoLanguage:
		return shareWords
	}
	return shareNone
}

// hashRest replaces the hashes of the features of the set, which Set has left, by those of the
// fingerprint.
func (a *Analysis) hashRest(s *Scratch, text []byte) {
	switch a.share {
	case shareWords:
		if s.hashes = a.stop.Drop(&s.Document, text, s.hashes); len(s.hashes) == 0 {
			a.hash(s, text)
		}
	case shareNone:
		a.hash(s, text)
	}
}
