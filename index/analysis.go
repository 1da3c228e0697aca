package index

import (
	"simsearch/fingerprint"
	"simsearch/preprocess"
)

// An Analysis makes fingerprints of texts as its settings say. It is immutable and
// safe for concurrent use, each goroutine with a Scratch of its own.
type Analysis struct {
	analyzer *preprocess.Analyzer
	hash     fingerprint.Hash
	bits     int
}

// A Scratch is memory that an Analysis works in; the zero value is ready.
type Scratch struct {
	Document preprocess.Document // the features of the last text
	hashes   []uint64
}

// NewAnalysis returns the analysis of settings, or what Validate finds wrong.
func NewAnalysis(s Settings) (*Analysis, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	spec, err := preprocess.ParseFeatureSpec(s.Features)
	if err != nil {
		return nil, err
	}
	hash, err := fingerprint.ParseHash(s.Hash)
	if err != nil {
		return nil, err
	}
	analyzer, err := preprocess.New(preprocess.Options{Features: spec, Language: s.Language})
	if err != nil {
		return nil, err
	}
	return &Analysis{analyzer, hash, s.Bits}, nil
}

// Fingerprint returns the fingerprint of text; ok is false if text has no features,
// so that it is near nothing. It allocates only to grow s.
func (a *Analysis) Fingerprint(s *Scratch, text []byte) (fp uint64, ok bool) {
	a.analyzer.Analyze(&s.Document, text)
	text, features := s.Document.Features()
	s.hashes = a.hash.SumAll(s.hashes[:0], text, features)
	return fingerprint.Unit(s.hashes, a.bits)
}

// Hash returns the function that hashes the features.
func (a *Analysis) Hash() fingerprint.Hash { return a.hash }
