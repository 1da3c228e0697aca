package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/eval"
	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
	"simsearch/preprocess"
)

func evalCommand(t *task) *cli.Command {
	c := t.command("eval", runEval, []cli.AnyFlag{
		t.Truth.As("truth", "labels are in `FILE`"),
		t.Experiment.As("experiment", "run `NAMES`, with commas, or all").Told("the usual ones").By(func(names string) (string, error) {
			_, err := eval.FindExperiments(strings.Split(names, ","), false)
			return names, err
		}),
		t.BandsTried.As("bands", "measure bands of signatures, `BxR,…`, such as 20x5,16x8").By(cli.ReadBandsTried).Told("some of 2, 5 and 8 rows"),
		t.Recommend.As("recommend", "try several settings, and say which to use"),
		t.Want.As("want", "recommend what reaches `WHAT`, such as precision=0.9, recall=0.95 or precision=0.9,recall=0.5").By(cli.ReadWant),
		t.Index.As("index", "evaluate the index in `DIR`").Once(),
		t.K.As("k", "begin with how often fingerprints within `N` bits are wrong; with --recommend, judge that, too").
			By(cli.ReadBits).Or(index.DefaultDistance),
		t.Jaccard.As("jaccard", "let --recommend judge a Jaccard similarity of `T`").Alias("threshold").By(cli.Share),
		t.Out.As("out", "write a report and pairs to label into `DIR`").In(cli.OutputGroup),
	}, t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
	c.Description += "\n"
	for _, e := range eval.Experiments() {
		mark := map[bool]string{true: "*", false: " "}[e.Usual]
		c.Description += fmt.Sprintf("\n  %s %-11s %s", mark, e.Name, e.About)
	}
	return c
}

func runEval(t *task) error {
	e := &evaluation{task: t}
	t.recogniseInputs()
	if err := e.check(); err != nil { // before much time is spent on the rest
		return err
	}
	if err := e.withIndex(e.run); err != nil {
		return err
	}
	return e.publish()
}

// An evaluation is one run of eval.
type evaluation struct {
	cli.Eval
	*task
	ix    *index.Snapshot // that is evaluated; nil for inputs
	texts *intake.Texts   // of ix

	readers disk.Readers // of what has been read
	bad     int
	unread  string // what of the inputs is not evaluated
	broken  error  // of the inputs, once they have been read
	report  *eval.Report
}

// printedLines is the number of lines that a report takes where it is printed: a screen.
const printedLines = 30

// publish prints the report, and writes it to the files that the flags name.
func (e *evaluation) publish() error {
	r, page := e.report, ""
	if dir := e.Out.Value; dir != "" {
		page = terminal.Plain(filepath.Join(dir, "report.html"))
		e.readers.See(filepath.Join(dir, truth.LabelsName))
		// Who may not read what was read may not read this.
		if err := results.WriteReport(dir, e.readers.Mode(), r); err != nil {
			return err
		}
		e.tell("the report is in %s", page)
	}
	if e.JSON.Value {
		if err := r.WriteJSON(e.objects()); err != nil {
			return err
		}
	} else if err := r.WriteBrief(e.stdout, printedLines, "… the rest, with pairs of texts and plots: "+cmp.Or(page, "--out DIR writes the page")); err != nil {
		return err
	}
	if e.unread != "" {
		e.tell("%s", strings.TrimPrefix(e.unread, "; "))
	}
	return e.badDocuments(e.bad)
}

// run measures the collection: by the chosen experiments, or by what is recommended of several settings.
func (e *evaluation) run() (err error) {
	s := e.Settings
	if e.Recommend.Value && e.ix == nil {
		s = e.Tries[0]
	}
	c, err := eval.Load(e.Context, e.documents(s), e.loadOptions(s))
	if err != nil {
		return errors.Join(err, e.broken)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if path := e.Truth.Value; path != "" && e.broken == nil {
		objects.See(&e.readers, path)
		e.broken = withFile(path, c.Judge)
	}
	meter := e.startMeter("evaluating", nil)
	defer meter.Stop()
	switch {
	case e.broken != nil:
		return e.broken
	case e.Recommend.Value:
		e.AdviceOptions.Progress = meter.Phase
		e.report, err = eval.Advise(e.Context, c, e.AdviceOptions)
	default:
		e.report, err = eval.Run(e.Context, c, e.Experiments, meter.Phase)
	}
	return err
}

// withFile calls read with a file and names the file in the error.
func withFile(path string, read func(io.Reader) error) error {
	file, err := disk.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, cmp.Or(errors.Unwrap(err), err))
	}
	defer file.Close() // opened for reading
	if err := read(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// check checks all flags and the names of files, even those that have no effect on the chosen
// evaluation. It reads nothing.
func (e *evaluation) check() (err error) {
	cli.Ignore(&e.Index, &e.K, &e.Jaccard) // they are for other commands
	err = cli.Mistakes{
		{e.Index.Given && e.HasInputs(), "--index evaluates the texts of an index, and excludes other inputs"},
		{!e.Index.Given && !e.HasInputs(), "no input: name files or directories, or an index with --index"},
	}.First()
	if err == nil && !e.Index.Given {
		_, err = e.CorpusOptions(analysis.Classic().Bits)
	}
	if err == nil {
		e.Eval, err = cli.EvalOf(&e.Flags)
	}
	if path := e.Truth.Value; err == nil && path != "" {
		err = withFile(path, func(io.Reader) error { return nil })
	}
	if dir := e.Out.Value; err == nil && dir != "" {
		err = results.CheckReport(dir)
	}
	return err
}

var errNoFeatures = errors.New("eval compares features, which fingerprints have none of: --format fingerprints evaluates these by distance")

// withIndex runs do, for --index with the index open, whose texts and settings are those that are evaluated.
func (e *evaluation) withIndex(do func() error) (err error) {
	dir := e.Index.Value
	if dir == "" {
		return do()
	}
	return e.task.withIndex(func(ix *index.Snapshot) (err error) {
		if e.texts, err = intake.OpenTexts(e.Context, ix); err != nil {
			return noTexts(dir, err)
		}
		defer func() { err = errors.Join(err, e.texts.Close()) }()
		e.ix, e.texts.Readers = ix, &e.readers
		files, err := disk.OS.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, file := range files {
			e.readers.See(filepath.Join(dir, file))
		}
		if err := e.OfIndex(ix); err != nil {
			return err
		}
		return do()
	})
}

// indexed returns the documents of the index.
func (e *evaluation) indexed() document.Seq {
	return func(yield func(*document.Document, error) bool) {
		for doc := range uint32(e.ix.Len()) {
			id, err := e.ix.ID(doc)
			var text string
			if err == nil {
				text, err = e.texts.Text(doc)
			}
			if !yield(&document.Document{ID: id, Text: []byte(text)}, noTexts(e.Index.Value, err)) || err != nil {
				return
			}
		}
	}
}

// noTexts says what an index without texts lacks. Other errors are as they are.
func noTexts(dir string, err error) error {
	if errors.Is(err, index.ErrNoText) {
		return fmt.Errorf("%s: eval compares the texts of documents, and the index does not keep them: name its input instead", terminal.Plain(dir))
	}
	return err
}

// loadOptions returns how a collection is loaded for some settings.
func (e *evaluation) loadOptions(s analysis.Settings) eval.LoadOptions {
	o := eval.LoadOptions{
		Settings: s, Distance: e.K.Value, Seed: s.Seed, Threads: e.Threads.Value, Memory: e.Memory.Value,
		Bands: e.BandsTried.Value, Advice: e.Recommend.Value, Fingerprints: e.Fingerprints,
	}
	if s.Features.Kind != preprocess.Items {
		o.Truth = preprocess.FeatureSpec{}.String() // of what is near if nobody says otherwise
	}
	if e.ix == nil {
		o.Name, o.Inputs = terminal.Harmless(strings.Join(slices.Concat(e.Args, e.FilesFrom.Value), ", ")), cli.Arguments(e.Args, e.Inputs)
		return o
	}
	o.Name, o.Index = terminal.Harmless(e.Index.Value), cli.Arguments([]string{e.Index.Value}, nil)
	if by := index.Default(e.ix.Settings(), e.ix.Search()); by.BySets() && (by.Recall < 1 || by.Bands.Bands > 0) {
		o.Exactly = " --recall 1" // otherwise a search misses pairs, as the index remembers
	}
	return o
}

// documents returns the documents of the inputs, which are read once.
func (e *evaluation) documents(s analysis.Settings) document.Seq {
	if e.ix != nil {
		return e.indexed()
	}
	return func(yield func(*document.Document, error) bool) {
		r, err := e.openCorpus(s.Bits)
		if err != nil {
			yield(nil, err)
			return
		}
		in := e.startReading(r, "reading")
		in.Documents()(func(d *document.Document, err error) bool {
			if err == nil && !d.HasFingerprint && e.Format.Value == corpus.Image {
				return true // a picture of one colour is near nothing
			}
			if err == nil && d.HasFingerprint && !e.Fingerprints {
				d, err = nil, fmt.Errorf("%s: %w", terminal.Plain(d.Source), errNoFeatures)
			}
			if err == nil {
				objects.See(&e.readers, d.Source)
			}
			return yield(d, err) && err == nil
		})
		e.bad, e.unread = in.Bad, results.PassedOf(r, e.Format.Value == corpus.Image).Beside(in.Bad)
		e.broken = in.Close()
	}
}
