package options

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/fingerprint"
	"simsearch/internal/commandline"
	"simsearch/preprocess"
)

// SettingsFlags returns the flags of the settings. For a flag that is not given, the existing index
// decides, or else the default.
func (c *Flags) SettingsFlags() []cli.Flag {
	d := analysis.Default()
	c.settings = commandline.InGroup(SettingsGroup, []cli.Flag{
		c.Preset.As("preset", "an index of fingerprints alone, by `NAME`: "+strings.Join(presetNames, ", ")+"; what other flags say wins").By(readPreset).Told("none: fingerprints and sets of words"),
		c.Mode.As("mode", "`MODE` of the index: simhash (fingerprints, searched by distance), minhash (sets of features, searched by Jaccard similarity) or both").By(commandline.Bare[analysis.Mode]).Told(d.Mode.String()),
		c.Features.As("features", "`KIND` of features: words, word:N, char:N, or items (of sets)").By(commandline.Bare[preprocess.FeatureSpec]).Told(d.Features.String()),
		c.Weights.As("weights", "`WEIGHTS` of features: tf, log-tf, tfidf or set").By(commandline.Bare[fingerprint.Weighting]).Told(d.Weights.String()),
		c.Lang.As("lang", "drop the stop words of the language `CODE` from the words of fingerprints; none, or auto: of the language found for each document").Told(d.Language),
		c.Bits.As("bits", "fingerprints of `N` bits: 64 or 32").Told(strconv.Itoa(d.Bits)),
		c.Perms.As("perms", "give sets MinHash signatures of `N` positions, which estimate similarities").By(commandline.AtLeast(1, "1 or more, such as 128")).Told("none; 128 in mode minhash, and with --seed, --sketch, --recall, --bands or --weigh-misses"),
		c.Seed.As("seed", "draw the functions of MinHash by the number `N`").Told("0"),
		c.Sketch.As("sketch", "draw MinHash signatures by `KIND`: fast, super, independent, xor or bottom-k; an index has no bottom-k, since bands cannot be cut from it").Told("fast"),
		c.Hash.As("hash", "hash features by `NAME`: murmur3, fnv1a or md5").By(commandline.Bare[fingerprint.Hash]).Told(d.Hash.String()),
	})
	return c.settings
}

// A preset is a choice of settings for an index of fingerprints alone, and the distance that suits it.
// docs/measured/EVALUATION-TABLES.md shows what each finds.
type preset struct {
	name     string // "" for none
	features preprocess.FeatureSpec
	weights  fingerprint.Weighting
	k        int
}

var (
	presets = map[string]preset{
		"classic":    {"classic", preprocess.FeatureSpec{}, fingerprint.TF, 3},
		"shingles":   {"shingles", preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, fingerprint.Set, 10},
		"characters": {"characters", preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}, fingerprint.Set, 10},
	}
	presetNames = []string{"classic", "shingles", "characters"}
)

// readPreset reads the name of a preset; "" is none.
func readPreset(_, name string) (preset, error) {
	p, ok := presets[name]
	if !ok && name != "" {
		return p, fmt.Errorf("unknown preset %q: want one of %s", name, strings.Join(presetNames, ", "))
	}
	return p, nil
}

// Settings returns base with the settings that the flags give.
func Settings(c *Flags, base analysis.Settings) (analysis.Settings, error) {
	p := c.Preset.Value
	s := base
	if c.Preset.Given { // it comes before defaults of what it decides
		commandline.Ignore(&c.Mode, &c.Features, &c.Weights, &c.Perms, &c.Seed, &c.Sketch)
	}
	if p.name != "" {
		s = analysis.Classic()
		s.Bits, s.Hash = base.Bits, base.Hash
		s.Features, s.Weights = p.features, p.weights
		if p.features != (preprocess.FeatureSpec{}) {
			s.Language = preprocess.NoLanguage
		}
	}
	setFeatures(c, &s)
	commandline.Put(&c.Bits, &s.Bits)
	if asksForSketches(c, s.Sets()) {
		setSketches(c, &s)
	}
	if err := fingerprint.CheckBits(s.Bits); err != nil {
		return base, err
	}
	return s.Canonical(), nil
}

// asksForSketches reports whether a flag asks for sketches. Defaults of the configuration file do not count
// if there are no sets.
func asksForSketches(c *Flags, sets bool) bool {
	given := c.Perms.Given || c.Seed.Given || c.Sketch.Given
	return given || sets && (c.Perms.Has() || c.Seed.Has() || c.Sketch.Has() || c.Recall.Given || c.Bands.Given || c.WeighMisses.Given)
}

// setSketches gives sets sketches, as the flags say.
func setSketches(c *Flags, s *analysis.Settings) {
	if s.Positions == 0 {
		s.Positions = analysis.DefaultPositions
	}
	commandline.Put(&c.Perms, &s.Positions)
	commandline.Put(&c.Seed, &s.Seed)
	commandline.Put(&c.Sketch, &s.Sketch)
}

// setFeatures sets mode, features, weights and language as the flags say. Features that are given hold
// for fingerprints and for sets. Stop words are dropped from words of fingerprints alone, unless the
// language is given with features that are no words, or for an index of sets alone.
func setFeatures(c *Flags, s *analysis.Settings) {
	had := *s
	commandline.Put(&c.Mode, &s.Mode)
	commandline.Put(&c.Features, &s.Features)
	commandline.Put(&c.Weights, &s.Weights)
	commandline.Put(&c.Hash, &s.Hash)
	words := s.Features == preprocess.FeatureSpec{}
	if c.Features.Has() && s.Features != had.Features && !words {
		s.Language = preprocess.NoLanguage
	}
	if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash && !c.Features.Has() {
		s.Features, s.Language = had.SetFeatures, cmp.Or(had.SetLanguage, preprocess.NoLanguage)
	} else if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash {
		s.Language = preprocess.NoLanguage
	}
	if c.Lang.Given || c.Lang.Configured() && s.Language != preprocess.NoLanguage {
		s.Language = c.Lang.Value
	}
	switch {
	case !s.Sets():
		s.SetFeatures, s.SetLanguage, s.Positions, s.Seed, s.Sketch = preprocess.FeatureSpec{}, "", 0, 0, 0
	case s.Mode == analysis.MinHash, c.Features.Has() && !words:
		s.SetFeatures, s.SetLanguage = s.Features, s.Language
	case c.Features.Has(), !had.Sets():
		s.SetFeatures, s.SetLanguage = s.Features, preprocess.NoLanguage
	}
}
