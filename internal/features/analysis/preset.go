package analysis

import (
	"fmt"
	"strings"

	"simsearch/fingerprint"
	"simsearch/internal/features/imagehash"
	"simsearch/preprocess"
)

// A Preset is a choice of settings, and the distance or the similarity that suits it. Those with a distance are of
// fingerprints alone. docs/SETTINGS.md says what each finds.
type Preset struct {
	Name     string                 // "" for none
	Features preprocess.FeatureSpec // of the fingerprints, or with a similarity of sets
	Weights  fingerprint.Weighting
	K        int
	Jaccard  float64
	Image    imagehash.Kind // of pictures; 0 for none
	// As says that the preset follows another program: dedup keeps the first document of whatever near pairs connect.
	As bool
}

// presets are all presets, in the order in which messages name them.
var presets = []Preset{
	{Name: "classic", Weights: fingerprint.TF, K: 3},
	{Name: "shingles", Features: preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, Weights: fingerprint.Set, K: 10},
	{Name: "characters", Features: preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}, Weights: fingerprint.Set, K: 10},
	{Name: "fineweb", Features: preprocess.FeatureSpec{Kind: preprocess.WordN, N: 5}, Jaccard: 0.75, As: true},
	{Name: "nemo", Features: preprocess.FeatureSpec{Kind: preprocess.CharN, N: 24}, Jaccard: 0.8, As: true},
	{Name: "text-dedup", Features: preprocess.FeatureSpec{Kind: preprocess.WordN, N: 5}, Jaccard: 0.7, As: true},
	{Name: "dct", Image: imagehash.DCT},
	{Name: "difference", Image: imagehash.Difference},
}

// ParsePreset returns the preset called name; "" is none. The error lists all names.
func ParsePreset(name string) (Preset, error) {
	var names []string
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if name == "" {
		return Preset{}, nil
	}
	return Preset{}, fmt.Errorf("unknown preset %q: want one of %s", name, strings.Join(names, ", "))
}

// Over returns the settings of the preset: base if it is none, or of pictures, and otherwise its own, with the bits
// and the hash of base.
func (p Preset) Over(base Settings) Settings {
	s := base
	switch {
	case p.Name == "", p.Image != 0:
		return base
	case p.Jaccard > 0:
		s = Default()
		s.SetFeatures = p.Features
	default:
		s = Classic()
		s.Features, s.Weights = p.Features, p.Weights
		if p.Features != (preprocess.FeatureSpec{}) {
			s.Language = preprocess.NoLanguage
		}
	}
	s.Bits, s.Hash = base.Bits, base.Hash
	return s
}

// Search returns what an index by the preset is made for.
func (p Preset) Search() Search {
	return Search{Preset: p.Name, Distance: p.K, Jaccard: p.Jaccard}
}
