package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/explain"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/idtext"
	"simsearch/internal/options"
	"simsearch/internal/results"
)

func compareCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:      "compare",
		Usage:     "say how near two documents are, and why",
		ArgsUsage: "A B",
		Description: `Compares two documents: the distance of their fingerprints and the bits that differ, the cosine
and the Jaccard similarity of their features, exactly and as estimated from fingerprints and MinHash
signatures, the features that weigh most in both and that differ most, and the passages in which the
texts differ: [-what A has-] {+what B has+}.

A and B are files, each one document. With --index, the settings are those of the index, and what is
no file is the id of a document of the index or, if only one id ends in it, the end of an id behind a
slash or from a number sign on. A line on standard error says what was taken.

With --k, --similarity, --jaccard or --cosine, a line says whether the two are as near, the key near of
JSON does, and the exit status is 1 if they are not.

The keys of JSON, on one line, are v (1), a and b (with id, features, distinct and fingerprint), bits,
distance, differing_bits, similarity (the share of equal bits), cosine, jaccard, a_in_b and b_in_a
(each with exact and estimate), jaccard_standard_error, jaccard_low and jaccard_high (where the
similarity lies by the estimate, with a confidence of 95 %), shared (the number of features that both
have), heaviest_shared and heaviest_differing (lists with feature, a and b), a_title and b_title,
differences (a list with before, a, b and after), more_differences (the number of those left out)
and remarks.

   simsearch compare draft.txt final.txt
   simsearch compare --index idx draft.txt final.txt     with the settings of an index
   simsearch compare --cosine 0.9 draft.txt final.txt    status 0 if they are as near
   simsearch compare --idf articles/ draft.txt final.txt
   simsearch compare --index idx news#1 news#17          two documents of the index`,
		Flags: slices.Concat([]cli.Flag{
			c.Index.As("index", options.IndexUsage).Env(options.IndexVariable),
			c.KFlag(), c.SimilarityFlag(), c.JaccardFlag(), c.CosineFlag(),
			c.IDF.As("idf", "weigh features by TF-IDF, their rarity learnt from the documents of `INPUT`, or read from an index with weights tfidf, or its .idf file").In(options.SettingsGroup),
			c.Top.As("top", "list `N` features each way, and N differing passages").Or(10).By(commandline.AtLeast(0, "0 or more")).In(options.OutputGroup),
		}, c.SettingsFlags(), c.CorpusFlags(), c.CommonFlags()),
		Action: env.action(c, runCompare),
	}
}

func runCompare(env *environment, c *options.Flags) (err error) {
	if len(c.Args) != 2 {
		return fmt.Errorf("compare takes two documents, but was given %d", len(c.Args))
	}
	if c.FilesFrom.Given {
		return errors.New("compare takes two documents as arguments, and no --files-from")
	}
	s, err := options.ComparedSettings(c)
	if err != nil {
		return err
	}
	var a *analysis.Analysis
	var ix *index.Snapshot
	if c.IDF.Given && (c.Weights.Given && c.Weights.Value != fingerprint.TFIDF) {
		return fmt.Errorf("--idf makes weights tfidf, and excludes --weights %s", c.Weights.Value)
	}
	dir := c.Index.Value
	switch {
	case c.IDF.Given && dir != "":
		return errors.New("--idf and --index exclude each other: an index has the weights that its documents were given")
	case c.IDF.Given:
		a, err = env.analysisWithIDF(c, s)
	case dir == "":
		a, err = analysis.New(s)
		if err == nil && a.Learns() {
			err = analysis.ErrNotLearnt
		}
	default:
		if ix, err = index.Open(dir); err == nil {
			defer func() { err = errors.Join(err, ix.Close()) }()
			a = ix.Analysis()
		}
	}
	if err != nil {
		return err
	}
	wanted, asked, err := options.Given(c, s.Bits)
	if err != nil {
		return err
	}
	sides, err := env.comparedTexts(c, ix)
	if err != nil {
		return err
	}
	var texts [2]explain.Text
	for i, side := range sides {
		texts[i] = explain.Text{ID: side.id, Text: []byte(side.text)}
		if len(explain.CountSet(a, texts[i].Text)) == 0 {
			return fmt.Errorf("%s has no features: no words are left of it, and it is near nothing", side.id)
		}
	}
	compared, err := explain.Compare(a, texts[0], texts[1], c.Top.Value)
	if err != nil {
		return err
	}
	var verdict *bool
	var status error // errNothing if they are not as near as wanted
	if asked {
		near := isNear(compared, wanted)
		if verdict = &near; !near {
			status = errNothing
		}
	}
	shower := results.Shower{Style: env.style(), Limit: c.Top.Value}
	shower.Style.Indent = "  "
	shown := shower.Two(sides[0].text, sides[1].text)
	if c.Common.JSON {
		compared.A.ID, compared.B.ID = idtext.String.Text(compared.A.ID), idtext.String.Text(compared.B.ID)
		err := env.printObject(struct {
			V int `json:"v"`
			explain.Comparison
			Near *bool `json:"near,omitempty"`
			results.ShownObject
		}{1, compared, verdict, shown.Object()})
		return errors.Join(err, status)
	}
	if err := results.PrintComparison(env.stdout, compared); err != nil {
		return err
	}
	if asked {
		fmt.Fprintf(env.stdout, "\n%s: wanted is %s\n", map[bool]string{true: "near", false: "not near"}[*verdict], wanted)
	}
	return errors.Join(shower.PrintBelow(env.stdout, shown), status)
}

// isNear reports whether two documents are as near as wanted.
func isNear(c explain.Comparison, wanted options.Wanted) bool {
	return (wanted.Distance < 0 || c.Distance != explain.NoDistance && c.Distance <= wanted.Distance) &&
		c.Jaccard.Exact >= wanted.Jaccard && c.Cosine.Exact >= wanted.Cosine
}
