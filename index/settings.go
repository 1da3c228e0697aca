package index

import (
	"errors"
	"fmt"
	"strings"

	"simsearch/fingerprint"
	"simsearch/preprocess"
)

// Settings are what decides the fingerprint of a text. They are stored in the index
// and never change: a query is analysed as the documents were.
type Settings struct {
	Mode     string `json:"mode"`     // "simhash"
	Features string `json:"features"` // "words", "word:N" or "char:N"
	Weights  string `json:"weights"`  // "tf", "log-tf", "tfidf" or "set"
	Language string `json:"lang"`     // whose stop words are dropped, or "none"
	Bits     int    `json:"bits"`     // of a fingerprint, 64 or 32
	Hash     string `json:"hash"`     // "murmur3", "fnv1a" or "md5"
	Analyzer int    `json:"analyzer"` // preprocess.Version when the index was made
}

// DefaultSettings are those of an index made without any: English words weighted
// by term frequency, 64 bits, MurmurHash3.
func DefaultSettings() Settings {
	return Settings{
		Mode: "simhash", Features: "words", Weights: "tf", Language: "en",
		Bits: 64, Hash: "murmur3", Analyzer: preprocess.Version,
	}
}

// Validate reports every setting that this version cannot work with.
func (s Settings) Validate() error {
	var errs []error
	if s.Mode != "simhash" {
		errs = append(errs, fmt.Errorf("unknown mode %q: want simhash", s.Mode))
	}
	_, weightsErr := fingerprint.ParseWeighting(s.Weights)
	errs = append(errs, weightsErr)
	spec, err := preprocess.ParseFeatureSpec(s.Features)
	errs = append(errs, err)
	if err == nil {
		_, err = preprocess.New(preprocess.Options{Features: spec, Language: s.Language})
		errs = append(errs, err)
	}
	_, err = fingerprint.ParseHash(s.Hash)
	errs = append(errs, err, fingerprint.CheckBits(s.Bits))
	if s.Analyzer != preprocess.Version {
		errs = append(errs, fmt.Errorf("texts were analysed by version %d of the analyser, this program has version %d: build the index again", s.Analyzer, preprocess.Version))
	}
	return errors.Join(errs...)
}

// Canonical returns the settings under the names that they are stored by: languages have
// aliases.
func (s Settings) Canonical() Settings {
	s.Language = preprocess.CanonicalLanguage(s.Language)
	return s
}

// Check returns an ErrSettings that lists the differences between the settings of
// an index and those wanted, or nil.
func (s Settings) Check(want Settings) error {
	var diffs []string
	differ := func(name string, stored, wanted any) {
		if stored != wanted {
			diffs = append(diffs, fmt.Sprintf("%s is %v, not %v", name, stored, wanted))
		}
	}
	differ("mode", s.Mode, want.Mode)
	differ("features", s.Features, want.Features)
	differ("weights", s.Weights, want.Weights)
	differ("lang", s.Language, want.Language)
	differ("bits", s.Bits, want.Bits)
	differ("hash", s.Hash, want.Hash)
	differ("analyzer", s.Analyzer, want.Analyzer)
	if diffs == nil {
		return nil
	}
	return fmt.Errorf("%w: in this index %s; leave the setting out to add to the index, or make a new one elsewhere",
		ErrSettings, strings.Join(diffs, ", "))
}
