package options

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/preprocess"
)

// WantedSettings returns the settings of the index in dir, with those that the flags give. Without
// an index it starts from the defaults.
func WantedSettings(c *cli.Context, dir string) (analysis.Settings, error) {
	base := analysis.Default()
	switch {
	case c.String("format") == corpus.Sets.String(), Gathers(c):
		items := preprocess.FeatureSpec{Kind: preprocess.Items}
		base.Features, base.Language, base.SetFeatures = items, preprocess.NoLanguage, items
		commandline.IgnoreConfigured(c, "preset", "features", "lang")
	case c.String("format") == corpus.Fingerprints.String(), c.IsSet("fingerprint-field"),
		slices.ContainsFunc(c.Args().Slice(), corpus.IsFingerprints):
		base = analysis.Classic()
		commandline.IgnoreConfigured(c, "preset", "mode", "features", "weights", "lang", "perms", "seed", "sketch")
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
		IgnoreConfiguredSettings(c)
		commandline.IgnoreConfigured(c, "plan-jaccard", "blocks", "header-blocks", "recall", "bands", "weigh-misses")
	}
	return Settings(c, base)
}

// ComparedSettings returns the settings of the index that the flags name, or else those that the
// flags give. Flags that contradict the index are an error.
func ComparedSettings(c *cli.Context) (analysis.Settings, error) {
	base := analysis.Default()
	if c.String("index") == "" {
		return Settings(c, base)
	}
	stored, err := index.ReadSettings(c.String("index"))
	if err != nil {
		return base, err
	}
	IgnoreConfiguredSettings(c)
	want, err := Settings(c, stored)
	if err != nil {
		return stored, err
	}
	return stored, stored.Check(want)
}
