package options

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/eval"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/lsh"
	"simsearch/preprocess"
)

// Names of published benchmarks.
const (
	ProtocolCORE     = "core"
	ProtocolNewsCopy = "news-copy"
)

// Eval are the values of the flags of eval.
type Eval struct {
	Protocol      string // "" for none
	Experiments   []eval.Experiment
	Fingerprints  bool                // the inputs are ready-made fingerprints
	Settings      analysis.Settings   // of the experiments
	Tries         []analysis.Settings // of the recommendation, at least one
	AnyLanguage   bool                // that of the collection, and none, in place of those of Tries
	Wanted        eval.Demands        // of the recommendation
	Own           *index.Predicate    // to be judged beside the recommendation; nil for none
	OwnWith       analysis.Settings   // for Own
	OwnFlags      string              // as the user would give them
	TruthFeatures string              // "" if not given
	Floor         float64
	Sample        int
	Bands         []lsh.Bands // to be measured
	Misses        float64     // their weight in the choice of bands; 0 is the usual one
}

// EvalOf returns the values of the flags of eval, even of those that have no effect on the chosen evaluation.
func EvalOf(c *cli.Context) (Eval, error) {
	e := &evalFlags{c: c}
	if c.Bool("recommend") {
		commandline.IgnoreConfigured(c, "preset", "features", "weights", "lang") // they are what is tried
	}
	for _, check := range []func() error{e.checkKind, e.checkShares, e.checkSettings, e.checkTries, e.checkOwn} {
		if err := check(); err != nil {
			return e.Eval, err
		}
	}
	return e.Eval, nil
}

// evalFlags are the flags of eval, while their values are found.
type evalFlags struct {
	Eval
	c *cli.Context
}

// checkKind checks which kind of evaluation the flags ask for.
func (e *evalFlags) checkKind() (err error) {
	var names []string
	if s := e.c.String("experiment"); s != "" {
		names = strings.Split(s, ",")
	}
	find := eval.FindExperiments
	if e.Fingerprints = e.c.String("format") == corpus.Fingerprints.String(); e.Fingerprints {
		find = eval.FindFingerprintExperiments
	}
	if e.Experiments, err = find(names); err != nil {
		return err
	}
	e.Protocol = e.c.String("protocol")
	if e.Protocol != "" && e.Protocol != ProtocolCORE && e.Protocol != ProtocolNewsCopy {
		return fmt.Errorf("unknown protocol %q: want %s or %s", e.Protocol, ProtocolCORE, ProtocolNewsCopy)
	}
	kinds := 0
	for _, asked := range []bool{e.Protocol != "", e.c.Bool("recommend"), e.c.IsSet("experiment")} {
		if asked {
			kinds++
		}
	}
	switch {
	case e.Fingerprints && e.c.Bool("recommend"):
		return errors.New("--recommend tries features of texts or sets, and ready-made fingerprints have none")
	case e.Fingerprints && e.Protocol != "":
		return errors.New("--protocol reads texts, and --format fingerprints has none")
	case e.Fingerprints && e.c.IsSet("sample"):
		return errors.New("--sample draws texts or sets: all ready-made fingerprints are evaluated")
	case kinds > 1:
		return errors.New("--protocol, --recommend and --experiment exclude each other")
	case !e.c.Bool("recommend") && (e.c.IsSet("min-precision") || e.c.IsSet("min-recall")):
		return errors.New("--min-precision and --min-recall are what --recommend is to reach")
	case !e.c.Bool("recommend") && (e.c.IsSet("k") || e.c.IsSet("jaccard")):
		return errors.New("--k and --jaccard are what --recommend is to judge: experiments measure every distance and similarity")
	case e.c.IsSet("k") && e.c.IsSet("jaccard"):
		return errors.New("--k and --jaccard exclude each other: one choice is judged")
	case e.Protocol == ProtocolNewsCopy && e.c.String("truth") == "":
		return errors.New("--protocol news-copy wants the labelled clusters: --truth FILE")
	}
	return nil
}

func (e *evalFlags) checkShares() (err error) {
	if e.Wanted.Precision, err = commandline.Share(e.c, "min-precision", 0, true); err != nil {
		return err
	}
	if e.Wanted.Recall, err = commandline.Share(e.c, "min-recall", 0, true); err != nil {
		return err
	}
	if e.Floor, err = commandline.Share(e.c, "floor", 0, true); err != nil {
		return err
	}
	if e.Sample = e.c.Int("sample"); e.Sample < 0 {
		return fmt.Errorf("--sample %d: want 0 or more documents", e.Sample)
	}
	return nil
}

// base returns the settings that the flags change.
func (e *evalFlags) base() analysis.Settings {
	base := analysis.Classic()
	if e.c.String("format") == corpus.Sets.String() {
		base.Features, base.Language = preprocess.FeatureSpec{Kind: preprocess.Items}, "none"
		commandline.IgnoreConfigured(e.c, "preset", "features", "lang")
	}
	return base
}

// valid returns base with the settings that the flags give. An evaluation uses fingerprints and
// sets, whatever mode is named.
func (e *evalFlags) valid(base analysis.Settings) (analysis.Settings, error) {
	s, err := Settings(e.c, base)
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

func (e *evalFlags) checkSettings() (err error) {
	if e.Settings, err = e.valid(e.base()); err != nil {
		return err
	}
	if err := e.checkBands(); err != nil {
		return err
	}
	if e.TruthFeatures = e.c.String("truth-features"); e.TruthFeatures != "" {
		if _, err := preprocess.ParseFeatureSpec(e.TruthFeatures); err != nil {
			return fmt.Errorf("--truth-features: %w", err)
		}
	}
	return nil
}

// checkBands checks what cuts bands of signatures.
func (e *evalFlags) checkBands() (err error) {
	both := e.Settings
	both.Mode, both.Positions = analysis.Both, cmp.Or(e.Settings.Positions, analysis.DefaultPositions)
	both = both.Canonical()
	if e.Bands, err = evalBands(e.c, both.Positions); err != nil {
		return err
	}
	if e.Misses, err = missesOf(e.c); err != nil {
		return err
	}
	err = both.CheckBands()
	if err == nil || e.Protocol != "" || e.c.Bool("recommend") {
		return nil
	}
	for _, x := range e.Experiments {
		if x.Banded {
			return fmt.Errorf("experiment %s cuts bands: name others, such as --experiment estimates,sketches: %w", x.Name, err)
		}
	}
	return nil
}

// checkTries sets the settings that a recommendation compares. It keeps what the flags give and
// varies the features and weights that they leave open.
func (e *evalFlags) checkTries() error {
	type try struct {
		features preprocess.FeatureSpec
		weights  fingerprint.Weighting
	}
	words, items := preprocess.FeatureSpec{}, preprocess.FeatureSpec{Kind: preprocess.Items}
	tries := []try{
		{words, fingerprint.TF},
		{words, fingerprint.LogTF},
		{words, fingerprint.TFIDF},
		{words, fingerprint.Set},
		{preprocess.FeatureSpec{Kind: preprocess.WordN, N: 2}, fingerprint.Set},
		{preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, fingerprint.Set},
		{preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}, fingerprint.Set},
	}
	if e.base().Features == items {
		tries = []try{{items, fingerprint.TF}, {items, fingerprint.TFIDF}}
	}
	e.AnyLanguage = !e.c.IsSet("lang")
	for _, t := range tries {
		base := e.base()
		base.Features, base.Weights = t.features, t.weights
		s, err := e.valid(base)
		if err != nil {
			return err
		}
		if !slices.Contains(e.Tries, s) {
			e.Tries = append(e.Tries, s)
		}
	}
	return nil
}
