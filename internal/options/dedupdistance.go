package options

import (
	"errors"
	"fmt"
	"slices"

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
func (c *Flags) ofFingerprints() (flags []cli.Flag) {
	flags = append(flags, c.ImageHashFlag())
	for _, f := range c.SettingsFlags() {
		if slices.Contains([]string{"features", "weights", "lang"}, f.Names()[0]) {
			flags = append(flags, f)
		}
	}
	return flags
}

// features sets the features of sets, or with --k, or for fingerprints that are read, those of fingerprints and their distance.
func features(c *Flags, o *dedup.Options) error {
	items := c.Format.Value == corpus.Sets
	given := c.Format.Value == corpus.Fingerprints || c.FingerprintField.Given || slices.ContainsFunc(c.Args, corpus.IsFingerprints)
	pictures := readsPictures(c)
	if name := commandline.FirstGiven(&c.Features, &c.Weights, &c.Lang); name != "" && pictures {
		return fmt.Errorf("--%s and --format image exclude each other: pictures have no features", name)
	}
	if c.K.Given || pictures || given && !c.Jaccard.Given {
		return byDistance(c, o, items)
	}
	if name := commandline.FirstGiven(&c.Weights, &c.Lang); name != "" {
		return fmt.Errorf("--%s is about fingerprints, which are compared with --k", name)
	}
	if items {
		o.Settings.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.Items}
	}
	if c.Features.Given || !items && c.Features.Has() {
		o.Settings.SetFeatures = c.Features.Value
	}
	return nil
}

// byDistance makes near a distance of fingerprints.
func byDistance(c *Flags, o *dedup.Options, items bool) (err error) {
	if name := commandline.FirstGiven(&c.Jaccard, &c.Contained, &c.MaxDF, &c.Ignore, &c.Rethreshold); name != "" {
		return fmt.Errorf("--k and --%s exclude each other: fingerprints are compared, and no sets of features", name)
	}
	if by := c.By.Value; by != dedup.Documents {
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
	commandline.Put(&c.K, &o.Distance)
	if kind != 0 {
		o.Settings = analysis.Pictures(kind)
		commandline.Ignore(&c.Features, &c.Weights, &c.Lang)
		return nil
	}
	o.Settings = dedup.DefaultFingerprints()
	if items {
		o.Settings.Features, o.Settings.Language = preprocess.FeatureSpec{Kind: preprocess.Items}, preprocess.NoLanguage
		commandline.Ignore(&c.Features, &c.Lang)
	}
	if o.Settings, err = Settings(c, o.Settings); err == nil && o.Settings.Weights == fingerprint.TFIDF {
		err = errors.New("--weights tfidf are learnt from a collection, before it is read: index it, or choose tf, log-tf or set")
	}
	return err
}
