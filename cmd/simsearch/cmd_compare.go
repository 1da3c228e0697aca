package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/explain"
	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/terminal"
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
			indexFlag(),
			&cli.IntFlag{Name: "top", Category: outputGroup, Value: 10, Usage: "list `N` features each way"},
		}, settingsFlags(), corpusFlags(), commonFlags()),
		Action: func(c *cli.Context) error { return runCompare(env, c) },
	}
}

func runCompare(env *environment, c *cli.Context) (err error) {
	o, err := env.common(c)
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
	s, err := compareSettings(c)
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
	if o.json {
		compared.A.ID, compared.B.ID = idtext.String.Text(compared.A.ID), idtext.String.Text(compared.B.ID)
		return env.printObject(struct {
			V int `json:"v"`
			explain.Comparison
		}{1, compared})
	}
	return printComparison(env.stdout, compared)
}

// compareSettings returns the settings of the index that the flags name, or else those that the
// flags give. Flags that contradict the index are an error.
func compareSettings(c *cli.Context) (analysis.Settings, error) {
	base := analysis.Default()
	if c.String("index") == "" {
		return settings(c, base)
	}
	stored, err := index.ReadSettings(c.String("index"))
	if err != nil {
		return base, err
	}
	ignoreConfiguredSettings(c)
	want, err := settings(c, stored)
	if err != nil {
		return stored, err
	}
	return stored, stored.Check(want)
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

func printComparison(out io.Writer, c explain.Comparison) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\tA\tB\n")
	fmt.Fprintf(w, "document\t%s\t%s\n", terminal.Plain(c.A.ID), terminal.Plain(c.B.ID))
	fmt.Fprintf(w, "features\t%s, %s distinct\t%s, %s distinct\n",
		terminal.Thousands(int(c.A.Features)), terminal.Thousands(c.A.Distinct), terminal.Thousands(int(c.B.Features)), terminal.Thousands(c.B.Distinct))
	fmt.Fprintf(w, "fingerprint\t%s\t%s\n", cmp.Or(c.A.Fingerprint, "none"), cmp.Or(c.B.Fingerprint, "none"))
	if err := w.Flush(); err != nil {
		return err
	}
	bits := "none"
	if len(c.Differ) > 0 {
		bits = strings.Trim(fmt.Sprint(c.Differ), "[]")
	}
	if c.Distance == explain.NoDistance {
		fmt.Fprintf(w, "\ndistance\tnone\t(of some text, all words are stop words, which fingerprints leave out)\n")
		fmt.Fprintf(w, "\n\texact\testimate\n")
	} else {
		fmt.Fprintf(w, "\ndistance\t%d of %d bits\t(differing: %s)\n", c.Distance, c.Bits, bits)
		fmt.Fprintf(w, "similarity\t%.4f\t(share of equal bits)\n", c.Similarity)
		fmt.Fprintf(w, "\n\texact\testimate\n")
		fmt.Fprintf(w, "cosine\t%.4f\t%.4f\tfrom the distance, cos(π·d/%d)\n", c.Cosine.Exact, c.Cosine.Estimate, c.Bits)
	}
	fmt.Fprintf(w, "Jaccard\t%.4f\t%.4f\tfrom MinHash signatures, ± %.4f\n", c.Jaccard.Exact, c.Jaccard.Estimate, c.JaccardError)
	fmt.Fprintf(w, "A in B\t%.4f\t%.4f\tfrom that and the sizes: the share of A's features that B has\n", c.AInB.Exact, c.AInB.Estimate)
	fmt.Fprintf(w, "B in A\t%.4f\t%.4f\n", c.BInA.Exact, c.BInA.Estimate)
	if err := w.Flush(); err != nil {
		return err
	}
	printWeights(w, fmt.Sprintf("heaviest of %s", terminal.Plural(c.Shared, "shared feature")), c.Heaviest)
	printWeights(w, "features that differ most", c.Differing)
	return w.Flush()
}

func printWeights(w io.Writer, title string, features []explain.Weights) {
	if len(features) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\tA\tB\n", title)
	for _, f := range features {
		fmt.Fprintf(w, "  %s\t%.3g\t%.3g\n", terminal.Plain(f.Feature), f.A, f.B)
	}
}
