package main

import (
	"errors"
	"fmt"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
)

func compareCommand(t *task) *cli.Command {
	return t.command("compare", runCompare, []cli.AnyFlag{
		t.Index.As("index", cli.IndexUsage).Env(cli.IndexVariable).Once(),
		t.Limit.As("limit", "list `N` features each way, and N differing passages").Or(results.UsualTop).By(cli.AtLeast(0, "0 or more")).In(cli.OutputGroup),
		t.Cosine.As("cosine", "near is a cosine of the weighted words of at least `T`").By(cli.Share),
	}, t.KindFlags(), t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
}

func runCompare(t *task) error {
	err := cli.Mistakes{
		{len(t.Args) != 2, fmt.Sprintf("compare takes two documents, but was given %d", len(t.Args))},
		{len(t.Args) == 2 && t.Args[0] == "-" && t.Args[1] == "-", "compare: standard input is one of the two documents: name a file as the other"},
		{t.Cosine.Given && cli.FirstGiven(&t.K, &t.Jaccard, &t.Copy, &t.Contained) != "", "--cosine excludes --" + cli.FirstGiven(&t.K, &t.Jaccard, &t.Copy, &t.Contained) + ": near is by one or by the other"},
		{t.FilesFrom.Given, "compare takes two documents as arguments, and no --files-from"},
	}.First()
	if err != nil {
		return err
	}
	s, err := t.ComparedSettings()
	if err != nil {
		return err
	}
	if t.Index.Value != "" {
		return t.withIndex(func(ix *index.Snapshot) error { return t.compare(ix.Analysis(), ix) })
	}
	a, err := analysis.New(s)
	if err == nil && a.Learns() {
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
	how, err := t.CorpusOptions(a.Settings().Bits)
	if err != nil {
		return err
	}
	texts, err := intake.Compared(t.Context, [2]string(t.Args), ix, how, t.tell)
	if err != nil {
		return err
	}
	c, err := results.Compare(a, texts, t.Limit.Value)
	if err != nil {
		return err
	}
	if texts[0].Given != nil && (asked || t.Cosine.Given) {
		if err := c.Within(wanted); err != nil {
			return err
		}
	} else if t.Cosine.Given {
		c.Want(c.Cosine.Exact >= t.Cosine.Value, fmt.Sprintf("a cosine of at least %v", t.Cosine.Value))
	} else if asked {
		measures, err := wanted.Kind.Measure(a, texts[0].Text, texts[1].Text)
		if err != nil {
			return err
		}
		c.Want(wanted.Reached(&measures), wanted.String())
	}
	if style := t.style(); t.JSON.Value {
		err = t.printObject(c.Object())
	} else {
		style.Indent = "  "
		err = c.Print(t.stdout, style)
	}
	if c.IsFar() {
		err = errors.Join(err, errNothing)
	}
	return err
}
