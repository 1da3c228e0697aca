package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"simsearch/internal/features/analysis"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/corpus"
	"simsearch/internal/index"
	"simsearch/preprocess"
)

// SettingsFlags returns the flags of the settings. For a flag that is not given, the existing index
// decides, or else the default.
func (c *Flags) SettingsFlags() []AnyFlag {
	d := analysis.Default()
	c.settings = InGroup(SettingsGroup, []AnyFlag{
		c.Preset.As("preset", "settings by `NAME`: classic, shingles, characters, fineweb, nemo, text-dedup, dct or difference (these of pictures); other flags win").
			By(analysis.ParsePreset).Told("none"),
		c.Mode.As("mode", "`MODE` of the index: simhash (fingerprints), minhash (sets) or both").Told(d.Mode.String()),
		c.Features.As("features", "`KIND` of features: words, word:N, char:N, code:N (tokens of sources) or items").Told(d.Features.String()),
		c.Weights.As("weights", "`WEIGHTS` of features: tf, log-tf, tfidf or set").Told(d.Weights.String()),
		c.Lang.As("lang", "drop the stop words of the language `CODE`, none or auto, from fingerprints").Told(d.Language),
		c.BitsFlag(),
		c.Perms.As("perms", "MinHash signatures of `N` positions").
			By(AtLeast(1, "1 or more, such as 128")).Told("none; 128 in mode minhash"),
		c.Seed.As("seed", "the seed `N` of MinHash").Told("0"),
		c.Hash.As("hash", "hash features by `NAME`: murmur3, fnv1a or md5").Told(d.Hash.String()),
	})
	return c.settings
}

// BitsFlag returns the flag --bits, also of commands that ask inputs and have no other settings.
func (c *Flags) BitsFlag() AnyFlag {
	return c.Bits.As("bits", "fingerprints of `N` bits: 64 or 32; 128 or 256 of ready-made ones").Told(strconv.Itoa(analysis.Default().Bits)).
		In(SettingsGroup)
}

// settingsOver returns base with the settings that the flags give.
func (c *Flags) settingsOver(base analysis.Settings) (analysis.Settings, error) {
	s := c.Preset.Value.Over(base)
	if c.Preset.Given { // it comes before defaults of what it decides
		Ignore(&c.Mode, &c.Features, &c.Weights, &c.Perms, &c.Seed)
	}
	c.setFeatures(&s)
	Put(&c.Bits, &s.Bits)
	// A flag asks for sketches. Defaults of the configuration file do not count if there are no sets.
	if c.Perms.Given || c.Seed.Given || s.Sets() && (c.Perms.Has() || c.Seed.Has() || c.Recall.Given || c.Bands.Given) {
		s.Positions = cmp.Or(s.Positions, analysis.DefaultPositions)
		Put(&c.Perms, &s.Positions)
		Put(&c.Seed, &s.Seed)
	}
	if s.Sketch == 0 && (s.Positions > 0 || s.Mode == analysis.MinHash) {
		s.Sketch = base.Sketch // an index keeps the kind that it was made with
	}
	return s.Canonical(), s.CheckBits()
}

// Functions are near by sequences of so many tokens, and so much similarity, unless flags say it. Of functions of which
// every fifth line was changed, they find two thirds to nine tenths.
const (
	codeTokens  = 7
	codeJaccard = 0.45
)

// ofCode returns the settings of functions if the flags say that inputs are functions, and s otherwise.
func (c *Flags) ofCode(s analysis.Settings) analysis.Settings {
	if c.Format.Value == corpus.Code {
		s.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.CodeN, N: codeTokens}
		s.Features, s.Language = s.SetFeatures, preprocess.NoLanguage
	}
	return s
}

// wide reports whether --bits asks for fingerprints of more bits than are made of texts.
func (c *Flags) wide() bool { return c.Bits.Given && c.Bits.Value > 64 }

// wideDistance is the distance of fingerprints of more than 64 bits if nobody says: 31 of 256 bits, that of PDQ, or
// 15 of 128.
func wideDistance(bits int) int { return bits/8 - 1 }

// setFeatures sets mode, features, weights and language as the flags say. Features that are given hold
// for fingerprints and for sets. Stop words are dropped from words of fingerprints alone, unless the
// language is given with features that are no words, or for an index of sets alone.
func (c *Flags) setFeatures(s *analysis.Settings) {
	had := *s
	Put(&c.Mode, &s.Mode)
	Put(&c.Features, &s.Features)
	Put(&c.Weights, &s.Weights)
	Put(&c.Hash, &s.Hash)
	words := s.Features == preprocess.FeatureSpec{}
	if c.Features.Has() && s.Features != had.Features && !words {
		s.Language = preprocess.NoLanguage
	}
	if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash && !c.Features.Has() {
		s.Features, s.Language = had.SetFeatures, cmp.Or(had.SetLanguage, preprocess.NoLanguage)
	} else if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash {
		s.Language = preprocess.NoLanguage
	}
	if c.Lang.Given || c.Lang.isConfigured() && s.Language != preprocess.NoLanguage {
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

// wantedSettings returns the settings of an index, if it is there, with those that the flags give. Otherwise it starts
// from the defaults.
func (c *Flags) wantedSettings(stored analysis.Settings, there bool) (analysis.Settings, error) {
	base := c.ofCode(analysis.Default())
	switch {
	case c.Format.Value == corpus.Sets, c.Gathers():
		items := preprocess.FeatureSpec{Kind: preprocess.Items}
		base.Features, base.Language, base.SetFeatures = items, preprocess.NoLanguage, items
		Ignore(&c.Preset, &c.Features, &c.Lang)
	case c.wide(), c.Format.Value == corpus.Fingerprints,
		slices.ContainsFunc(c.Args, corpus.IsFingerprints):
		base = analysis.Classic()
		Ignore(&c.Preset, &c.Mode, &c.Features, &c.Weights, &c.Lang, &c.Perms, &c.Seed)
	}
	if c.readsPictures() {
		var err error
		if base, err = c.pictureSettings(); err != nil {
			return base, err
		}
	}
	if there {
		if err := c.checkPictures(stored); err != nil {
			return base, err
		}
		base = stored
		Ignore(c.settings...) // those of an index hold
		Ignore(&c.Blocks, &c.HeaderBlocks, &c.Recall, &c.Bands)
		if c.plans {
			Ignore(&c.Jaccard)
		}
	}
	return c.settingsOver(base)
}

// ComparedSettings returns the settings of the index that the flags name, or else those that the
// flags give. Flags that contradict the index are an error.
func (c *Flags) ComparedSettings() (analysis.Settings, error) {
	if c.Index.Value == "" {
		return c.settingsOver(analysis.Default())
	}
	m, err := index.ReadManifest(c.Index.Value)
	if err != nil {
		return analysis.Settings{}, err
	}
	Ignore(c.settings...) // those of an index hold
	want, err := c.settingsOver(m.Settings)
	return m.Settings, cmp.Or(err, m.Settings.Check(want))
}

// imageDistances are the distances in bits that are near for pictures if nobody says, by the measurements in
// docs/IMAGES.md: they find .999 of the copies of photographs by the DCT hash, and .91 by the difference hash.
var imageDistances = map[imagehash.Kind]int{imagehash.Difference: 3, imagehash.DCT: 10}

// readsPictures reports whether the flags say that inputs are pictures.
func (c *Flags) readsPictures() bool { return c.Format.Value == corpus.Image }

// readsNoTexts reports whether the flags say that inputs are pictures, fingerprints or sets.
func (c *Flags) readsNoTexts() bool {
	return slices.Contains([]corpus.Format{corpus.Image, corpus.Fingerprints, corpus.Sets}, c.Format.Value)
}

// imageHash returns the hash of pictures that the flags name, or else the usual one. It is an error if one is named and
// there are no pictures.
func (c *Flags) imageHash(pictures bool) (imagehash.Kind, error) {
	named := c.Preset.Value.Image
	switch {
	case !pictures && named != 0 && c.Preset.Given:
		return 0, fmt.Errorf("--preset %s is about pictures: it wants --format image", c.Preset.Value.Name)
	case !pictures:
		return 0, nil
	case named == 0 && c.Preset.Given:
		return 0, fmt.Errorf("--preset %s and --format image exclude each other: pictures are hashed by dct or difference", c.Preset.Value.Name)
	}
	return cmp.Or(named, imagehash.Usual), nil
}

// pictureSettings returns the settings of an index of pictures. Those of texts may not be given with it.
func (c *Flags) pictureSettings() (s analysis.Settings, err error) {
	if name := FirstGiven(c.settings[min(1, len(c.settings)):]...); name != "" { // all but --preset
		return s, fmt.Errorf("--%s and --format image exclude each other: a picture has a hash of 64 bits, which --preset chooses", name)
	}
	Ignore(c.settings...) // those of an index hold
	k, err := c.imageHash(true)
	return analysis.Pictures(k), err
}

// checkPictures returns an error if the flags want pictures and an index has none, or has another hash of them.
func (c *Flags) checkPictures(stored analysis.Settings) error {
	if c.readsPictures() && stored.Image == 0 {
		return fmt.Errorf("%w: --format image, and the index is not of pictures", index.ErrKind)
	}
	k, err := c.imageHash(stored.Image != 0)
	if err == nil && c.Preset.Given && k != stored.Image {
		want := stored
		want.Image = k
		err = stored.Check(want)
	}
	return err
}

// setPictures sets how pictures are read. An index of pictures, which it has by their stored hash, reads nothing else
// unless a format is named.
func (c *Flags) setPictures(o *corpus.Options, stored imagehash.Kind) error {
	if o.Format == corpus.Auto && stored != 0 {
		o.Format = corpus.Image
	}
	kind, err := c.imageHash(o.Format == corpus.Image)
	o.ImageHash, o.Threads = cmp.Or(stored, kind), c.Threads.Value
	return err
}
