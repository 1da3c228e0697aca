package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/progress"
)

func indexCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:      "index",
		Usage:     "create an index, or add documents to it",
		ArgsUsage: "INPUT...",
		Description: `Reads files, directories (recursively) or - for standard input, and adds each document
to the index, which is created where there is none. A document whose id and text are in the
index already is passed over, so that indexing a directory again adds what is new.

   simsearch index --index idx articles/ more.jsonl.gz

The settings (--mode to --hash) are stored in the index and hold for all that is added later.`,
		Flags: slices.Concat([]cli.Flag{
			indexFlag(),
			explainFlag(),
			&cli.IntFlag{Name: "plan-k", Value: index.DefaultDistance, Usage: "plan the tables for queries within `N` bits; others are answered exactly, too"},
		}, settingsFlags(), corpusFlags(), commonFlags()),
		Action: func(c *cli.Context) error { return runIndex(env, c) },
	}
}

func runIndex(env *environment, c *cli.Context) (err error) {
	o, err := env.common(c)
	if err != nil {
		return err
	}
	dir, err := indexDir(c)
	if err != nil {
		return err
	}
	want, err := wantedSettings(c, dir)
	if err != nil {
		return err
	}
	if err := want.Validate(); err != nil {
		return err
	}
	planned, err := presetOf(c)
	if err != nil {
		return err
	}
	k := planned.k
	if c.IsSet("plan-k") {
		k = c.Int("plan-k")
	}
	if k < 1 || k >= want.Bits {
		return fmt.Errorf("--plan-k %d: want a number of bits from 1 to %d", k, want.Bits-1)
	}
	r, err := env.openCorpus(c, want.Bits)
	if err != nil {
		return err
	}
	in := env.newIntake(r, o, "indexing")
	var explain func(design, why string)
	if c.Bool("explain-plan") {
		explain = func(design, why string) { in.meter.Print("simsearch: " + design + ": " + why) }
	}
	w, err := index.OpenWriter(dir, want, index.WriterOptions{
		Threads:    o.threads,
		Distance:   k,
		TableBytes: float64(o.memory), // tables are searched fast where they stay in memory
		Explain:    explain,
		Phase:      in.meter.Phase,
		Refused:    func(id []byte, why string) { in.report(fmt.Sprintf("%s: %s", plain(string(id)), why)) },
	})
	if err != nil {
		return errors.Join(err, in.close())
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if w.Learns() {
		if err := learn(env, c, o, want.Bits, w); err != nil {
			return errors.Join(err, in.close())
		}
	}
	added, err := ingest(c, w, in)
	if closeErr := in.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return reportIndexed(env, c, o, w, in, added)
}

// wantedSettings returns the settings of the index in dir, or the defaults, with
// those that the flags give.
func wantedSettings(c *cli.Context, dir string) (index.Settings, error) {
	base := index.DefaultSettings()
	if c.String("format") == corpus.Sets.String() {
		base.Features, base.Language = "items", "none"
	}
	if _, err := os.Stat(filepath.Join(dir, index.ManifestName)); !errors.Is(err, fs.ErrNotExist) {
		stored, err := index.ReadSettings(dir)
		if err != nil {
			return base, err
		}
		base = stored
	}
	return settings(c, base)
}

// learn reads all documents once before they are indexed, for weights that depend on how
// rare features are. What is bad about them is told when they are indexed.
func learn(env *environment, c *cli.Context, o common, bits int, w *index.Writer) error {
	if slices.Contains(c.Args().Slice(), "-") {
		return errors.New("weights tfidf are learnt from the documents before these are indexed, and standard input can be read only once: write it to a file first")
	}
	r, err := env.openCorpus(c, bits)
	if err != nil {
		return err
	}
	in := env.newIntake(r, o, "learning")
	in.silent = true
	return errors.Join(w.Learn(c.Context, in.forIndex()), in.close())
}

// ingest reads all documents and commits them.
func ingest(c *cli.Context, w *index.Writer, in *intake) (index.Result, error) {
	if err := w.Ingest(c.Context, in.forIndex()); err != nil {
		return index.Result{}, err
	}
	return w.Commit(c.Context)
}

func reportIndexed(env *environment, c *cli.Context, o common, w *index.Writer, in *intake, r index.Result) error {
	read, _ := in.r.Progress()
	if o.json {
		err := env.newRows(true).print(
			column{"added", r.Added}, column{"empty", r.Empty}, column{"unchanged", r.Unchanged},
			column{"bad", in.bad}, column{"binary_files", in.r.Binary()}, column{"bytes", read})
		if err != nil {
			return err
		}
	} else if !o.quiet {
		elapsed := in.meter.Elapsed().Round(10 * time.Millisecond)
		fmt.Fprintf(env.stderr, "added %s from %s in %v", plural(r.Added, "document"), progress.Bytes(read), elapsed)
		for _, also := range []struct {
			n    int
			text string
		}{
			{r.Empty, "%s of them without features, near nothing"},
			{r.Unchanged, "%s unchanged"},
			{in.bad, "%s bad and left out"},
			{in.r.Binary(), "%s binary files passed over"},
		} {
			if also.n > 0 {
				fmt.Fprintf(env.stderr, "; "+also.text, thousands(also.n))
			}
		}
		fmt.Fprintln(env.stderr)
	}
	if err := in.result(c.Bool("skip-bad")); err != nil {
		return err
	}
	if w.New() {
		return fmt.Errorf("%w: the input has no documents, and no index was made", errNothing)
	}
	return nil
}
