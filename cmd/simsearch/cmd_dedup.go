package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/repeats"
	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
)

func runDedup(t *task) (err error) {
	if objects.Is(t.Out.Value) {
		return t.published(dedupTo)
	}
	return dedupTo(t, t.Out.Value)
}

// dedupTo writes the result to a directory, which is that of --out unless it is published there.
func dedupTo(t *task, dir string) (err error) {
	defer collectLate(0)()
	if t.By.Value == dedup.Passages {
		return t.cutPassages(dir)
	}
	d := &removals{task: t, out: dir, stdin: slices.Equal(t.Args, []string{corpus.Stdin.Path})}
	d.recogniseInputs()
	if err := d.parse(); err != nil {
		return err
	}
	if d.onlyMarks() {
		marks := d.from.Marks.Result()
		if d.JSON.Value {
			return d.rows().Print(col("review", &marks))
		}
		d.tell("%s", marks)
		return nil
	}
	if d.stdin {
		spool, err := intake.NewSpool(t.Context, t.stdin)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, spool.Close()) }()
		d.o.Corpus.Stdin, d.o.State = spool, "" // an interrupted run cannot go on
	}
	if d.out != "" {
		if err := dedup.Prepare(d.out, slices.Concat(t.Args, t.Against.Value), d.o); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil && !errors.Is(err, dedup.ErrBusy) && dedup.GoesOn(d.out) {
			t.tell("the same command goes on where this one has stopped")
		}
	}()
	meter := d.start()
	defer meter.Stop()
	if d.from.List != "" {
		done, err := dedup.Replay(t.Context, d.from.List, t.Args, d.out, d.o)
		if err != nil {
			return err
		}
		meter.Stop()
		return d.told(results.Replayed(&done))
	}
	decisions, err := d.remove()
	if err != nil {
		return err
	}
	meter.Stop()
	if d.o.By != dedup.Documents {
		return d.told(results.Cut(decisions.Cuts(), d.bad))
	}
	return d.told(results.Removed(decisions.Result(), d.bad))
}

// cutPassages cuts repeated passages.
func (t *task) cutPassages(dir string) error {
	o, err := cli.Repeats(&t.Flags)
	if err != nil {
		return err
	}
	meter := t.startRun(&o.Options, new(int), run.Reading)
	defer meter.Stop()
	report, err := repeats.Run(t.Context, t.Args, dir, o)
	if err != nil {
		return err
	}
	meter.Stop()
	return t.reported(report, report.Missed, report.Warnings)
}

// A removals is a run of dedup. It tells what was done: as a line for people, or as an object on standard output.
type removals struct {
	*task
	o     dedup.Options
	out   string // the directory, or "" for standard output
	stdin bool   // standard input is read, and written to standard output unless there is a directory
	bad   int    // documents that cannot be read, as far as this run has read them
	from  cli.From
}

// onlyMarks reports whether there is nothing to do but to say what marks say.
func (d *removals) onlyMarks() bool { return d.from.Marks != nil && d.out == "" && !d.HasInputs() }

// parse sets what the flags say.
func (d *removals) parse() (err error) {
	if d.from, err = cli.FromOf(&d.Flags); err != nil {
		return err
	}
	if d.o, err = cli.Dedup(&d.Flags, d.from, false); err != nil {
		return err
	}
	if d.o.Corpus, err = d.CorpusOptions(max(64, d.Bits.Value)); err != nil {
		return err
	}
	d.o.Command, d.o.State = d.Repeating(), d.out
	if d.from.Marks != nil {
		d.o.Command = d.Repeating(&d.From)
	}
	if d.onlyMarks() {
		return nil
	}
	return cli.Mistakes{
		{d.stdin && d.out != "" && !d.o.DryRun, "dedup: standard input is written to standard output; leave out --out, or add --dry-run for the lists alone"},
		{d.stdin && d.out == "" && d.JSON.Value, "dedup: standard input is written to standard output, where --json prints: leave one of them out"},
		{slices.Contains(d.Against.Value, "-"), "dedup: --against -: the reference is files or an index: save standard input to a file, and name that"},
		{d.From.Value == "-", "dedup: --from -: want a file or a directory: save standard input to one, and name that"},
		{d.stdin && d.Review.Given, "dedup: - with --review: the page is for a directory; save standard input to a file"},
		{d.stdin && d.From.Given, "dedup: - with --from: it wants files, which are read again"},
		{d.out == "" && (!d.stdin || d.o.DryRun), "dedup: name a directory to write to, such as --out clean"},
		{d.stdin && d.o.Append, "dedup: - with --append: it adds to the result in a directory; save standard input to a file"},
		{!d.HasInputs() && d.from.Result == "", "dedup: name files or directories, or - for standard input"},
	}.First()
}

// start begins to show progress, and sets what is told meanwhile.
func (d *removals) start() *terminal.Meter {
	meter := d.startRun(&d.o.Options, &d.bad, run.Reading)
	if !d.Quiet.Value {
		d.o.Expect = func(e warnings.Estimate) {
			if e.Time > longRun || d.o.DryRun {
				meter.Print("simsearch: about " + e.String())
			}
		}
		d.o.Tell = func(what string) {
			meter.Print("simsearch: " + terminal.Plain(strings.ReplaceAll(what, d.out, d.Out.Value)))
		}
	}
	return meter
}

// remove writes the collection without its near duplicates.
func (d *removals) remove() (decisions *dedup.Decisions, err error) {
	refs, inputs := d.Against.Value, d.Args
	if dir := d.from.Result; dir != "" {
		if refs, inputs, err = dedup.From(dir, d.Jaccard.Given || d.K.Given || d.Copy.Given, &d.o); err != nil {
			return nil, err
		}
	}
	collection, err := dedup.Read(d.Context, refs, inputs, d.o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, collection.Close()) }()
	if decisions, err = dedup.Decide(d.Context, collection); err != nil {
		return nil, err
	}
	if d.out == "" {
		return decisions, decisions.Stream(d.Context, d.stdout)
	}
	decisions.Review(d.Review.Value, d.from.Marks)
	return decisions, decisions.Write(d.Context, d.out)
}

// longRun is the time from which on a run is told of before it begins.
const longRun = 20 * time.Second

// told tells what was done. It returns an error unless everything was read and is in the output, as far as the flags
// ask for it.
func (d *removals) told(r results.Done) (err error) {
	skip := d.Skip.Value
	d.teller.End()
	for _, line := range r.Lines(d.bad, d.Out.Value, d.Quiet.Value, skip.Binary) {
		d.warn("%s", line)
	}
	if d.JSON.Value {
		err = d.rows().Print(r.Object(d.Out.Value)...)
	} else {
		d.tell("%s%s", r.Summary,
			results.NotCompared(r.Bad-r.Lost, r.LeftOut+r.Copied, r.Reference, d.Out.Value))
	}
	if r.NoText() && !skip.Binary {
		err = cmp.Or(err, errReported)
	}
	return cmp.Or(err, d.badDocuments(r.Bad+r.Damaged))
}
