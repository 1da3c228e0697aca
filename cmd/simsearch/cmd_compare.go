package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/explain"
	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/options"
	"simsearch/internal/results"
)

func compareCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "say how near two documents are, and why",
		ArgsUsage: "A B",
		Description: `Compares two files, each one document: the distance of their fingerprints and the bits that
differ, the cosine and the Jaccard similarity of their features, exactly and as estimated from
fingerprints and MinHash signatures, and the features that weigh most in both and that differ most.

   simsearch compare draft.txt final.txt
   simsearch compare --index idx draft.txt final.txt     with the settings of an index`,
		Flags: slices.Concat([]cli.Flag{
			options.IndexFlag(),
			&cli.IntFlag{Name: "top", Category: options.OutputGroup, Value: 10, Usage: "list `N` features each way"},
		}, options.SettingsFlags(), options.CorpusFlags(), options.CommonFlags()),
		Action: func(c *cli.Context) error { return runCompare(env, c) },
	}
}

func runCompare(env *environment, c *cli.Context) (err error) {
	o, err := options.CommonOf(c, env.errIsTerminal)
	if err != nil {
		return err
	}
	if c.Args().Len() != 2 {
		return fmt.Errorf("compare takes two files, but was given %d", c.Args().Len())
	}
	if c.IsSet("files-from") {
		return errors.New("compare takes two files as arguments, and no --files-from")
	}
	if c.Int("top") < 0 {
		return fmt.Errorf("--top %d: want 0 or more", c.Int("top"))
	}
	s, err := options.ComparedSettings(c)
	if err != nil {
		return err
	}
	var a *analysis.Analysis
	if dir := c.String("index"); dir == "" {
		a, err = analysis.New(s)
		if err == nil && a.Learns() {
			err = analysis.ErrNotLearnt
		}
	} else {
		var ix *index.Snapshot
		if ix, err = index.Open(dir); err == nil {
			defer func() { err = errors.Join(err, ix.Close()) }()
			a = ix.Analysis()
		}
	}
	if err != nil {
		return err
	}
	var texts [2]explain.Text
	for i := range texts {
		if texts[i], err = env.countFeatures(c, c.Args().Get(i), a); err != nil {
			return err
		}
	}
	compared, err := explain.Compare(a, texts[0], texts[1], c.Int("top"))
	if err != nil {
		return err
	}
	if o.JSON {
		compared.A.ID, compared.B.ID = idtext.String.Text(compared.A.ID), idtext.String.Text(compared.B.ID)
		return env.printObject(struct {
			V int `json:"v"`
			explain.Comparison
		}{1, compared})
	}
	return results.PrintComparison(env.stdout, compared)
}

var errFingerprintsAlone = errors.New("compare reads texts: fingerprints alone have no features; near --fingerprint finds their distance")

// countFeatures reads a file as one document and counts its features.
func (env *environment) countFeatures(c *cli.Context, path string, a *analysis.Analysis) (explain.Text, error) {
	var text, none explain.Text
	how, err := env.corpusOptions(c, analysis.Default().Bits)
	if err != nil {
		return none, err
	}
	if how.Format == corpus.Fingerprints {
		return none, errFingerprintsAlone
	}
	how.Lenient = false // one document, which must be good
	r, err := corpus.Open([]string{path}, how)
	if err != nil {
		return none, err
	}
	defer r.Close() // opened for reading
	for doc, err := range r.Documents() {
		switch {
		case text.Features != nil:
			return none, fmt.Errorf("%s holds more than one document; compare takes files of one", filepath.ToSlash(path))
		case err != nil:
			return none, err
		}
		if doc.HasFingerprint {
			return none, errFingerprintsAlone
		}
		text = explain.NewText(a, string(doc.ID), doc.Text)
		if len(text.Set) == 0 {
			return none, fmt.Errorf("%s has no features: no words are left of it, and it is near nothing", text.ID)
		}
	}
	if text.Features == nil {
		return none, fmt.Errorf("%s holds no document", path)
	}
	return text, nil
}
