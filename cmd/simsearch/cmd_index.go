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

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/intake"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
	"simsearch/preprocess"
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
   simsearch index --index idx --mode minhash --features word:3 articles/

The settings (--mode to --hash) are stored in the index and hold for all that is added later.`,
		Flags: slices.Concat([]cli.Flag{
			indexFlag(),
			explainFlag(),
			&cli.IntFlag{Name: "plan-k", Value: index.DefaultDistance, Usage: "plan the tables for queries within `N` bits; others are answered exactly, too"},
			&cli.StringFlag{Name: "plan-jaccard", Usage: "plan the bands for a Jaccard similarity of `T`; others can be asked for, too", DefaultText: "0.8"},
			recallFlag(),
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
	options, err := planOptions(c, want)
	if err != nil {
		return err
	}
	r, err := env.openDocuments(c, o, dir, want.Bits)
	if err != nil {
		return err
	}
	var in *intake.Intake // set when learning is done
	if c.Bool("explain-plan") {
		options.Explain = func(design, why string) { in.Meter.Print("simsearch: " + design + ": " + why) }
	}
	options.Threads = o.threads
	options.TableBytes = float64(o.memory) // tables that stay in memory are searched fast
	options.FeaturesInMemory = int(o.memory / 256)
	options.Phase = func(what string) { in.Meter.Phase(what) }
	options.Aside = func(name string) {
		fmt.Fprintf(env.stderr, "simsearch: %s in %s is named by no %s: an older one has been put back? It is moved to %s\n", name, dir, index.ManifestName, filepath.Join(dir, index.AsideName))
	}
	options.Refused = func(id []byte, why string) { in.Report(fmt.Sprintf("%s: %s", terminal.Plain(string(id)), why)) }
	w, err := index.OpenWriter(dir, want, options)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	committed := false
	defer func() {
		closeErr := w.Close()
		if committed && closeErr != nil { // the documents are there, whatever happened to the lock
			fmt.Fprintln(env.stderr, "simsearch: "+oneLine(closeErr))
			closeErr = nil
		}
		err = errors.Join(err, closeErr)
	}()
	var learning time.Duration
	if w.Learns() {
		err := intake.ReadOnce(r, "weights tfidf are learnt from the documents before these are indexed")
		if err == nil {
			learning, err = learn(env, c, o, want.Bits, w)
		}
		if err != nil {
			return errors.Join(err, r.Close())
		}
	}
	in = env.inputs().Start(r, o.progress, "indexing")
	added, err := ingest(c, w, in)
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	committed = true
	return reportIndexed(env, c, o, w, in, learning, added)
}

// planOptions returns the options that the tables and bands are planned for.
func planOptions(c *cli.Context, s analysis.Settings) (o index.WriterOptions, err error) {
	preset, named, err := presetOf(c)
	if err != nil {
		return o, err
	}
	o.Distance = index.DefaultDistance
	if named {
		o.Distance = preset.k
		o.Search = analysis.Search{Preset: c.String("preset"), Distance: preset.k}
	}
	if commandline.Has(c, "plan-k") {
		o.Distance = c.Int("plan-k")
	}
	if o.Distance < 1 || o.Distance >= s.Bits {
		return o, fmt.Errorf("--plan-k %d: want a number of bits from 1 to %d", o.Distance, s.Bits-1)
	}
	if !s.Sets() && (c.IsSet("plan-jaccard") || c.IsSet("recall")) {
		return o, errors.New("--plan-jaccard and --recall are about bands: they want --mode minhash or both")
	}
	if s.Sets() && c.String("format") == corpus.Fingerprints.String() {
		return o, fmt.Errorf("fingerprints have no features, which mode %s wants: make an index of them alone, with --preset classic", s.Mode)
	}
	if o.Threshold, err = commandline.Share(c, "plan-jaccard", index.DefaultThreshold, true); err != nil {
		return o, err
	}
	o.Recall, err = commandline.Share(c, "recall", 0, false)
	return o, err
}

// wantedSettings returns the settings of the index in dir, with those that the flags give. Without
// an index it starts from the defaults.
func wantedSettings(c *cli.Context, dir string) (analysis.Settings, error) {
	base := analysis.Default()
	switch {
	case c.String("format") == corpus.Sets.String():
		items := preprocess.FeatureSpec{Kind: preprocess.Items}
		base.Features, base.Language, base.SetFeatures = items, preprocess.NoLanguage, items
		commandline.IgnoreConfigured(c, "preset", "features", "lang")
	case c.String("format") == corpus.Fingerprints.String(), c.IsSet("fingerprint-field"),
		slices.ContainsFunc(c.Args().Slice(), corpus.IsFingerprints):
		base = analysis.Classic()
		commandline.IgnoreConfigured(c, "preset", "mode", "features", "weights", "lang", "perms", "seed")
	}
	if _, err := os.Stat(filepath.Join(dir, index.ManifestName)); !errors.Is(err, fs.ErrNotExist) {
		stored, err := index.ReadSettings(dir)
		if err != nil {
			return base, err
		}
		base = stored
		ignoreConfiguredSettings(c)
	}
	return settings(c, base)
}

// learn reads all documents once before they are indexed, for weights that depend on how rare
// features are. It returns the time that this took. Bad documents are reported later, when they are
// indexed.
func learn(env *environment, c *cli.Context, o common, bits int, w *index.Writer) (time.Duration, error) {
	r, err := env.openCorpus(c, bits)
	if err != nil {
		return 0, err
	}
	in := env.inputs().Start(r, o.progress, "learning")
	in.Silent = true
	err = errors.Join(w.Learn(c.Context, in.Documents()), in.Close())
	return in.Meter.Elapsed(), err
}

// ingest reads all documents and commits them.
func ingest(c *cli.Context, w *index.Writer, in *intake.Intake) (index.Result, error) {
	if err := w.Ingest(c.Context, in.Documents()); err != nil {
		return index.Result{}, err
	}
	return w.Commit(c.Context)
}

func reportIndexed(env *environment, c *cli.Context, o common, w *index.Writer, in *intake.Intake, learning time.Duration, r index.Result) error {
	read, _ := in.Reader.Progress()
	if o.json {
		err := env.newRows(true).Print(
			col("added", r.Added), col("empty", r.Empty), col("unchanged", r.Unchanged),
			col("bad", in.Bad), col("binary_files", in.Reader.Binary()), col("bytes", read))
		if err != nil {
			return err
		}
	} else if !o.quiet {
		fmt.Fprintln(env.stderr, results.Indexed{
			Result: r, Bad: in.Bad, Binary: in.Reader.Binary(), Bytes: read, Learning: learning, Indexing: in.Meter.Elapsed(),
		})
	}
	if err := badDocuments(c, in); err != nil {
		return err
	}
	if w.New() {
		return fmt.Errorf("%w: the input has no documents, and no index was made", errNothing)
	}
	return nil
}
