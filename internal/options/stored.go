package options

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/preprocess"
)

// WantedSettings returns the settings of the index in dir, with those that the flags give. Without
// an index it starts from the defaults.
func WantedSettings(c *Flags, dir string) (analysis.Settings, error) {
	base := analysis.Default()
	switch {
	case c.Format.Value == corpus.Sets, Gathers(c):
		items := preprocess.FeatureSpec{Kind: preprocess.Items}
		base.Features, base.Language, base.SetFeatures = items, preprocess.NoLanguage, items
		commandline.Ignore(&c.Preset, &c.Features, &c.Lang)
	case c.Format.Value == corpus.Fingerprints, c.FingerprintField.Given,
		slices.ContainsFunc(c.Args, corpus.IsFingerprints):
		base = analysis.Classic()
		commandline.Ignore(&c.Preset, &c.Mode, &c.Features, &c.Weights, &c.Lang, &c.Perms, &c.Seed, &c.Sketch)
	}
	if readsPictures(c) {
		var err error
		if base, err = pictureSettings(c); err != nil {
			return base, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, index.ManifestName)); !errors.Is(err, fs.ErrNotExist) {
		stored, err := index.ReadSettings(dir)
		if err != nil {
			return base, err
		}
		if err := checkPictures(c, stored); err != nil {
			return base, err
		}
		base = stored
		commandline.Ignore(c.settings...) // those of an index hold
		commandline.Ignore(&c.PlanJaccard, &c.Blocks, &c.HeaderBlocks, &c.Recall, &c.Bands, &c.WeighMisses)
	}
	return Settings(c, base)
}

// ComparedSettings returns the settings of the index that the flags name, or else those that the
// flags give. Flags that contradict the index are an error.
func ComparedSettings(c *Flags) (analysis.Settings, error) {
	base := analysis.Default()
	if c.Index.Value == "" {
		return Settings(c, base)
	}
	stored, err := index.ReadSettings(c.Index.Value)
	if err != nil {
		return base, err
	}
	commandline.Ignore(c.settings...) // those of an index hold
	want, err := Settings(c, stored)
	if err != nil {
		return stored, err
	}
	return stored, stored.Check(want)
}
