package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/explain"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/disk"
	"simsearch/internal/idtext"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func compareCommand(t *task) *cli.Command {
	return t.command("compare", runCompare, []cli.Flag{
		t.Index.As("index", options.IndexUsage).Env(options.IndexVariable).Once(),
		t.KFlag(), t.EqualBitsFlag(), t.JaccardFlag(), t.CosineFlag(),
		t.IDF.As("idf", "weigh features by TF-IDF, their rarity learnt from the documents of `INPUT`, or read from an index with weights tfidf, or its .idf file").In(options.SettingsGroup),
		t.Top.As("top", "list `N` features each way, and N differing passages").Or(10).By(commandline.AtLeast(0, "0 or more")).In(options.OutputGroup),
	}, t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
}

func runCompare(t *task) error {
	weights, dir := t.Weights, t.Index.Value
	err := commandline.Mistakes{
		{len(t.Args) != 2, fmt.Sprintf("compare takes two documents, but was given %d", len(t.Args))},
		{t.FilesFrom.Given, "compare takes two documents as arguments, and no --files-from"},
		{t.IDF.Given && weights.Given && weights.Value != fingerprint.TFIDF, fmt.Sprintf("--idf makes weights tfidf, and excludes --weights %s", weights.Value)},
		{t.IDF.Given && dir != "", "--idf and --index exclude each other: an index has the weights that its documents were given"},
	}.First()
	if err != nil {
		return err
	}
	s, err := t.ComparedSettings()
	if err != nil {
		return err
	}
	if dir != "" {
		return t.withIndex(func(ix *index.Snapshot) error { return t.compare(ix.Analysis(), ix) })
	}
	var a *analysis.Analysis
	if t.IDF.Given {
		a, err = t.analysisWithIDF(s)
	} else if a, err = analysis.New(s); err == nil && a.Learns() {
		err = analysis.ErrNotLearnt
	}
	if err != nil {
		return err
	}
	return t.compare(a, nil)
}

// compare compares the documents of the arguments, which may be of ix if it is not nil.
func (t *task) compare(a *analysis.Analysis, ix *index.Snapshot) error {
	wanted, asked, err := t.Wanted(a.Settings().Bits)
	if err != nil {
		return err
	}
	sides, err := t.comparedTexts(ix)
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
	compared, err := explain.Compare(a, texts[0], texts[1], t.Top.Value)
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
	shower := results.Shower{Style: t.style(), Limit: t.Top.Value}
	shower.Style.Indent = "  "
	shown := shower.Two(sides[0].text, sides[1].text)
	if t.JSON.Value {
		compared.A.ID, compared.B.ID = idtext.String.Text(compared.A.ID), idtext.String.Text(compared.B.ID)
		err := t.printObject(struct {
			V int `json:"v"`
			explain.Comparison
			Near *bool `json:"near,omitempty"`
			results.ShownObject
		}{1, compared, verdict, shown.Object()})
		return errors.Join(err, status)
	}
	if err := results.PrintComparison(t.stdout, compared); err != nil {
		return err
	}
	if asked {
		fmt.Fprintf(t.stdout, "\n%s: wanted is %s\n", map[bool]string{true: "near", false: "not near"}[*verdict], wanted)
	}
	return errors.Join(shower.PrintBelow(t.stdout, shown), status)
}

// isNear reports whether two documents are as near as wanted.
func isNear(c explain.Comparison, wanted options.Wanted) bool {
	return (wanted.Distance < 0 || c.Distance != explain.NoDistance && c.Distance <= wanted.Distance) &&
		c.Jaccard.Exact >= wanted.Jaccard && c.Cosine.Exact >= wanted.Cosine
}

// A comparedText is one of the two texts that compare takes.
type comparedText struct{ id, text string }

// comparedTexts returns the texts that the arguments name: files or, if there is an index, also documents of
// it. It says what it took where both are possible.
func (t *task) comparedTexts(ix *index.Snapshot) (sides [2]comparedText, err error) {
	how, err := t.corpusOptions(analysis.Default().Bits)
	if err != nil {
		return sides, err
	}
	var taken [2]string
	for i := range sides {
		side, name := &sides[i], t.Args[i]
		_, missing := os.Stat(name)
		if ix == nil || name == "-" || !errors.Is(missing, fs.ErrNotExist) {
			if side.id, side.text, err = intake.One(name, how); err != nil {
				return sides, err
			}
			if ix == nil {
				continue
			}
			_, known, err := ix.Find([]byte(side.id))
			if err != nil {
				return sides, err
			}
			if known {
				taken[i] = "read from the file; the index has a document of this id, too"
			}
			continue
		}
		texts, err := intake.OpenTexts(t.Context, ix)
		if err != nil {
			return sides, err
		}
		side.id, side.text, err = results.Named(ix, texts, name)
		if err = errors.Join(err, texts.Close()); err != nil {
			return sides, err
		}
		taken[i] = "a document of the index"
	}
	for i, what := range taken {
		if what != "" {
			t.tell("%s is %s", terminal.Plain(sides[i].id), what)
		}
	}
	return sides, nil
}

// analysisWithIDF returns the analysis for settings whose weights are tfidf, by the rarity of features that --idf
// names: an index, its file of weights, or documents to learn from.
func (t *task) analysisWithIDF(s analysis.Settings) (*analysis.Analysis, error) {
	s.Weights = fingerprint.TFIDF
	a, err := analysis.New(s.Canonical())
	if err != nil {
		return nil, err
	}
	path := t.IDF.Value
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
	how, err := t.corpusOptions(s.Bits)
	if err != nil {
		return nil, err
	}
	r, err := corpus.Open([]string{path}, how)
	if err != nil {
		return nil, fmt.Errorf("--idf: %w", err)
	}
	in := t.inputs().Start(r, t.Progress.Value, "learning")
	l := fingerprint.IDFLearner{Dir: os.TempDir(), Disk: disk.OS, FeaturesInMemory: int(t.Memory.Value / 256)}
	defer func() { _ = l.Close() }() // losing a temporary file does no harm
	err = errors.Join(a.Learn(t.Context, in.Documents(), t.Threads.Value, &l), in.Close())
	if err != nil {
		return nil, err
	}
	learnt, err := l.IDF(t.Context)
	if err != nil {
		return nil, err
	}
	if learnt.Documents() == 0 {
		return nil, fmt.Errorf("--idf %s: there are no documents to learn from", path)
	}
	t.tell("weights are learnt from %s of %s", terminal.Plural(int(learnt.Documents()), "document"), filepath.Clean(path))
	return a.WithIDF(learnt), nil
}
