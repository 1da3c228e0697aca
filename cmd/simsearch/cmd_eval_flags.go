package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/eval"
	"simsearch/fingerprint"
	"simsearch/internal/commandline"
	"simsearch/internal/options"
	"simsearch/preprocess"
)

// Names of published benchmarks.
const (
	protocolCORE     = "core"
	protocolNewsCopy = "news-copy"
)

// evalFlags are the values of the flags of eval.
type evalFlags struct {
	protocol      string // "" for none
	experiments   []eval.Experiment
	settings      analysis.Settings   // of the experiments
	tries         []analysis.Settings // of the recommendation, at least one
	wanted        eval.Demands        // of the recommendation
	truthFeatures string              // "" if not given
	floor         float64
	sample        int
}

// check checks all flags and the names of files, even those that have no effect on the chosen
// evaluation. It reads nothing.
func (e *evaluation) check() error {
	if e.c.Bool("recommend") {
		commandline.IgnoreConfigured(e.c, "preset", "features", "weights") // they are what is tried
	}
	for _, check := range []func() error{e.checkInputs, e.checkKind, e.checkShares, e.checkSettings, e.checkTries, e.checkFiles} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluation) checkInputs() error {
	if !options.HasInputs(e.c) {
		return errors.New("no input: name files or directories")
	}
	if slices.Contains(slices.Concat(e.c.Args().Slice(), e.c.StringSlice("files-from")), "-") {
		return errors.New("eval reads its input several times: write standard input to a file first")
	}
	o, err := e.env.corpusOptions(e.c, analysis.Classic().Bits)
	if err == nil && o.Format == corpus.Fingerprints {
		err = fmt.Errorf("--format fingerprints: %w", errNoFeatures)
	}
	return err
}

var errNoFeatures = errors.New("eval compares features, which fingerprints have none of")

// checkKind checks which kind of evaluation the flags ask for.
func (e *evaluation) checkKind() (err error) {
	var names []string
	if s := e.c.String("experiment"); s != "" {
		names = strings.Split(s, ",")
	}
	if e.experiments, err = eval.FindExperiments(names); err != nil {
		return err
	}
	e.protocol = e.c.String("protocol")
	if e.protocol != "" && e.protocol != protocolCORE && e.protocol != protocolNewsCopy {
		return fmt.Errorf("unknown protocol %q: want %s or %s", e.protocol, protocolCORE, protocolNewsCopy)
	}
	kinds := 0
	for _, asked := range []bool{e.protocol != "", e.c.Bool("recommend"), e.c.IsSet("experiment")} {
		if asked {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return errors.New("--protocol, --recommend and --experiment exclude each other")
	case !e.c.Bool("recommend") && (e.c.IsSet("min-precision") || e.c.IsSet("min-recall")):
		return errors.New("--min-precision and --min-recall are what --recommend is to reach")
	case e.protocol == protocolNewsCopy && e.c.String("truth") == "":
		return errors.New("--protocol news-copy wants the labelled clusters: --truth FILE")
	}
	return nil
}

func (e *evaluation) checkShares() (err error) {
	if e.wanted.Precision, err = commandline.Share(e.c, "min-precision", 0, true); err != nil {
		return err
	}
	if e.wanted.Recall, err = commandline.Share(e.c, "min-recall", 0, true); err != nil {
		return err
	}
	if e.floor, err = commandline.Share(e.c, "floor", 0, true); err != nil {
		return err
	}
	if e.sample = e.c.Int("sample"); e.sample < 0 {
		return fmt.Errorf("--sample %d: want 0 or more documents", e.sample)
	}
	return nil
}

// base returns the settings that the flags change.
func (e *evaluation) base() analysis.Settings {
	base := analysis.Classic()
	if e.c.String("format") == corpus.Sets.String() {
		base.Features, base.Language = preprocess.FeatureSpec{Kind: preprocess.Items}, "none"
		commandline.IgnoreConfigured(e.c, "preset", "features", "lang")
	}
	return base
}

// valid returns base with the settings that the flags give. An evaluation uses fingerprints and
// sets, whatever mode is named.
func (e *evaluation) valid(base analysis.Settings) (analysis.Settings, error) {
	s, err := options.Settings(e.c, base)
	if err != nil {
		return s, err
	}
	mode := analysis.Classic()
	mode.Mode = s.Mode
	if err := mode.Canonical().Validate(); err != nil {
		return s, err
	}
	both := s
	both.Mode = analysis.Both
	return s, both.Canonical().Validate()
}

func (e *evaluation) checkSettings() (err error) {
	if e.settings, err = e.valid(e.base()); err != nil {
		return err
	}
	if e.truthFeatures = e.c.String("truth-features"); e.truthFeatures != "" {
		if _, err := preprocess.ParseFeatureSpec(e.truthFeatures); err != nil {
			return fmt.Errorf("--truth-features: %w", err)
		}
	}
	return nil
}

// checkTries sets the settings that a recommendation compares. It keeps what the flags give and
// varies the features and weights that they leave open.
func (e *evaluation) checkTries() error {
	type try struct {
		features preprocess.FeatureSpec
		weights  fingerprint.Weighting
	}
	words, items := preprocess.FeatureSpec{}, preprocess.FeatureSpec{Kind: preprocess.Items}
	tries := []try{
		{words, fingerprint.TF},
		{words, fingerprint.LogTF},
		{words, fingerprint.Set},
		{preprocess.FeatureSpec{Kind: preprocess.WordN, N: 2}, fingerprint.Set},
		{preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, fingerprint.Set},
		{preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}, fingerprint.Set},
	}
	if e.base().Features == items {
		tries = []try{{items, fingerprint.TF}}
	}
	for _, t := range tries {
		base := e.base()
		base.Features, base.Weights = t.features, t.weights
		s, err := e.valid(base)
		if err != nil {
			return err
		}
		if !slices.Contains(e.tries, s) {
			e.tries = append(e.tries, s)
		}
	}
	return nil
}

// checkFiles checks that the labels can be read and that the report can be written.
func (e *evaluation) checkFiles() error {
	if path := e.c.String("truth"); path != "" {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("cannot read %s: labels are read from a regular file, more than once", path)
		}
		if err := withFile(path, func(io.Reader) error { return nil }); err != nil {
			return err
		}
	}
	if dir := e.c.String("out"); dir != "" {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return fmt.Errorf("--out %s: want a directory, and that is a file", dir)
		}
	}
	return nil
}
