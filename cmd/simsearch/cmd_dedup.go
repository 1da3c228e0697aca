package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/dedup"
	"simsearch/internal/commandline"
	"simsearch/internal/disk"
	"simsearch/internal/options"
	"simsearch/internal/stream"
	"simsearch/internal/terminal"
)

func dedupCommand(env *environment) *cli.Command {
	t := newTask(env)
	return &cli.Command{
		Name:      "dedup",
		Usage:     "write a collection again without its near duplicates",
		ArgsUsage: "INPUT...",
		Description: `Reads files or directories (recursively), finds the documents that are near each other, keeps one of
them, and writes to the directory of --out:

   kept/           the files of the input without the documents that are removed: in the same
                   format, compression and order, with all fields; what stays is not changed
   removed.jsonl   a line for each removed document: its id, kept_id (that of the document kept in its
                   place), their similarity, and source (its file), with number (which document of its file
                   it is) if others there have its id
   left_out.jsonl  a line for each file that is neither compared nor written: source and reason. It is there if
                   there are any, and the status is 2 then, unless --skip-binary says that this is right
   clusters.jsonl  a line for each group: cluster (its number), size, kept_id, ids and min_similarity,
                   the smallest of two documents
   report.json     how many were removed, and why
   report.html     the same to look at, with pairs at the edge of what is near
   state           what --rethreshold needs
   written.jsonl   the files of the result with their sizes and digests

DIR must not exist, be empty, or have the result of the same command and nothing else: what somebody has added, changed
or linked there is named, and nothing is written. The earlier result stays until the new one is complete; until
then that is in DIR/unfinished.

In lists, bytes of ids and names that are not UTF-8 are U+FFFD and two hexadecimal digits each.

Near is a Jaccard similarity of the sets of words of 0.8. Every removed document is as near the one that is
kept, and no two documents of what is kept are so near: no pair is missed. What cannot be read stays in its
file as it is, and so do documents without words.

With --k 3, near is a distance of the 64-bit SimHash fingerprints of at most 3 bits, as in an index: of weighted
words without the stop words of --lang. That is faster than --jaccard and takes less memory, and finds texts that
differ in few of their words. removed.jsonl has their distance, too, and clusters.jsonl max_distance; similarity is the share
of bits that agree. Files of ready-made fingerprints (--format fingerprints, or --fingerprint-field) are
compared so, with a distance of 3 unless --k says otherwise.

Kept is the longest document, and of equally long ones the first by the path of its file. --keep names another way,
such as newest:published by a field, and --prefer the files whose documents are kept rather than others. Ties are
always broken by the paths of files and the order within them, so that it does not matter in which order files are
named; for --keep first it does. A document without a value that can be read comes last. Dates are such
as 2024-01-31 and 2024-01-31T23:59:59Z. Numbers of 4, 8 or 14 digits are years, days and seconds from 1000 to
2999, such as 2024, 20240131 and 20240131235959; other ones are Unix times in seconds, or in milliseconds,
microseconds or nanoseconds if they are as large. Numbers are compared exactly, however long.

--max-df and --ignore leave boilerplate out of what is compared; similarities are those of the rest. A document
with nothing left is near those with the same words only.

With - for INPUT, standard input is written to standard output without its near duplicates. It may be compressed by
gzip, zstd, xz or bzip2; what is written is not.

--contained 0.9 removes a document, too, of which nine tenths are inside a longer one, such as a quotation or
an earlier state; removed.jsonl says of such a one which share is contained. Near and contained go by
sequences of three words then, and of two documents the one with more of them is kept.

--by paragraph and --by line take repeated parts out of texts, such as menus, notices and signatures. The
first occurrence of a part stays; where it comes again with the same words, whatever their case and
punctuation, it is cut. So is a part of 20 different words or more that is as near one before it as
--jaccard says; with --jaccard 1 it stays. Parts of fewer than --min-words words stay. A document of which
nothing else is left, or nothing but short parts that stand elsewhere, too, is removed. Remove near documents first, without --by: little would be left of them
but what differs. Files must have one text that can be replaced: text, lines, JSON, CSV, TSV or Parquet.
cut.jsonl takes the place of clusters.jsonl. It has a line for each part that is cut: id, part (its number),
start and end (bytes of the text), the beginning of the text, kept_id and kept_part (where it stays),
similarity, and near, which is false if the words are the same.

--json prints the numbers of the summary as one object on standard output, in place of the line on standard
error.

A run of more than 20 s says first about what it takes, by a sample of the input, and --dry-run says it in
any case. A disk that is too small is an error at once. A run that was interrupted goes on when the same
command is given again, unless an input has changed by size or time, or the file of --ignore at all. With
--by it does not read again what it has read, but compares and writes again. --rethreshold is not there with
--by, --contained and --k.

The input is never changed, so there is nothing to undo. --replay writes it again without the documents of a
list, such as removed.jsonl without the lines that were a mistake.

   simsearch dedup --out clean crawl/
   simsearch dedup --out clean --keep first --against old.jsonl.gz new.jsonl.gz
   simsearch dedup --out clean --k 3 crawl/
   simsearch dedup --out clean --format image photographs/
   simsearch dedup --out clean --by paragraph crawl.jsonl
   simsearch dedup - < a.jsonl > b.jsonl
   simsearch dedup --out try --dry-run --jaccard 0.5 crawl/
   simsearch dedup --out clean --rethreshold 0.7 try
   simsearch dedup --out clean2 --replay clean/removed.jsonl crawl/`,
		Flags:  slices.Concat(t.DedupFlags(), t.CorpusFlags(), t.CommonFlags()),
		Action: t.action(runDedup),
	}
}

func runDedup(t *task) (err error) {
	d := &removals{task: t, out: t.Out.Value, stdin: slices.Equal(t.Args, []string{corpus.Stdin.Path})}
	if err := d.parse(); err != nil {
		return err
	}
	if d.stdin {
		spooled, size, err := d.spoolStdin()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, spooled.Close()) }()
		d.o.Corpus.Stdin = io.NewSectionReader(spooled, 0, size)
	} else if err := dedup.Prepare(d.out, slices.Concat(t.Args, t.Against.Value), d.o); err != nil {
		return err
	}
	defer func() {
		if err != nil && !errors.Is(err, dedup.ErrBusy) && dedup.GoesOn(d.out) {
			t.tell("the same command goes on where this one has stopped")
		}
	}()
	meter := d.start()
	defer meter.Stop()
	if d.o.By != dedup.Documents {
		cut, err := d.cutParts()
		if err != nil {
			return err
		}
		meter.Stop()
		return d.cut(&cut)
	}
	if t.Replay.Given {
		done, err := dedup.Replay(t.Context, t.Replay.Value, t.Args, d.out, d.o)
		if err != nil {
			return err
		}
		meter.Stop()
		return d.replayed(done)
	}
	result, err := d.remove()
	if err != nil {
		return err
	}
	meter.Stop()
	return d.removed(result)
}

// A removals is a run of dedup. It tells what was done: as a line for people, or as an object on standard output.
type removals struct {
	*task
	o     dedup.Options
	out   string // the directory, or "" for standard output
	stdin bool   // standard input is written to standard output
	bad   int    // documents that cannot be read, as far as this run has read them
}

// parse sets what the flags say.
func (d *removals) parse() (err error) {
	if d.o, err = options.Dedup(&d.Flags); err != nil {
		return err
	}
	if d.o.Corpus, err = d.corpusOptions(64); err != nil {
		return err
	}
	d.o.Command, d.o.State, d.o.Out = d.repeating(), d.out, d.out
	switch {
	case d.stdin && (d.out != "" || d.o.DryRun):
		return errors.New("dedup: standard input is written to standard output; leave out --out and --dry-run, or save it to a file")
	case d.stdin && d.Common.JSON:
		return errors.New("dedup: standard input is written to standard output, where --json prints: leave one of them out")
	case slices.Contains(d.Against.Value, corpus.Stdin.Path):
		return errors.New("dedup: --against -: the reference is files or an index: save standard input to a file, and name that")
	case d.Replay.Value == corpus.Stdin.Path:
		return errors.New("dedup: --replay -: the list is a file: save standard input to one, and name that")
	case d.stdin && (d.Replay.Given || d.Rethreshold.Given):
		return errors.New("dedup: - with --replay or --rethreshold: they want files or a directory, which are read again")
	case d.out == "" && !d.stdin:
		return errors.New("dedup: name a directory to write to, such as --out clean")
	case d.Rethreshold.Given && len(d.Args) != 1:
		return errors.New("dedup: --rethreshold wants one directory that dedup has made")
	case !d.HasInputs():
		return errors.New("dedup: name files or directories, or - for standard input")
	}
	return nil
}

// start begins to show progress, and sets what is told meanwhile.
func (d *removals) start() *terminal.Meter {
	var done, all atomic.Int64
	meter := d.startMeter(dedup.Reading, func() (int64, int64) { return done.Load(), all.Load() })
	if !d.Common.Quiet {
		d.o.Expect = func(e dedup.Estimate) {
			if e.Time > longRun || d.o.DryRun {
				meter.Print("simsearch: about " + e.String())
			}
		}
		d.o.Tell = func(what string) { meter.Print("simsearch: " + terminal.Plain(what)) }
	}
	parts := false // not bytes
	d.o.Phase = func(what string) {
		parts = what != dedup.Reading
		done.Store(0)
		all.Store(-1)
		meter.Next(what)
	}
	d.o.Progress = func(now, of int64) {
		if parts {
			of = -max(1, of)
		}
		done.Store(now)
		all.Store(of)
	}
	d.o.Bad = func(err *corpus.BadError) {
		if d.bad++; d.bad <= mostTold {
			meter.Print("simsearch: " + oneLine(err))
		}
	}
	return meter
}

// remove writes the collection without its near duplicates.
func (d *removals) remove() (r dedup.Result, err error) {
	var collection *dedup.Collection
	if d.Rethreshold.Given {
		collection, err = dedup.Again(d.Context, d.Args[0], d.o)
	} else {
		collection, err = dedup.Read(d.Context, d.Against.Value, d.Args, d.o)
	}
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, collection.Close()) }()
	decisions, err := collection.Decide(d.Context)
	if err != nil {
		return r, err
	}
	if d.stdin {
		err = collection.Stream(d.Context, decisions, d.stdout)
	} else {
		err = collection.Write(d.Context, decisions, d.out)
	}
	return decisions.Result(), err
}

// repeating returns the command that makes the same again. Flags that change nothing of what is written are left out, so
// that the same is made with others of them.
func (d *removals) repeating() string {
	name := min(slices.Index(d.arguments, d.Command.Name)+1, len(d.arguments))
	left := commandline.Without(d.Command, d.arguments[name:], "threads", "memory", "quiet", "progress", "json")
	return commandline.Typed(slices.Concat([]string{"simsearch"}, d.arguments[:name], left))
}

// cutParts cuts lines or paragraphs.
func (d *removals) cutParts() (dedup.CutResult, error) {
	if d.stdin {
		return dedup.CutStream(d.Context, d.Against.Value, d.stdout, d.o)
	}
	return dedup.Cut(d.Context, d.Against.Value, d.Args, d.out, d.o)
}

// longRun is the time from which on a run is told of before it begins.
const longRun = 20 * time.Second

// mostTold is how many bad documents are told of one by one.
const mostTold = 20

// spoolStdin copies standard input to a temporary file, from which it can be read twice. It returns the
// size, too.
func (d *removals) spoolStdin() (f disk.File, size int64, err error) {
	in := stream.Interruptibly(d.Context, d.environment.stdin)
	if f, err = disk.OS.CreateTemp(""); err != nil {
		return nil, 0, err
	}
	if size, err = io.Copy(f, in); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("standard input: %w", err), f.Close())
	}
	return f, size, nil
}

// print prints what was done: columns as JSON, or else the summary. bad is how many documents cannot be read.
func (d *removals) print(bad int, files *dedup.Files, warnings []string, summary string, columns []column) error {
	d.tellBad(bad)
	d.tellLeftOut(files)
	for _, warning := range warnings {
		d.warn("%s", warning)
	}
	if d.Common.JSON {
		if warnings == nil {
			warnings = []string{}
		}
		columns = append(columns, col("bad", bad),
			col("files", files.Input), col("files_kept", files.Kept), col("files_removed", files.Removed), col("files_left_out", len(files.LeftOut)), col("files_damaged", len(files.Damaged)), col("warnings", warnings), name("out", d.out))
		if err := d.rows().Print(columns...); err != nil {
			return err
		}
	} else {
		d.tell("%s", summary)
	}
	if (bad > 0 || len(files.Damaged) > 0) && !d.SkipBad.Value || len(files.LeftOut) > files.Unreadable() && !d.SkipBinary.Value {
		return errReported
	}
	return nil
}

// tellLeftOut says which files are in no output.
func (d *removals) tellLeftOut(files *dedup.Files) {
	for i, l := range files.Damaged {
		if i == mostTold {
			d.warn("%s damaged, too", terminal.Plural(len(files.Damaged)-i, "more file"))
			break
		}
		d.warn("%s is damaged: %s", terminal.Plain(l.Path), terminal.Plain(l.Why.Error()))
	}
	n := len(files.LeftOut)
	if n == 0 || d.SkipBinary.Value && d.Common.Quiet {
		return
	}
	first := files.LeftOut[0]
	d.warn("%s of %s left out, such as %s (%s): %s names each; --skip-binary says that this is right",
		terminal.Thousands(n), terminal.Plural(files.Input, "file"), terminal.Plain(first.Path), terminal.Plain(first.Why.Error()), terminal.Plain(filepath.Join(d.out, dedup.LeftOutName)))
}

// tellBad says how many records cannot be read, of which some were told of one by one. Those that an earlier run has
// read were told of then.
func (d *removals) tellBad(bad int) {
	switch told := min(d.bad, mostTold); {
	case bad > told && told > 0:
		d.warn("%s cannot be read", terminal.Plural(bad-told, "more record"))
	case bad > 0 && told == 0:
		d.warn("%s cannot be read", terminal.Plural(bad, "record"))
	}
}

// removed tells of documents that were removed.
func (d *removals) removed(r dedup.Result) error {
	return d.print(max(d.bad, r.Bad), &r.Files, r.Warnings(), r.Summary(), withMode(r.Mode, []column{
		col("documents", r.Documents), col("kept", r.Documents-r.Removed), col("removed", r.Removed),
		col("exact", r.Exact), col("near", r.Removed-r.Exact), col("contained", r.Contained), col("empty", r.Empty),
		col("bytes", r.Bytes), col("kept_bytes", r.KeptBytes), col("groups", r.Groups), col("largest_group", r.Largest),
	}))
}

// cut tells of parts that were cut.
func (d *removals) cut(r *dedup.CutResult) error {
	return d.print(max(d.bad, r.Bad), &r.Files, r.Warnings(), r.Summary(), withMode(r.Mode, []column{
		col("by", r.By.String()), col("documents", r.Documents), col("changed", r.Changed), col("removed", r.Removed),
		col("parts", r.Parts), col("short", r.Short), col("cut", r.Exact+r.Near), col("exact", r.Exact), col("near", r.Near),
		col("bytes", r.Bytes), col("cut_bytes", r.CutBytes),
	}))
}

// replayed tells of documents that a list has removed.
func (d *removals) replayed(r dedup.Replayed) error {
	kept := r.Documents - r.Removed
	summary := fmt.Sprintf("%s of %s removed; %s kept", terminal.Thousands(r.Removed), terminal.Plural(r.Documents, "document"), terminal.Thousands(kept))
	return d.print(r.Bad, &r.Files, r.Warnings, summary, []column{col("documents", r.Documents), col("kept", kept), col("removed", r.Removed)})
}

// withMode returns columns with the mode, if documents are not removed, before them.
func withMode(m dedup.Mode, columns []column) []column {
	if m == dedup.Removing {
		return columns
	}
	return append([]column{col("mode", m)}, columns...)
}
