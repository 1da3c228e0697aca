package options

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/dedup"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/preprocess"
)

// ofFingerprints returns the flags that say how dedup makes fingerprints.
func ofFingerprints() (flags []cli.Flag) {
	flags = append(flags, ImageHashFlag())
	for _, f := range SettingsFlags() {
		if slices.Contains([]string{"features", "weights", "lang"}, f.Names()[0]) {
			flags = append(flags, f)
		}
	}
	return flags
}

// features sets the features of sets, or with --k, or for fingerprints that are read, those of fingerprints and their distance.
func features(c *cli.Context, o *dedup.Options) error {
	items := c.String("format") == corpus.Sets.String()
	given := c.String("format") == corpus.Fingerprints.String() || c.IsSet("fingerprint-field") || slices.ContainsFunc(c.Args().Slice(), corpus.IsFingerprints)
	pictures := readsPictures(c)
	if pictures {
		for _, name := range []string{"features", "weights", "lang"} {
			if c.IsSet(name) {
				return fmt.Errorf("--%s and --format image exclude each other: pictures have no features", name)
			}
		}
	}
	if c.IsSet("k") || pictures || given && !c.IsSet("jaccard") {
		return byDistance(c, o, items)
	}
	for _, name := range []string{"weights", "lang"} {
		if c.IsSet(name) {
			return fmt.Errorf("--%s is about fingerprints, which are compared with --k", name)
		}
	}
	if items {
		o.Settings.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.Items}
	}
	if s := c.String("features"); s != "" && (!items || c.IsSet("features")) {
		if err := o.Settings.SetFeatures.UnmarshalText([]byte(s)); err != nil {
			return fmt.Errorf("--features: %w", err)
		}
	}
	return nil
}

// byDistance makes near a distance of fingerprints.
func byDistance(c *cli.Context, o *dedup.Options, items bool) (err error) {
	for _, name := range []string{"jaccard", "contained", "max-df", "ignore", "rethreshold"} {
		if c.IsSet(name) {
			return fmt.Errorf("--k and --%s exclude each other: fingerprints are compared, and no sets of features", name)
		}
	}
	if by := c.String("by"); by != dedup.Documents.String() {
		return fmt.Errorf("--k with --by %s: it is for whole documents", by)
	}
	o.Distance = index.DefaultDistance
	kind, err := imageHash(c, readsPictures(c))
	if err != nil {
		return err
	}
	if kind != 0 {
		o.Distance = imageDistances[kind]
	}
	if s := c.String("k"); s != "" {
		if o.Distance, err = strconv.Atoi(s); err != nil || o.Distance < 0 || o.Distance > dedup.MaxDistance {
			return fmt.Errorf("--k %s: want a whole number of bits from 0 to %d", s, dedup.MaxDistance)
		}
	}
	if kind != 0 {
		o.Settings = analysis.Pictures(kind)
		commandline.IgnoreConfigured(c, "features", "weights", "lang")
		return nil
	}
	o.Settings = dedup.DefaultFingerprints()
	if items {
		o.Settings.Features, o.Settings.Language = preprocess.FeatureSpec{Kind: preprocess.Items}, preprocess.NoLanguage
		commandline.IgnoreConfigured(c, "features", "lang")
	}
	if o.Settings, err = Settings(c, o.Settings); err == nil && o.Settings.Weights == fingerprint.TFIDF {
		err = errors.New("--weights tfidf are learnt from a collection, before it is read: index it, or choose tf, log-tf or set")
	}
	return err
}
