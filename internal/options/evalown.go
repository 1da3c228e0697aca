package options

import (
	"fmt"

	"simsearch/analysis"
	"simsearch/index"
	"simsearch/preprocess"
)

// checkOwn sets the choice that --k or --jaccard names, with the settings that an index would have by the other
// flags.
func (e *evalFlags) checkOwn() error {
	base := analysis.Default()
	if e.base().Features.Kind == preprocess.Items {
		base = e.base()
	}
	s, err := Settings(e.c, base)
	if err != nil {
		return err
	}
	return e.own(e.c, s, nil)
}

// own sets the choice that --k or --jaccard names. otherwise is the one without either, if it is not nil.
func (e *Eval) own(c *Flags, s analysis.Settings, otherwise *index.Predicate) error {
	by := otherwise
	switch {
	case c.K.Given:
		k, err := distance(c, 0, s.Bits)
		if err != nil {
			return err
		}
		within := index.Within(k)
		by = &within
	case c.Jaccard.Given:
		similar := index.Similar(c.Jaccard.Value)
		by = &similar
	}
	if by == nil {
		return nil
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

// EvalIndex changes e to the evaluation of an index: with its settings, which no flag changes, and with its own
// search as the choice to be judged.
func EvalIndex(c *Flags, e *Eval, ix *index.Snapshot) error {
	for _, f := range c.settings {
		if name := f.Names()[0]; f.IsSet() && name != "perms" && name != "seed" && name != "sketch" {
			return fmt.Errorf("--%s and --index exclude each other: an index has its settings", name)
		}
	}
	s := ix.Settings()
	if s.Features.Kind == preprocess.Items {
		e.AnyLanguage = false
		e.Tries = []analysis.Settings{s}
	}
	positions, seed, sketch := e.Settings.Positions, e.Settings.Seed, e.Settings.Sketch
	if e.Settings = s; !s.Sketches() {
		e.Settings.Positions, e.Settings.Seed, e.Settings.Sketch = positions, seed, sketch
	}
	if !c.Recommend.Value {
		return nil
	}
	by := index.Default(s, ix.Search())
	return e.own(c, s, &by)
}
