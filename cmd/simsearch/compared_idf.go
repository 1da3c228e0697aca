package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/disk"
	"simsearch/internal/options"
	"simsearch/internal/terminal"
)

// analysisWithIDF returns the analysis for settings whose weights are tfidf, by the rarity of features that --idf
// names: an index, its file of weights, or documents to learn from.
func (env *environment) analysisWithIDF(c *options.Flags, s analysis.Settings) (*analysis.Analysis, error) {
	s.Weights = fingerprint.TFIDF
	a, err := analysis.New(s.Canonical())
	if err != nil {
		return nil, err
	}
	path := c.IDF.Value
	model, of, err := index.ReadIDF(path)
	switch {
	case err == nil:
		if of.Features != s.Features || of.Language != s.Language || of.Hash != s.Hash {
			return nil, fmt.Errorf("--idf %s: its weights are of features %s, lang %s, hash %s, and not of features %s, lang %s, hash %s: give these settings, or an input to learn from",
				path, of.Features, of.Language, of.Hash, s.Features, s.Language, s.Hash)
		}
		return a.WithIDF(model), nil
	case !errors.Is(err, index.ErrNoIndex):
		return nil, fmt.Errorf("--idf: %w", err)
	}
	how, err := env.corpusOptions(c, s.Bits)
	if err != nil {
		return nil, err
	}
	r, err := corpus.Open([]string{path}, how)
	if err != nil {
		return nil, fmt.Errorf("--idf: %w", err)
	}
	in := env.inputs().Start(r, c.Common.Progress, "learning")
	l := fingerprint.IDFLearner{Dir: os.TempDir(), Disk: disk.OS, FeaturesInMemory: int(c.Common.Memory / 256)}
	defer func() { _ = l.Close() }() // losing a temporary file does no harm
	err = errors.Join(a.Learn(c.Context, in.Documents(), c.Common.Threads, &l), in.Close())
	if err != nil {
		return nil, err
	}
	learnt, err := l.IDF(c.Context)
	if err != nil {
		return nil, err
	}
	if learnt.Documents() == 0 {
		return nil, fmt.Errorf("--idf %s: there are no documents to learn from", path)
	}
	if !c.Common.Quiet {
		fmt.Fprintf(env.stderr, "simsearch: weights are learnt from %s of %s\n", terminal.Plural(int(learnt.Documents()), "document"), filepath.Clean(path))
	}
	return a.WithIDF(learnt), nil
}
