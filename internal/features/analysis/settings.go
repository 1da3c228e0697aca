package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/fingerprint"
	"simsearch/internal/features/imagehash"
	"simsearch/minhash"
	"simsearch/preprocess"
)

// Settings decide the fingerprint and the signature of a text. A collection keeps its settings and
// never changes them, so that a query is analysed as the documents were.
type Settings struct {
	Mode Mode `json:"mode"`

	// Fingerprints: their features, the weights of these, and the language of the stop words that are
	// dropped, "none", or "auto". In a mode without fingerprints these are the features of sets.
	Features preprocess.FeatureSpec `json:"features"`
	Weights  fingerprint.Weighting  `json:"weights"`
	Language string                 `json:"lang"`
	Bits     int                    `json:"bits"` // of a fingerprint, 64 or 32; or 128 or 256, if all are made elsewhere
	Hash     fingerprint.Hash       `json:"hash"`
	// Analyzer is preprocess.Version of the program that made the collection, or imagehash.Version in one of pictures.
	Analyzer int `json:"analyzer"`

	// Image is the hash of pictures that fingerprints are, or 0 in a collection that is not of pictures. The settings
	// of features and weights do not matter then.
	Image imagehash.Kind `json:"image_hash,omitzero"`

	// Sets and their signatures, in the modes that have them. The features of sets keep all words,
	// unless SetLanguage names a language. An empty SetLanguage stands for Features and Language.
	SetFeatures preprocess.FeatureSpec `json:"set_features,omitzero"`
	SetLanguage string                 `json:"set_lang,omitempty"`
	Positions   int                    `json:"perms,omitempty"`  // of a signature, one byte each; 0 if there are none
	Seed        uint64                 `json:"seed,omitempty"`   // of the hash functions
	Sketch      minhash.Variant        `json:"sketch,omitempty"` // the variant; 0 without sketches
}

// DefaultPositions is the number of positions of a signature in mode minhash if the settings name none.
const DefaultPositions = 128

// Fingerprints reports whether documents have fingerprints, which are searched by distance.
func (s Settings) Fingerprints() bool { return s.Mode != MinHash }

// Wide reports whether fingerprints have more bits than are made of texts, so that all documents are ready-made
// fingerprints.
func (s Settings) Wide() bool { return s.Bits > 64 }

// CheckBits returns an error unless fingerprints can have so many bits.
func (s Settings) CheckBits() error {
	switch {
	case s.Bits == 64 || s.Bits == 32:
		return nil
	case s.Bits != 128 && s.Bits != 256:
		return fmt.Errorf("unknown width of %d bits: want 64 or 32, or 128 or 256 for fingerprints that are made elsewhere", s.Bits)
	case s.Mode != SimHash:
		return fmt.Errorf("fingerprints of %d bits are made elsewhere, and have no sets of features: want mode simhash", s.Bits)
	}
	return nil
}

// Sets reports whether documents have sets of features, which are searched by Jaccard similarity.
func (s Settings) Sets() bool { return s.Mode != SimHash }

// Sketches reports whether these sets have MinHash sketches, which estimate the similarity.
func (s Settings) Sketches() bool { return s.Sets() && s.Positions > 0 }

// Signatures reports whether these sets have signatures: sketches of a byte a position, which can be cut
// into bands.
func (s Settings) Signatures() bool { return s.Sketches() && s.Sketch.Bandable() }

// Learns reports whether weights are learnt from a collection.
func (s Settings) Learns() bool { return s.Weights == fingerprint.TFIDF }

// errNoBands is returned by CheckBands.
var errNoBands = errors.New("no bands can be cut from such sketches")

// CheckBands returns errNoBands if the settings ask for sketches from which no bands can be cut.
func (s Settings) CheckBands() error {
	if s.Sketches() && !s.Signatures() {
		return fmt.Errorf("%w: a %v sketch has the least values of a set in ascending order, and no position of its own for each", errNoBands, s.Sketch)
	}
	return nil
}

// Default returns the default settings: fingerprints as those of Classic, and sets of all words.
func Default() Settings {
	s := Classic()
	s.Mode, s.SetLanguage = Both, preprocess.NoLanguage
	return s.Canonical()
}

// Classic returns the settings of fingerprints alone: English words without stop words, weighted by
// term frequency, 64 bits, MurmurHash3.
func Classic() Settings {
	return Settings{Language: "en", Bits: 64, Analyzer: preprocess.Version}
}

// Pictures returns the settings of a collection of pictures that are searched by a hash.
func Pictures(k imagehash.Kind) Settings {
	s := Classic()
	s.Language, s.Image, s.Analyzer = preprocess.NoLanguage, k, imagehash.Version
	return s
}

// StandardError returns the largest standard deviation of the estimate that signatures give of a Jaccard
// similarity j, in [0, 1].
func (s Settings) StandardError(j float64) float64 {
	return s.Sketch.PackedError(j, s.Positions)
}

// Validate returns an error that names every setting this version cannot work with.
func (s Settings) Validate() error {
	errs := []error{s.validateMode(), s.validateImage(), s.Weights.Validate(), s.CheckBits(), s.Hash.Validate()}
	if _, err := preprocess.New(preprocess.Options{Features: s.Features, Language: s.Language}); err != nil {
		errs = append(errs, err)
	}
	if s.Sets() {
		if _, err := preprocess.New(preprocess.Options{Features: s.SetFeatures, Language: s.SetLanguage}); err != nil && s.SetLanguage != s.Language {
			errs = append(errs, err)
		}
	}
	what, version := "texts were analysed by version %d of the analyser", preprocess.Version
	if s.Image != 0 {
		what, version = "pictures have hashes of version %d", imagehash.Version
	}
	if s.Analyzer != version {
		errs = append(errs, fmt.Errorf(what+", this program has version %d: use the program that made the index, or build it again", s.Analyzer, version))
	}
	return errors.Join(errs...)
}

func (s Settings) validateImage() error {
	if s.Image != 0 && (s.Mode != SimHash || s.Bits != 64) {
		return fmt.Errorf("pictures have hashes of 64 bits alone, and not mode %s with %d bits", s.Mode, s.Bits)
	}
	return s.Image.Validate()
}

func (s Settings) validateMode() error {
	switch {
	case s.Mode > Both:
		return fmt.Errorf("there is no mode %d: want 0 to %d", uint8(s.Mode), uint8(Both))
	case !s.Sets() && (s.SetFeatures != preprocess.FeatureSpec{} || s.SetLanguage != ""):
		return errors.New("features of sets are for mode minhash or both")
	case !s.Sets() && (s.Positions != 0 || s.Seed != 0 || s.Sketch != 0):
		return errors.New("the number of permutations, the seed and the sketch are those of MinHash: they want mode minhash or both")
	case !s.Sets():
		return nil
	case !s.Sketches() && (s.Seed != 0 || s.Sketch != 0):
		return errors.New("the seed and the sketch are those of MinHash signatures: they want a number of permutations")
	case !s.Sketches():
		return nil
	case s.Positions < 1 || s.Positions > minhash.MaxPositions:
		return fmt.Errorf("%d permutations: want 1 to %d", s.Positions, minhash.MaxPositions)
	case !slices.Contains(minhash.Variants(), s.Sketch):
		return fmt.Errorf("there is no sketch %d", uint8(s.Sketch))
	}
	return nil
}

// ErrUnreadable is returned for stored settings that this version cannot read.
var ErrUnreadable = errors.New("unreadable settings")

// UnmarshalJSON reads stored settings. The error is ErrUnreadable if a field or a value is unknown,
// since another version has written it.
func (s *Settings) UnmarshalJSON(b []byte) error {
	type plain Settings // Settings without this method
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode((*plain)(s)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return nil
}

// Canonical returns the settings as they are stored. It replaces other names of a language by the
// canonical one. Mode minhash has signatures, the others if they name a number of positions. The sketch is
// minhash.DefaultVariant unless another one is named.
func (s Settings) Canonical() Settings {
	s.Language = preprocess.CanonicalLanguage(s.Language)
	if s.Sets() {
		if s.Positions == 0 && s.Mode == MinHash {
			s.Positions = DefaultPositions
		}
		if s.Positions > 0 && s.Sketch == 0 {
			s.Sketch = minhash.DefaultVariant
		}
		if s.SetLanguage == "" {
			s.SetFeatures, s.SetLanguage = s.Features, s.Language
		}
		s.SetLanguage = preprocess.CanonicalLanguage(s.SetLanguage)
	}
	return s
}

// ErrSettings is returned by Settings.Check if settings differ.
var ErrSettings = errors.New("other settings")

// Check compares the settings s of a collection with the settings want. It returns nil if they are
// equal, and otherwise an ErrSettings that lists the differences.
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
	differ("image hash", s.Image, want.Image)
	if s.Sets() && want.Sets() { // or else the mode says it
		differ("set features", s.SetFeatures, want.SetFeatures)
		differ("set lang", s.SetLanguage, want.SetLanguage)
		differ("perms", s.Positions, want.Positions)
		differ("seed", s.Seed, want.Seed)
		differ("sketch", s.Sketch, want.Sketch)
	}
	if diffs == nil {
		return nil
	}
	return fmt.Errorf("%w: in this index %s", ErrSettings, strings.Join(diffs, ", "))
}
