package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/eval"
	"simsearch/index"
	"simsearch/internal/disk"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/progress"
)

func evalCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:      "eval",
		Usage:     "measure false positives and negatives on a collection, and say what to choose",
		ArgsUsage: "[INPUT...]",
		Description: `Reads a collection, finds out by exact comparison which of its pairs are near, and measures what
fingerprints and signatures make of it, with intervals of 95 %. Labels that you have count, too:
--truth FILE has an object a line, {"a": ID, "b": ID}, with "label": 0 for a pair that is not near,
or {"cluster": [ID, …]}.

--out DIR replaces the files of an earlier report in DIR, and no others. Labels that were filled in
in its labels.jsonl stay. Who may not read all inputs may not read the report.

   simsearch eval --out report articles/
   simsearch eval --truth labels.jsonl --recommend --min-precision 0.9 articles.jsonl
   simsearch eval --recommend --k 3 articles/
   simsearch eval --recommend --index articles.idx
   simsearch eval --experiment biswas articles/

With --format image, it makes copies of --sample pictures, 200 unless it says otherwise: smaller, compressed
again, cropped, lighter. It says how far these are from their pictures and how far other pictures are, by
both hashes, and which distance tells them apart.

   simsearch eval --format image photographs/

Experiments, of which those with a star run unless others are named:
` + experimentList(),
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "truth", Usage: "labels are in `FILE`"},
			&cli.StringFlag{Name: "truth-features", Usage: "exact Jaccard similarity, the truth without labels, is of `KIND` of features: words, word:N or char:N", DefaultText: "word:3, or the items of sets"},
			&cli.StringFlag{Name: "floor", Usage: "find all pairs of an exact Jaccard similarity of `T` or more", DefaultText: "0.5"},
			&cli.IntFlag{Name: "sample", Usage: "evaluate `N` documents drawn by the seed, each with all others", DefaultText: "all, or 10,000 of more than 300,000"},
			&cli.StringFlag{Name: "experiment", Usage: "run the experiments `NAMES`, with commas between, or all", DefaultText: "the usual ones"},
			&cli.StringFlag{Name: "bands", Usage: "measure bands of signatures, `BxR,…`: B bands of R rows such as 20x5, or several with commas between", DefaultText: "some of 2, 5 and 8 rows"},
			options.WeighMissesFlag(),
			&cli.BoolFlag{Name: "recommend", DisableDefaultText: true, Usage: "try several settings, and say which to use and how long shingles should be"},
			&cli.StringFlag{Name: "min-precision", Usage: "recommend what has a precision of `P` or more"},
			&cli.StringFlag{Name: "min-recall", Usage: "recommend what has a recall of `R` or more"},
			&cli.StringFlag{Name: "index", Usage: "evaluate the texts of the index in `DIR`, with its settings; --recommend judges these, too"},
			&cli.StringFlag{Name: "k", Usage: "let --recommend judge a distance of at most `N` bits, with the other settings as given"},
			&cli.StringFlag{Name: "jaccard", Usage: "let --recommend judge a Jaccard similarity of at least `T`, with the other settings as given"},
			&cli.StringFlag{Name: "protocol", Usage: "score by the `PROTOCOL` of others: core (INPUT has records of the CORE dataset) or news-copy (--truth has clusters)"},
			&cli.StringFlag{Name: "out", Category: options.OutputGroup, Usage: "write report.json, report.md, report.html, plots, and pairs to label into `DIR`"},
		}, options.SettingsFlags(), options.CorpusFlags(), options.CommonFlags()),
		Action: func(c *cli.Context) error { return runEval(env, c) },
	}
}

func experimentList() string {
	var b strings.Builder
	for _, e := range eval.Experiments() {
		mark := " "
		if e.Usual {
			mark = "*"
		}
		fmt.Fprintf(&b, " %s %-11s %s\n", mark, e.Name, e.About)
	}
	return b.String()
}

func runEval(env *environment, c *cli.Context) error {
	o, err := options.CommonOf(c, env.errIsTerminal)
	if err != nil {
		return err
	}
	e := &evaluation{env: env, c: c, o: o}
	if err := e.check(); err != nil { // before much time is spent on the rest
		return err
	}
	var report *eval.Report
	err = e.withIndex(func() (err error) {
		switch {
		case e.ofPictures:
			report, err = e.pictures()
		case e.Protocol == options.ProtocolCORE:
			report, err = e.core()
		case e.Protocol == options.ProtocolNewsCopy:
			report, err = e.newsCopy()
		case c.Bool("recommend"):
			report, err = e.recommend()
		default:
			report, err = e.runExperiments()
		}
		return err
	})
	if err != nil {
		return err
	}
	return e.publish(report)
}

// An evaluation is one run of eval.
type evaluation struct {
	options.Eval
	env   *environment
	c     *cli.Context
	o     options.Common
	ix    *index.Snapshot // that is evaluated; nil for inputs
	texts *intake.Texts   // of ix

	// ofPictures says that the input is pictures.
	ofPictures bool

	readers disk.Readers // of what has been read
	bad     int
	passes  int
	broken  error // of the inputs, once all have been read
}

// publish prints a report, and writes it to the files that the flags name.
func (e *evaluation) publish(r *eval.Report) error {
	if dir := e.c.String("out"); dir != "" {
		if err := e.writeOut(dir, r); err != nil {
			return err
		}
		if !e.o.Quiet {
			fmt.Fprintf(e.env.stderr, "simsearch: the report is in %s\n", filepath.Join(dir, "report.html"))
		}
	}
	if e.o.JSON {
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

// runExperiments runs the chosen experiments on the collection.
func (e *evaluation) runExperiments() (_ *eval.Report, err error) {
	col, err := e.load(e.Settings)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, col.Close()) }()
	return eval.Run(e.c.Context, col, e.Experiments, e.say)
}

// withFile calls read with a file and names the file in the error.
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

// say shows what the program is doing.
func (e *evaluation) say(what string) {
	if e.o.Progress != progress.None {
		fmt.Fprintf(e.env.stderr, "simsearch: %s\n", what)
	}
}
