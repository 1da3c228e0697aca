package options

import (
	"cmp"
	"encoding"
	"errors"
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
func SettingsFlags() []cli.Flag {
	d := analysis.Default()
	return commandline.InGroup(SettingsGroup, []cli.Flag{
		&cli.StringFlag{Name: "preset", Usage: "an index of fingerprints alone, by `NAME`: " + strings.Join(presetNames, ", ") + "; what other flags say wins", DefaultText: "none: fingerprints and sets of words"},
		&cli.StringFlag{Name: "mode", Usage: "`MODE` of the index: simhash (fingerprints, searched by distance), minhash (sets of features, searched by Jaccard similarity) or both", DefaultText: d.Mode.String()},
		&cli.StringFlag{Name: "features", Usage: "`KIND` of features: words, word:N, char:N, or items (of sets)", DefaultText: d.Features.String()},
		&cli.StringFlag{Name: "weights", Usage: "`WEIGHTS` of features: tf, log-tf, tfidf or set", DefaultText: d.Weights.String()},
		&cli.StringFlag{Name: "lang", Usage: "drop the stop words of the language `CODE` from the words of fingerprints; none, or auto: of the language found for each document", DefaultText: d.Language},
		&cli.IntFlag{Name: "bits", Usage: "fingerprints of `N` bits: 64 or 32", DefaultText: strconv.Itoa(d.Bits)},
		&cli.IntFlag{Name: "perms", Usage: "give sets MinHash signatures of `N` positions, which estimate similarities", DefaultText: "none; 128 in mode minhash, and with --seed, --sketch, --recall, --bands or --weigh-misses"},
		&cli.Uint64Flag{Name: "seed", Usage: "draw the functions of MinHash by the number `N`"},
		&cli.StringFlag{Name: "sketch", Usage: "draw MinHash signatures by `KIND`: fast, super, independent, xor or bottom-k; an index has no bottom-k, since bands cannot be cut from it", DefaultText: "fast"},
		&cli.StringFlag{Name: "hash", Usage: "hash features by `NAME`: murmur3, fnv1a or md5", DefaultText: d.Hash.String()},
	})
}

// IgnoreConfiguredSettings ignores all settings of the configuration file, where those of an index hold.
func IgnoreConfiguredSettings(c *cli.Context) {
	for _, f := range SettingsFlags() {
		commandline.IgnoreConfigured(c, f.Names()...)
	}
}

// A preset is a choice of settings for an index of fingerprints alone, and the distance that suits it.
// docs/EVALUATION-TABLES.md shows what each finds.
type preset struct {
	features preprocess.FeatureSpec
	weights  fingerprint.Weighting
	k        int
}

var (
	presets = map[string]preset{
		"classic":    {preprocess.FeatureSpec{}, fingerprint.TF, 3},
		"shingles":   {preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, fingerprint.Set, 10},
		"characters": {preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}, fingerprint.Set, 10},
	}
	presetNames = []string{"classic", "shingles", "characters"}
)

// presetOf returns the preset that the flags name; ok is false if they name none.
func presetOf(c *cli.Context) (p preset, ok bool, err error) {
	name := c.String("preset")
	if name == "" || !commandline.Has(c, "preset") {
		return p, false, nil
	}
	if p, ok = presets[name]; !ok {
		return p, false, fmt.Errorf("unknown preset %q: want one of %s", name, strings.Join(presetNames, ", "))
	}
	return p, true, nil
}

// Settings returns base with the settings that the flags give.
func Settings(c *cli.Context, base analysis.Settings) (analysis.Settings, error) {
	p, named, err := presetOf(c)
	if err != nil {
		return base, err
	}
	s := base
	if c.IsSet("preset") { // it comes before defaults of what it decides
		commandline.IgnoreConfigured(c, "mode", "features", "weights", "perms", "seed", "sketch")
	}
	if named {
		s = analysis.Classic()
		s.Bits, s.Hash = base.Bits, base.Hash
		s.Features, s.Weights = p.features, p.weights
		if p.features != (preprocess.FeatureSpec{}) {
			s.Language = preprocess.NoLanguage
		}
	}
	errs := []error{setFeatures(c, &s)}
	if commandline.Has(c, "bits") {
		s.Bits = c.Int("bits")
	}
	if asksForSketches(c, s.Sets()) {
		errs = append(errs, setSketches(c, &s))
	}
	if errs = append(errs, fingerprint.CheckBits(s.Bits)); errors.Join(errs...) != nil {
		return base, errors.Join(errs...)
	}
	return s.Canonical(), nil
}

// asksForSketches reports whether a flag asks for sketches. Defaults of the configuration file do not count
// if there are no sets.
func asksForSketches(c *cli.Context, sets bool) bool {
	for _, flag := range []string{"perms", "seed", "sketch"} {
		if c.IsSet(flag) || sets && commandline.IsConfigured(c, flag) {
			return true
		}
	}
	return sets && (c.IsSet("recall") || c.IsSet("bands") || c.IsSet("weigh-misses"))
}

// setSketches gives sets sketches, as the flags say.
func setSketches(c *cli.Context, s *analysis.Settings) error {
	if s.Positions == 0 {
		s.Positions = analysis.DefaultPositions
	}
	if commandline.Has(c, "perms") {
		if s.Positions = c.Int("perms"); s.Positions < 1 {
			return fmt.Errorf("--perms %d: want a number from 1 on, such as 128", s.Positions)
		}
	}
	if commandline.Has(c, "seed") {
		s.Seed = c.Uint64("seed")
	}
	if commandline.Has(c, "sketch") {
		if err := s.Sketch.UnmarshalText([]byte(c.String("sketch"))); err != nil {
			return fmt.Errorf("--sketch: %w", err)
		}
	}
	return nil
}

// setFeatures sets mode, features, weights and language as the flags say. Features that are given hold
// for fingerprints and for sets. Stop words are dropped from words of fingerprints alone, unless the
// language is given with features that are no words, or for an index of sets alone.
func setFeatures(c *cli.Context, s *analysis.Settings) error {
	had := *s
	var errs []error
	for _, of := range []struct {
		flag string
		into encoding.TextUnmarshaler
	}{{"mode", &s.Mode}, {"features", &s.Features}, {"weights", &s.Weights}, {"hash", &s.Hash}} {
		if commandline.Has(c, of.flag) {
			errs = append(errs, of.into.UnmarshalText([]byte(c.String(of.flag))))
		}
	}
	words := s.Features == preprocess.FeatureSpec{}
	if commandline.Has(c, "features") && s.Features != had.Features && !words {
		s.Language = preprocess.NoLanguage
	}
	if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash && !commandline.Has(c, "features") {
		s.Features, s.Language = had.SetFeatures, cmp.Or(had.SetLanguage, preprocess.NoLanguage)
	} else if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash {
		s.Language = preprocess.NoLanguage
	}
	if c.IsSet("lang") || commandline.IsConfigured(c, "lang") && s.Language != preprocess.NoLanguage {
		s.Language = c.String("lang")
	}
	switch {
	case !s.Sets():
		s.SetFeatures, s.SetLanguage, s.Positions, s.Seed, s.Sketch = preprocess.FeatureSpec{}, "", 0, 0, 0
	case s.Mode == analysis.MinHash, commandline.Has(c, "features") && !words:
		s.SetFeatures, s.SetLanguage = s.Features, s.Language
	case commandline.Has(c, "features"), !had.Sets():
		s.SetFeatures, s.SetLanguage = s.Features, preprocess.NoLanguage
	}
	return errors.Join(errs...)
}
