package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"

	"simsearch/internal/analysis"
	"simsearch/internal/commandline"
	"simsearch/internal/explain"
	"simsearch/internal/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func compareCommand(t *task) *cli.Command {
	return t.command("compare", runCompare, []cli.Flag{
		t.Index.As("index", options.IndexUsage).Env(options.IndexVariable).Once(),
		t.Top.As("top", "list `N` features each way, and N differing passages").Or(10).By(commandline.AtLeast(0, "0 or more")).In(options.OutputGroup),
	}, t.KindFlags(false), t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
}

func runCompare(t *task) error {
	err := commandline.Mistakes{
		{len(t.Args) != 2, fmt.Sprintf("compare takes two documents, but was given %d", len(t.Args))},
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
		measures, err := wanted.Kind.Measure(a, texts[0].Text, texts[1].Text)
		if err != nil {
			return err
		}
		near := wanted.Reached(&measures)
		if verdict = &near; !near {
			status = errNothing
		}
	}
	shower := results.Shower{Style: t.style(), Limit: t.Top.Value, Moves: true}
	shower.Style.Indent = "  "
	shown := shower.Two(sides[0].text, sides[1].text)
	if t.JSON.Value {
		err := t.printObject(results.ComparisonObject(compared, verdict, shown))
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
		if side.id, side.text, err = t.textOf(ix, name); err != nil {
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

// textOf returns the id and the text of the document of an index that a user names.
func (t *task) textOf(ix *index.Snapshot, name string) (id, text string, err error) {
	texts, err := intake.OpenTexts(t.Context, ix)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, texts.Close()) }()
	return results.TextOf(ix, texts, name)
}
