package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
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
		t.Experiment.As("experiment", "run `NAMES`, with commas, or all").Told("the usual ones"),
		t.BandsTried.As("bands", "measure bands of signatures, `BxR,…`, such as 20x5,16x8").By(cli.ReadBandsTried).Told("some of 2, 5 and 8 rows"),
		t.Recommend.As("recommend", "try several settings, and say which to use"),
		t.Want.As("want", "recommend what reaches `WHAT`, such as precision=0.9, recall=0.95 or precision=0.9,recall=0.5").By(cli.ReadWant),
		t.Index.As("index", "evaluate the index in `DIR`").Once(),
		t.K.As("k", "begin with how often fingerprints within `N` bits are wrong; with --recommend, judge that, too").
			By(cli.ReadBits).Or(index.DefaultDistance),
		t.Jaccard.As("jaccard", "let --recommend judge a Jaccard similarity of `T`").Alias("threshold").By(cli.Share),
		t.Out.As("out", "write a report and pairs to label into `DIR`").In(cli.OutputGroup),
	}, t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
	c.Description += experimentList()
	return c
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

func runEval(t *task) error {
	e := &evaluation{task: t}
	if err := e.check(); err != nil { // before much time is spent on the rest
		return err
	}
	var report *eval.Report
	err := e.withIndex(func() (err error) {
		if t.Recommend.Value {
			report, err = e.recommend()
		} else {
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
	cli.Eval
	*task
	ix    *index.Snapshot // that is evaluated; nil for inputs
	texts *intake.Texts   // of ix

	readers disk.Readers // of what has been read
	bad     int
	broken  error // of the inputs, once they have been read
}

// printedLines is the number of lines that a report takes where it is printed: a screen.
const printedLines = 30

// publish prints a report, and writes it to the files that the flags name.
func (e *evaluation) publish(r *eval.Report) error {
	page := ""
	if dir := e.Out.Value; dir != "" {
		page = terminal.Plain(filepath.Join(dir, "report.html"))
		e.readers.See(filepath.Join(dir, truth.LabelsName))
		if err := results.WriteReport(dir, results.ReportDir(e.readers.Mode()), r); err != nil { // who may not read what was read may not read this
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
	if e.bad > 0 && !e.Skip.Value.Bad {
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
	return eval.Run(e.Context, col, e.Experiments, e.say)
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

// say shows what the program is doing.
func (e *evaluation) say(what string) {
	if e.Progress != terminal.NoProgress {
		e.warn("%s", what)
	}
}

// check checks all flags and the names of files, even those that have no effect on the chosen
// evaluation. It reads nothing.
func (e *evaluation) check() (err error) {
	if err := e.checkInputs(); err != nil {
		return err
	}
	if e.Eval, err = cli.EvalOf(&e.Flags); err != nil {
		return err
	}
	return e.checkFiles()
}

func (e *evaluation) checkInputs() error {
	cli.Ignore(&e.Index, &e.K, &e.Jaccard) // they are for other commands
	switch by := e.Index.Given; {
	case by && e.HasInputs():
		return errors.New("--index evaluates the texts of an index, and excludes other inputs")
	case by:
		return nil
	case !e.HasInputs():
		return errors.New("no input: name files or directories, or an index with --index")
	}
	_, err := e.corpusOptions(analysis.Classic().Bits)
	return err
}

var errNoFeatures = errors.New("eval compares features, which fingerprints have none of: --format fingerprints evaluates these by distance")

// checkFiles checks that the labels can be read and that the report can be written.
func (e *evaluation) checkFiles() error {
	if path := e.Truth.Value; path != "" {
		if err := withFile(path, func(io.Reader) error { return nil }); err != nil {
			return err
		}
	}
	if dir := e.Out.Value; dir != "" {
		return results.CheckReport(dir, results.ReportDir(e.readers.Mode()))
	}
	return nil
}

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
		if err := cli.EvalIndex(&e.Flags, &e.Eval, ix); err != nil {
			return err
		}
		return do()
	})
}

// indexed returns the documents of the index.
func (e *evaluation) indexed() iter.Seq2[*document.Document, error] {
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

// recommend evaluates several settings and recommends one.
func (e *evaluation) recommend() (_ *eval.Report, err error) {
	s := e.Tries[0]
	if e.ix != nil {
		s = e.Settings
	}
	col, err := e.load(s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, col.Close()) }()
	return eval.Advise(e.Context, col, eval.AdviceOptions{
		Tries: e.Tries, AnyLanguage: e.AnyLanguage, Wanted: e.Want.Value,
		Own: e.Own, OwnWith: e.OwnWith, OwnFlags: e.OwnFlags, Progress: e.say,
	})
}

// name returns the name of the collection in reports.
func (e *evaluation) name() string {
	if e.ix != nil {
		return terminal.Harmless(e.Index.Value)
	}
	return terminal.Harmless(strings.Join(slices.Concat(e.Args, e.FilesFrom.Value), ", "))
}

// loadOptions returns how a collection is loaded for some settings.
func (e *evaluation) loadOptions(s analysis.Settings) eval.LoadOptions {
	truth := ""
	if s.Features.Kind != preprocess.Items {
		truth = preprocess.FeatureSpec{}.String() // of what is near if nobody says otherwise
	}
	return eval.LoadOptions{
		Name: e.name(), Settings: s, Truth: truth, Distance: e.K.Value, Seed: s.Seed,
		Threads: e.Threads.Value, Memory: e.Memory.Value,
		Bands: e.BandsTried.Value, Inputs: e.flagsOfInputs(), Index: e.indexPath(), Exactly: e.exactly(), Advice: e.Recommend.Value, Fingerprints: e.Fingerprints,
	}
}

// indexPath returns the index, if one is evaluated, as a command line has it.
func (e *evaluation) indexPath() string {
	if e.ix == nil {
		return ""
	}
	return cli.Arguments([]string{e.Index.Value}, nil)
}

// exactly returns the flag without which a search of the index misses pairs, as the index remembers; "" for none.
func (e *evaluation) exactly() string {
	if e.ix == nil {
		return ""
	}
	if by := index.Default(e.ix.Settings(), e.ix.Search()); by.BySets() && (by.Recall < 1 || by.Bands.Bands > 0) {
		return " --recall 1"
	}
	return ""
}

// documents returns the documents of the inputs, which are read once.
func (e *evaluation) documents(s analysis.Settings) iter.Seq2[*document.Document, error] {
	if e.ix != nil {
		return e.indexed()
	}
	return func(yield func(*document.Document, error) bool) {
		r, err := e.openCorpus(s.Bits)
		if err != nil {
			yield(nil, err)
			return
		}
		in := e.task.inputs().Start(r, e.Progress, "reading")
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
		e.bad, e.broken = in.Bad, in.Close()
	}
}

// load reads the collection and its labels.
func (e *evaluation) load(s analysis.Settings) (col *eval.Collection, err error) {
	if col, err = eval.Load(e.Context, e.documents(s), e.loadOptions(s)); err != nil {
		return nil, errors.Join(err, e.broken)
	}
	if err = e.broken; err == nil {
		err = e.judge(col)
	}
	if err != nil {
		return nil, errors.Join(err, col.Close())
	}
	return col, nil
}

// judge reads the labels, if there are any.
func (e *evaluation) judge(col *eval.Collection) error {
	if path := e.Truth.Value; path != "" {
		objects.See(&e.readers, path)
		return withFile(path, col.Judge)
	}
	return nil
}

// flagsOfInputs returns the inputs, and the flags that say how to read them, as a command line has them.
func (e *evaluation) flagsOfInputs() string {
	if e.ix != nil {
		return ""
	}
	return cli.Arguments(e.Args, e.Inputs)
}
