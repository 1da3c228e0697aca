package index

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/fingerprint"
	"simsearch/minhash"
	"simsearch/preprocess"
)

// Settings are what decides the fingerprint and the signature of a text. They are stored in
// the index and never change: a query is analysed as the documents were.
type Settings struct {
	Mode     string `json:"mode"`     // "simhash", "minhash" or "both"
	Features string `json:"features"` // "words", "word:N", "char:N" or "items"
	Weights  string `json:"weights"`  // "tf", "log-tf", "tfidf" or "set"
	Language string `json:"lang"`     // whose stop words are dropped, "none", or "auto"
	Bits     int    `json:"bits"`     // of a fingerprint, 64 or 32
	Hash     string `json:"hash"`     // "murmur3", "fnv1a" or "md5"
	Analyzer int    `json:"analyzer"` // preprocess.Version when the index was made

	// Of signatures, in the modes that have them.
	Perms  int    `json:"perms,omitempty"`  // positions, a byte each
	Seed   uint64 `json:"seed,omitempty"`   // of the functions
	Sketch string `json:"sketch,omitempty"` // the variant of MinHash: "fast"
}

// The modes.
const (
	modeSimHash = "simhash"
	modeMinHash = "minhash"
	modeBoth    = "both"
)

// DefaultPerms is the number of positions of signatures if nothing else is said.
const DefaultPerms = 128

// Fingerprints reports whether documents have fingerprints, to be searched by distance.
func (s Settings) Fingerprints() bool { return s.Mode != modeMinHash }

// Sets reports whether documents have signatures and sets of features, to be searched by
// Jaccard similarity.
func (s Settings) Sets() bool { return s.Mode != modeSimHash }

// DefaultSettings are those of an index made without any: English words weighted
// by term frequency, 64 bits, MurmurHash3.
func DefaultSettings() Settings {
	return Settings{
		Mode: "simhash", Features: "words", Weights: "tf", Language: "en",
		Bits: 64, Hash: "murmur3", Analyzer: preprocess.Version,
	}
}

// StandardError returns the standard deviation of an estimate j of a Jaccard similarity from
// signatures.
func (s Settings) StandardError(j float64) float64 {
	return minhash.PackedStandardError(j, s.Perms, signatureBits)
}

// Validate reports every setting that this version cannot work with.
func (s Settings) Validate() error {
	_, err := s.parse()
	return err
}

// parse returns the analysis that the settings name, still without idf and sketcher. The
// error lists every setting that this version cannot work with.
func (s Settings) parse() (*Analysis, error) {
	a := &Analysis{bits: s.Bits, fingerprints: s.Fingerprints()}
	errs := []error{s.validateMode()}
	note := func(err error) { errs = append(errs, err) }
	var err error
	a.weighting, err = fingerprint.ParseWeighting(s.Weights)
	note(err)
	spec, err := preprocess.ParseFeatureSpec(s.Features)
	note(err)
	if err == nil {
		a.analyzer, err = preprocess.New(preprocess.Options{Features: spec, Language: s.Language})
		note(err)
	}
	a.hash, err = fingerprint.ParseHash(s.Hash)
	note(err)
	note(fingerprint.CheckBits(s.Bits))
	if s.Analyzer != preprocess.Version {
		note(fmt.Errorf("texts were analysed by version %d of the analyser, this program has version %d: build the index again", s.Analyzer, preprocess.Version))
	}
	return a, errors.Join(errs...)
}

func (s Settings) validateMode() error {
	if !slices.Contains([]string{modeSimHash, modeMinHash, modeBoth}, s.Mode) {
		return fmt.Errorf("unknown mode %q: want simhash, minhash or both", s.Mode)
	}
	if !s.Sets() {
		if s.Perms != 0 || s.Seed != 0 || s.Sketch != "" {
			return errors.New("the number of permutations and the seed are those of MinHash: they want mode minhash or both")
		}
		return nil
	}
	if s.Perms < minPerms || s.Perms > minhash.MaxPositions {
		return fmt.Errorf("%d permutations: want %d to %d", s.Perms, minPerms, minhash.MaxPositions)
	}
	if s.Sketch != minhash.VariantFast.String() {
		return fmt.Errorf("unknown sketch %q: want %v", s.Sketch, minhash.VariantFast)
	}
	return nil
}

// minPerms is the least number of positions that bands can be cut from with some effect.
const minPerms = 16

// Canonical returns the settings under the names that they are stored by: languages have
// aliases, and modes with signatures have a size and a variant of them.
func (s Settings) Canonical() Settings {
	s.Language = preprocess.CanonicalLanguage(s.Language)
	if s.Sets() {
		if s.Perms == 0 {
			s.Perms = DefaultPerms
		}
		s.Sketch = minhash.VariantFast.String()
	}
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
	differ("perms", s.Perms, want.Perms)
	differ("seed", s.Seed, want.Seed)
	differ("sketch", s.Sketch, want.Sketch)
	if diffs == nil {
		return nil
	}
	return fmt.Errorf("%w: in this index %s; leave the setting out to add to the index, or make a new one elsewhere",
		ErrSettings, strings.Join(diffs, ", "))
}
