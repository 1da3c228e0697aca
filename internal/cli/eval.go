package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"simsearch/eval"
	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
	"simsearch/preprocess"
)

// Eval is what the flags of eval mean together.
type Eval struct {
	Experiments        []eval.Experiment
	Fingerprints       bool              // the inputs are ready-made fingerprints, or pictures, which become such
	Settings           analysis.Settings // of the experiments
	eval.AdviceOptions                   // of the recommendation; without Progress

	c *Flags
}

// EvalOf returns the values of the flags of eval, even of those that have no effect on the chosen evaluation.
func EvalOf(c *Flags) (e Eval, err error) {
	e.c, e.Wanted = c, c.Want.Value
	if c.Recommend.Value {
		Ignore(&c.Preset, &c.Features, &c.Weights, &c.Lang) // they are what is tried
	}
	for _, check := range []func() error{e.checkKind, e.checkBands, e.checkTries} {
		if err := check(); err != nil {
			return e, err
		}
	}
	s, err := c.settingsOver(e.base(analysis.Default())) // those that an index would have by the other flags
	if err == nil {
		err = e.own(s, nil)
	}
	return e, err
}

// checkKind checks which kind of evaluation the flags ask for.
func (e *Eval) checkKind() (err error) {
	var names []string
	if s := e.c.Experiment.Value; s != "" {
		names = strings.Split(s, ",")
	}
	e.Fingerprints = slices.Contains([]corpus.Format{corpus.Fingerprints, corpus.Image}, e.c.Format.Value)
	if e.Experiments, err = eval.FindExperiments(names, e.Fingerprints); err != nil {
		return err
	}
	advises, k, jaccard := e.c.Recommend.Value, e.c.K.Given, e.c.Jaccard.Given
	return Mistakes{
		{e.Fingerprints && advises, "--recommend tries features of texts or sets, and ready-made fingerprints have none"},
		{advises && e.c.Experiment.Given, "--recommend and --experiment exclude each other"},
		{!advises && e.c.Want.Given, "--want is what --recommend is to reach"},
		{!advises && jaccard, "--" + e.c.Jaccard.name() + " is what --recommend is to judge: experiments measure every similarity"},
		{k && jaccard, "--k and --jaccard exclude each other: one choice is judged"},
	}.First()
}

// base returns settings, or those of sets of items, which the flags change.
func (e *Eval) base(base analysis.Settings) analysis.Settings {
	if e.c.Format.Value == corpus.Sets {
		base = analysis.Classic()
		base.Features, base.Language = preprocess.FeatureSpec{Kind: preprocess.Items}, "none"
		Ignore(&e.c.Preset, &e.c.Features, &e.c.Lang)
	}
	return e.c.ofCode(base)
}

// valid returns base with the settings that the flags give. An evaluation uses fingerprints and
// sets, whatever mode is named.
func (e *Eval) valid(base analysis.Settings) (analysis.Settings, error) {
	s, err := e.c.settingsOver(base)
	if err != nil {
		return s, err
	}
	mode := analysis.Classic()
	mode.Mode = s.Mode
	both := s
	both.Mode = analysis.Both
	return s, cmp.Or(mode.Canonical().Validate(), both.Canonical().Validate())
}

// checkBands sets the settings of experiments, and checks what cuts bands of signatures.
func (e *Eval) checkBands() (err error) {
	if e.Settings, err = e.valid(e.base(analysis.Default())); err != nil {
		return err
	}
	both := e.Settings
	both.Mode, both.Positions = analysis.Both, cmp.Or(e.Settings.Positions, analysis.DefaultPositions)
	both = both.Canonical()
	for _, b := range e.c.BandsTried.Value {
		if err := checkBands(b, both.Positions); err != nil {
			return err
		}
	}
	err = both.CheckBands()
	if err == nil || e.c.Recommend.Value {
		return nil
	}
	for _, x := range e.Experiments {
		if x.Banded {
			return fmt.Errorf("experiment %s cuts bands: name others, such as --experiment estimates,distances: %w", x.Name, err)
		}
	}
	return nil
}

// checkTries sets the settings that a recommendation compares. It keeps what the flags give and
// varies the features and weights that they leave open.
func (e *Eval) checkTries() error {
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
	if e.base(analysis.Classic()).Features == items {
		tries = []try{{items, fingerprint.TF}, {items, fingerprint.TFIDF}}
	}
	e.AnyLanguage = !e.c.Lang.Given
	for _, t := range tries {
		base := e.base(analysis.Classic())
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

// own sets the choice that --k or --jaccard names. otherwise is the one without either, if it is not nil.
func (e *Eval) own(s analysis.Settings, otherwise *index.Predicate) error {
	by := otherwise
	wanted, ok, err := e.c.Wanted(s.Bits)
	if ok {
		by = &wanted
	}
	if err != nil || by == nil {
		return err
	}
	e.Own, e.OwnWith = by, s
	if !by.BySets() {
		e.OwnFlags = fmt.Sprintf("--features %s --weights %s --lang %s, --k %d", s.Features, s.Weights, s.Language, by.Distance)
		return nil
	}
	if s.Mode = max(s.Mode, analysis.MinHash); s.SetLanguage == "" {
		s = s.Canonical()
	}
	e.OwnWith.Features, e.OwnWith.Language = s.SetFeatures, s.SetLanguage
	e.OwnFlags = fmt.Sprintf("--mode minhash --features %s --lang %s, --jaccard %v", s.SetFeatures, s.SetLanguage, by.Threshold)
	return nil
}

// OfIndex changes e to the evaluation of an index: with its settings, which no flag changes, and with its own
// search as the choice to be judged.
func (e *Eval) OfIndex(ix *index.Snapshot) error {
	for _, f := range e.c.settings {
		if name := f.Names()[0]; f.IsSet() && name != "perms" && name != "seed" {
			return fmt.Errorf("--%s and --index exclude each other: an index has its settings", name)
		}
	}
	s := ix.Settings()
	if s.Features.Kind == preprocess.Items {
		e.AnyLanguage = false
		e.Tries = nil
	}
	for i := range e.Tries {
		e.Tries[i].Bits, e.Tries[i].Hash = s.Bits, s.Hash
	}
	e.Tries = append([]analysis.Settings{s}, e.Tries...)
	positions, seed, sketch := e.Settings.Positions, e.Settings.Seed, e.Settings.Sketch
	if e.Settings = s; e.c.Recommend.Value {
		by := index.Default(s, ix.Search())
		return e.own(s, &by)
	}
	if !s.Sketches() {
		e.Settings.Positions, e.Settings.Seed, e.Settings.Sketch = positions, seed, sketch
	}
	return nil
}

// ReadWant reads the value of --want.
func ReadWant(text string) (d truth.Demands, err error) {
	of := map[string]*float64{"precision": &d.Precision, "recall": &d.Recall}
	for one := range strings.SplitSeq(text, ",") {
		what, value, _ := strings.Cut(one, "=")
		if of[what] == nil {
			return d, unfit("want precision=P, recall=R or both with a comma between them")
		}
		if *of[what], err = Share(value); err != nil {
			return d, unfit(what + " is a number more than 0 and at most 1")
		}
	}
	return d, nil
}
