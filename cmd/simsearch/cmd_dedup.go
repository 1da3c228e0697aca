package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/dedup"
	"simsearch/internal/commandline"
	"simsearch/internal/disk"
	"simsearch/internal/options"
	"simsearch/internal/progress"
	"simsearch/internal/stream"
	"simsearch/internal/terminal"
)

func dedupCommand(env *environment) *cli.Command {
	c := new(options.Flags)
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
		Flags:  slices.Concat(c.DedupFlags(), c.CorpusFlags(), c.CommonFlags()),
		Action: env.action(c, runDedup),
	}
}

func runDedup(env *environment, c *options.Flags) (err error) {
	o, err := options.Dedup(c)
	if err != nil {
		return err
	}
	if o.Corpus, err = env.corpusOptions(c, 64); err != nil {
		return err
	}
	o.Command = env.repeating(c)
	out, stdin := c.Out.Value, slices.Equal(c.Args, []string{corpus.Stdin.Path})
	switch {
	case stdin && (out != "" || o.DryRun):
		return errors.New("dedup: standard input is written to standard output; leave out --out and --dry-run, or save it to a file")
	case stdin && c.Common.JSON:
		return errors.New("dedup: standard input is written to standard output, where --json prints: leave one of them out")
	case slices.Contains(c.Against.Value, corpus.Stdin.Path):
		return errors.New("dedup: --against -: the reference is files or an index: save standard input to a file, and name that")
	case c.Replay.Value == corpus.Stdin.Path:
		return errors.New("dedup: --replay -: the list is a file: save standard input to one, and name that")
	case stdin && (c.Replay.Given || c.Rethreshold.Given):
		return errors.New("dedup: - with --replay or --rethreshold: they want files or a directory, which are read again")
	case out == "" && !stdin:
		return errors.New("dedup: name a directory to write to, such as --out clean")
	case c.Rethreshold.Given && len(c.Args) != 1:
		return errors.New("dedup: --rethreshold wants one directory that dedup has made")
	case !options.HasInputs(c):
		return errors.New("dedup: name files or directories, or - for standard input")
	}
	if stdin {
		spooled, size, err := env.spoolStdin(c.Context)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, spooled.Close()) }()
		o.Corpus.Stdin = io.NewSectionReader(spooled, 0, size)
	} else if err := dedup.Prepare(out, slices.Concat(c.Args, c.Against.Value), o); err != nil {
		return err
	}
	defer func() {
		if err != nil && !c.Common.Quiet && !errors.Is(err, dedup.ErrBusy) && dedup.GoesOn(out) {
			fmt.Fprintln(env.stderr, "simsearch: the same command goes on where this one has stopped")
		}
	}()
	var done, all atomic.Int64
	meter := progress.Start(env.stderr, c.Common.Progress, dedup.Reading, func() (int64, int64) { return done.Load(), all.Load() })
	defer meter.Stop()
	env.hideBar = meter.Hide
	o.State, o.Out = out, out
	if !c.Common.Quiet {
		o.Expect = func(e dedup.Estimate) {
			if e.Time > longRun || o.DryRun {
				meter.Print("simsearch: about " + e.String())
			}
		}
		o.Tell = func(what string) { meter.Print("simsearch: " + terminal.Plain(what)) }
	}
	told := &removals{env: env, common: c.Common, out: out, skipBad: c.SkipBad.Value, skipBinary: c.SkipBinary.Value}
	parts := false // not bytes
	o.Phase = func(what string) {
		parts = what != dedup.Reading
		done.Store(0)
		all.Store(-1)
		meter.Next(what)
	}
	o.Progress = func(now, of int64) {
		if parts {
			of = -max(1, of)
		}
		done.Store(now)
		all.Store(of)
	}
	o.Bad = func(err *corpus.BadError) {
		if told.bad++; told.bad <= mostTold {
			meter.Print("simsearch: " + oneLine(err))
		}
	}
	if o.By != dedup.Documents {
		cut, err := cutParts(c, o, out, env.stdout)
		if err != nil {
			return err
		}
		meter.Stop()
		return told.cut(&cut)
	}
	if c.Replay.Given {
		done, err := dedup.Replay(c.Context, c.Replay.Value, c.Args, out, o)
		if err != nil {
			return err
		}
		meter.Stop()
		return told.replayed(done)
	}
	var collection *dedup.Collection
	if c.Rethreshold.Given {
		collection, err = dedup.Again(c.Context, c.Args[0], o)
	} else {
		collection, err = dedup.Read(c.Context, c.Against.Value, c.Args, o)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, collection.Close()) }()
	decisions, err := collection.Decide(c.Context)
	if err != nil {
		return err
	}
	if stdin {
		err = decisions.Stream(c.Context, env.stdout)
	} else {
		err = decisions.Write(c.Context, out)
	}
	if err != nil {
		return err
	}
	meter.Stop()
	return told.removed(decisions.Result())
}

// repeating returns the command that makes the same again. Flags that change nothing of what is written are left out, so
// that the same is made with others of them.
func (env *environment) repeating(c *options.Flags) string {
	name := min(slices.Index(env.arguments, c.Command.Name)+1, len(env.arguments))
	left := commandline.Without(c.Command, env.arguments[name:], "threads", "memory", "quiet", "progress", "json")
	return commandline.Typed(slices.Concat([]string{"simsearch"}, env.arguments[:name], left))
}

// cutParts cuts lines or paragraphs. Without a directory out, standard input is written to w.
func cutParts(c *options.Flags, o dedup.Options, out string, w io.Writer) (dedup.CutResult, error) {
	if out == "" {
		return dedup.CutStream(c.Context, c.Against.Value, w, o)
	}
	return dedup.Cut(c.Context, c.Against.Value, c.Args, out, o)
}

// longRun is the time from which on a run is told of before it begins.
const longRun = 20 * time.Second

// mostTold is how many bad documents are told of one by one.
const mostTold = 20

// spoolStdin copies standard input to a temporary file, from which it can be read twice. It returns the
// size, too.
func (env *environment) spoolStdin(ctx context.Context) (f disk.File, size int64, err error) {
	in := stream.Interruptibly(ctx, env.stdin)
	if f, err = disk.OS.CreateTemp(""); err != nil {
		return nil, 0, err
	}
	if size, err = io.Copy(f, in); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("standard input: %w", err), f.Close())
	}
	return f, size, nil
}
