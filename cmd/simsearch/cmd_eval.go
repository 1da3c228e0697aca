package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/eval"
	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/progress"
)

func evalCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:      "eval",
		Usage:     "measure false positives and negatives on a collection, and say what to choose",
		ArgsUsage: "INPUT...",
		Description: `Reads a collection, finds out by exact comparison which of its pairs are near, and measures what
fingerprints and signatures make of it, with intervals of 95 %. Labels that you have count, too:
--truth FILE has an object a line, {"a": ID, "b": ID}, with "label": 0 for a pair that is not near,
or {"cluster": [ID, …]}.

   simsearch eval --out report articles/
   simsearch eval --truth labels.jsonl --recommend --min-precision 0.9 articles.jsonl
   simsearch eval --experiment biswas articles/

Experiments:
` + experimentList(),
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "truth", Usage: "labels are in `FILE`"},
			&cli.StringFlag{Name: "truth-features", Usage: "exact Jaccard similarity, the truth without labels, is of `KIND` of features: words, word:N or char:N", DefaultText: "word:3, or the items of sets"},
			&cli.StringFlag{Name: "floor", Usage: "find all pairs of an exact Jaccard similarity of `T` or more", DefaultText: "0.5"},
			&cli.IntFlag{Name: "sample", Usage: "evaluate `N` documents drawn by the seed, each with all others", DefaultText: "all, or 10,000 of more than 300,000"},
			&cli.StringFlag{Name: "experiment", Usage: "run the experiments `NAMES`, with commas between, or all", DefaultText: "the usual ones"},
			&cli.BoolFlag{Name: "recommend", DisableDefaultText: true, Usage: "try several settings and say which to use"},
			&cli.StringFlag{Name: "min-precision", Usage: "recommend what has a precision of `P` or more"},
			&cli.StringFlag{Name: "min-recall", Usage: "recommend what has a recall of `R` or more"},
			&cli.StringFlag{Name: "protocol", Usage: "score by the `PROTOCOL` of others: core (INPUT has records of the CORE dataset) or news-copy (--truth has clusters)"},
			&cli.StringFlag{Name: "out", Usage: "write report.json, report.md, report.html and plots into `DIR`"},
		}, settingsFlags(), corpusFlags(), commonFlags()),
		Action: func(c *cli.Context) error { return runEval(env, c) },
	}
}

func experimentList() string {
	var b strings.Builder
	for _, e := range eval.Experiments() {
		fmt.Fprintf(&b, "   %-10s %s\n", e.Name, e.About)
	}
	return b.String()
}

func runEval(env *environment, c *cli.Context) error {
	o, err := env.common(c)
	if err != nil {
		return err
	}
	if !c.Args().Present() {
		return errors.New("no input: name files or directories")
	}
	if slices.Contains(c.Args().Slice(), "-") {
		return errors.New("eval reads its input several times: write standard input to a file first")
	}
	if path := c.String("truth"); path != "" { // before a long time is spent on the rest
		if err := withFile(path, func(io.Reader) error { return nil }); err != nil {
			return err
		}
	}
	e := &evaluation{env: env, c: c, o: o}
	var report *eval.Report
	switch protocol := c.String("protocol"); {
	case protocol == "core":
		report, err = e.core()
	case protocol == "news-copy":
		report, err = e.newsCopy()
	case protocol != "":
		err = fmt.Errorf("unknown protocol %q: want core or news-copy", protocol)
	case c.Bool("recommend"):
		report, err = e.recommend()
	case c.IsSet("min-precision") || c.IsSet("min-recall"):
		err = errors.New("--min-precision and --min-recall are what --recommend is to reach")
	default:
		report, err = e.experiments()
	}
	if err != nil {
		return err
	}
	return e.publish(report)
}

// An evaluation is one run of eval.
type evaluation struct {
	env *environment
	c   *cli.Context
	o   common
	bad int
}

// publish prints a report, and writes it to files if so wanted.
func (e *evaluation) publish(r *eval.Report) error {
	if dir := e.c.String("out"); dir != "" {
		if err := r.WriteFiles(dir); err != nil {
			return err
		}
		if !e.o.quiet {
			fmt.Fprintf(e.env.stderr, "simsearch: the report is in %s\n", filepath.Join(dir, "report.html"))
		}
	}
	if e.o.json {
		if err := r.WriteJSON(e.env.objects()); err != nil {
			return err
		}
	} else if err := r.WriteText(e.env.stdout); err != nil {
		return err
	}
	if e.bad > 0 && !e.c.Bool("skip-bad") {
		return errReported
	}
	return nil
}

// experiments runs the experiments that are asked for on the collection.
func (e *evaluation) experiments() (_ *eval.Report, err error) {
	var names []string
	if s := e.c.String("experiment"); s != "" {
		names = strings.Split(s, ",")
	}
	experiments, err := eval.FindExperiments(names)
	if err != nil {
		return nil, err
	}
	s, err := settings(e.c, e.base())
	if err != nil {
		return nil, err
	}
	col, err := e.load(s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, col.Close()) }()
	return eval.Run(e.c.Context, col, experiments, e.say)
}

// recommend tries several settings.
func (e *evaluation) recommend() (*eval.Report, error) {
	var w eval.Wanted
	var err error
	if w.Precision, err = share(e.c, "min-precision", 0, true); err != nil {
		return nil, err
	}
	if w.Recall, err = share(e.c, "min-recall", 0, true); err != nil {
		return nil, err
	}
	var choices []eval.Choice
	var report *eval.Report
	tried := map[string]bool{} // features, whose sets are the same whatever their weights
	for _, s := range e.tries() {
		e.say(fmt.Sprintf("trying features %s, weights %s", s.Features, s.Weights))
		err := func() (err error) {
			col, err := e.load(s)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, col.Close()) }()
			if report == nil {
				if report, err = eval.Run(e.c.Context, col, nil, nil); err != nil {
					return err
				}
			}
			more, err := eval.Choices(e.c.Context, col, !tried[s.Features])
			tried[s.Features] = true
			choices = append(choices, more...)
			return err
		}()
		if err != nil {
			return nil, err
		}
	}
	report.Sections = append(report.Sections, eval.Advice(choices, w))
	return report, nil
}

// base are the settings before those of flags.
func (e *evaluation) base() index.Settings {
	base := index.DefaultSettings()
	if e.c.String("format") == "sets" {
		base.Features, base.Language = "items", "none"
	}
	return base
}

// tries returns the settings that a recommendation compares: those that the flags fix, and otherwise
// several features and weights.
func (e *evaluation) tries() (out []index.Settings) {
	add := func(features, weights string) {
		base := e.base()
		base.Features, base.Weights = features, weights
		if s, err := settings(e.c, base); err == nil && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if e.base().Features == "items" {
		add("items", "tf")
		return out
	}
	for _, p := range [][2]string{{"words", "tf"}, {"words", "log-tf"}, {"words", "set"}, {"word:2", "set"}, {"word:3", "set"}, {"char:5", "set"}} {
		add(p[0], p[1])
	}
	return out
}

// load reads the collection and its labels.
func (e *evaluation) load(s index.Settings) (*eval.Collection, error) {
	floor, err := share(e.c, "floor", 0, true)
	if err != nil {
		return nil, err
	}
	if n := e.c.Int("sample"); n < 0 {
		return nil, fmt.Errorf("--sample %d: want 0 or more documents", n)
	}
	truth := e.c.String("truth-features")
	if truth == "" && s.Features != "items" {
		truth = "word:3"
	}
	s.Mode = "both"
	if err := s.Canonical().Validate(); err != nil {
		return nil, err
	}
	var broken error
	e.bad = 0
	passes := 0
	documents := func() iter.Seq2[*index.Document, error] {
		r, err := e.env.openCorpus(e.c, s.Bits)
		if err != nil {
			return func(yield func(*index.Document, error) bool) { yield(nil, err) }
		}
		passes++
		in := e.env.newIntake(r, e.o, "reading")
		in.silent = passes > 1
		return func(yield func(*index.Document, error) bool) {
			in.forIndex()(yield)
			if passes == 1 {
				e.bad = in.bad
			}
			broken = errors.Join(broken, in.close())
		}
	}
	col, err := eval.Load(e.c.Context, documents, eval.LoadOptions{
		Name: idtext.Harmless(strings.Join(e.c.Args().Slice(), ", ")), Settings: s, Truth: truth, Floor: floor, Seed: s.Seed, Sample: e.c.Int("sample"), Threads: e.o.threads,
	})
	if err != nil {
		return nil, errors.Join(err, broken)
	}
	if broken != nil {
		return nil, errors.Join(broken, col.Close())
	}
	if path := e.c.String("truth"); path != "" {
		if err := withFile(path, col.Judge); err != nil {
			return nil, errors.Join(err, col.Close())
		}
	}
	return col, nil
}

// withFile lets read read a file, and names it in its error.
func withFile(path string, read func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	defer file.Close() // opened for reading
	if err := read(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// say shows what is being done.
func (e *evaluation) say(what string) {
	if e.o.progress != progress.None {
		fmt.Fprintf(e.env.stderr, "simsearch: %s\n", what)
	}
}
