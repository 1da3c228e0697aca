package index

import (
	"errors"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/radix"
	"simsearch/minhash"
	"simsearch/preprocess"
)

// An Analysis makes fingerprints of texts as its settings say. It is immutable and
// safe for concurrent use, each goroutine with a Scratch of its own.
type Analysis struct {
	analyzer  *preprocess.Analyzer
	hash      fingerprint.Hash
	weighting fingerprint.Weighting
	bits      int
	idf       *idfModel // for fingerprint.TFIDF; nil while it is being learnt

	fingerprints bool
	sketcher     *minhash.Fast // nil if there are no signatures
}

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

// NewAnalysis returns the analysis of settings, or what Validate finds wrong. Weights that
// are learnt from a collection, as tfidf, are those of an index only.
func NewAnalysis(s Settings) (*Analysis, error) {
	a, err := newAnalysis(s, nil)
	if err == nil && a.weighting == fingerprint.TFIDF {
		return nil, errors.New("weights tfidf are learnt from a collection: name an index that was made with them")
	}
	return a, err
}

// newAnalysis returns the analysis of settings with a model of how rare features are, or what
// Validate finds wrong.
func newAnalysis(s Settings, idf *idfModel) (*Analysis, error) {
	a, err := s.parse()
	if err != nil {
		return nil, err
	}
	a.idf = idf
	if s.Sets() {
		a.sketcher = minhash.NewFast(s.Perms, s.Seed)
	}
	return a, nil
}

// Fingerprint returns the fingerprint of text; ok is false if text has no features,
// so that it is near nothing. It allocates only to grow s. The error is ErrCorrupt, and only of
// weights that were learnt from a collection.
func (a *Analysis) Fingerprint(s *Scratch, text []byte) (fp uint64, ok bool, err error) {
	a.analyzer.Analyze(&s.Document, text)
	a.sum(s)
	return a.fingerprint(s)
}

// fingerprint makes the fingerprint of the features that have been hashed, and changes them.
func (a *Analysis) fingerprint(s *Scratch) (fp uint64, ok bool, err error) {
	switch a.weighting {
	case fingerprint.Set:
		s.hashes, s.weights = s.counter.Count(s.hashes, s.weights)
	case fingerprint.LogTF:
		s.hashes, s.weights = s.counter.Count(s.hashes, s.weights)
		for i, n := range s.weights {
			s.weights[i] = fingerprint.LogCount(n)
		}
		fp, ok = fingerprint.Weighted(s.hashes, s.weights, a.bits)
		return fp, ok, nil
	case fingerprint.TFIDF:
		// Each occurrence weighs as much as the feature is rare: together, TF × IDF.
		if s.weights, err = a.idf.weights(s.weights[:0], s.hashes); err != nil {
			return 0, false, err
		}
		fp, ok = fingerprint.Weighted(s.hashes, s.weights, a.bits)
		return fp, ok, nil
	}
	fp, ok = fingerprint.Unit(s.hashes, a.bits)
	return fp, ok, nil
}

// sum hashes the features of s.Document, each as often as it occurs.
func (a *Analysis) sum(s *Scratch) {
	text, features := s.Document.Features()
	s.hashes = a.hash.SumAll(s.hashes[:0], text, features)
}

// Set returns the set of the features of text, as their hashes in ascending order; it is
// empty if text has no features. It is a part of s, valid until s is used again.
func (a *Analysis) Set(s *Scratch, text []byte) []uint64 {
	a.analyzer.Analyze(&s.Document, text)
	a.sum(s)
	return s.distinct()
}

// Weights returns the set of the features of text, as Set does, and what each weighs, in fixed
// point: WeightOne is 1.0. The set is a part of s, valid until s is used again. The error is that
// of Fingerprint.
func (a *Analysis) Weights(s *Scratch, text []byte) (set []uint64, weights []int64, err error) {
	set = a.Set(s, text)
	counts := make(map[uint64]int64, len(set))
	for _, h := range s.hashes {
		counts[h]++
	}
	for _, h := range set {
		w, err := a.weigh(h, counts[h])
		if err != nil {
			return nil, nil, err
		}
		weights = append(weights, w)
	}
	return set, weights, nil
}

// distinct returns the set of the features that have been hashed.
func (s *Scratch) distinct() []uint64 {
	s.set = append(s.set[:0], s.hashes...)
	radix.SortFew(s.set, &s.sketch)
	s.set = slices.Compact(s.set)
	return s.set
}

// AppendSignature appends the signature of a set that is not empty: a byte a position.
func (a *Analysis) AppendSignature(dst []byte, s *Scratch, set []uint64) []byte {
	s.sketch = a.sketcher.Sketch(s.sketch[:0], set)
	return minhash.Pack(dst, s.sketch, signatureBits)
}

// signatureBits is how many bits are kept of each position of a sketch.
const signatureBits = 8

// WeightOne is the weight 1.0 as Weight returns it.
const WeightOne = fingerprint.WeightOne

// Weight returns what a feature weighs that occurs count times in a document, in fixed
// point: WeightOne is 1.0. The error is that of Fingerprint.
func (a *Analysis) Weight(feature string, count int64) (int64, error) {
	return a.weigh(a.hash.Sum([]byte(feature)), count)
}

// weigh is Weight for the hash of a feature.
func (a *Analysis) weigh(hash uint64, count int64) (int64, error) {
	switch a.weighting {
	case fingerprint.Set:
		return fingerprint.WeightOne, nil
	case fingerprint.LogTF:
		return int64(fingerprint.LogCount(uint32(count))), nil
	case fingerprint.TFIDF:
		weights, err := a.idf.weights(nil, []uint64{hash})
		if err != nil {
			return 0, err
		}
		return count * int64(weights[0]), nil
	}
	return count * fingerprint.WeightOne, nil
}

// Hash returns the function that hashes the features.
func (a *Analysis) Hash() fingerprint.Hash { return a.hash }
