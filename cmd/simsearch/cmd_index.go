package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/filesync"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func indexCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:      "index",
		Usage:     "create an index, add documents to it, or bring it up to date",
		ArgsUsage: "INPUT...",
		Description: `Reads files, directories (recursively) or - for standard input, and adds each document
to the index, which is created where there is none. A document whose id and text are in the index already is
left as it is, so that indexing a directory again adds what is new. A document whose id stands for
another text takes its place, unless --on-conflict says otherwise. A long input is committed in
parts: if the run is interrupted, the same command goes on. If an input is a file that not everybody can read, the
index can be read by its owner alone.

With --sync, the index becomes what the inputs are. Documents of files that are gone are deleted, and so are those
of files that are there and not among the inputs of this run: name all inputs each time. Files that have not
changed since the last --sync are not read. Nothing is done if a directory has no file at all and had some: its
disk may not be there. The index remembers which files it was made of without --sync, too: --sync deletes what these
had if they are in a directory of its inputs, or if they are gone and were beside a file of its inputs. Documents of
other files, and of standard input, stay.

   simsearch index --index idx articles/ more.jsonl.gz
   simsearch index --index idx --sync articles/
   simsearch index --index idx --keep-fields date,source news.jsonl
   simsearch index --index users --gather purchases.csv
   simsearch index --index items --transpose --id-field customer --text-field product purchases.csv
   simsearch index --index users --format sets --gather pairs.tsv
   simsearch index --index idx --mode minhash --features word:3 articles/
   simsearch index --index pics --format image photographs/

The settings (--mode to --hash) are stored in the index and hold for all that is added later.`,
		Flags: slices.Concat([]cli.Flag{
			c.IndexFlag(),
			c.ExplainFlag(),
		}, c.UpdateFlags(), c.PlanFlags(), c.SettingsFlags(), c.CorpusFlags(), c.CommonFlags()),
		Action: env.action(c, runIndex),
	}
}

// garbage is how much garbage there may be before it is collected, in percent of what is in use.
const garbage = 50

func runIndex(env *environment, c *options.Flags) (err error) {
	dir := c.Index.Value
	// Most of the memory is lists of numbers, which the collector does not look into. So collecting sooner costs little,
	// and less than the pages that are not taken.
	defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	want, err := options.WantedSettings(c, dir)
	if err != nil {
		return err
	}
	if err := want.Validate(); err != nil {
		return err
	}
	plan, err := options.PlanOptions(c, want)
	if err != nil {
		return err
	}
	if plan.OnConflict, err = options.Conflict(c); err != nil {
		return err
	}
	if stored, err := index.ReadInput(dir); err == nil {
		if err := options.CheckStored(c, stored); err != nil {
			return err
		}
	}
	var sync *filesync.Sync // set when the index is open
	r, err := env.openDocuments(c, dir, want.Bits, func(how *corpus.Options) {
		if c.Sync.Value {
			how.Opening = func(f corpus.File) (bool, error) { return sync.Opening(f) }
		}
	})
	if err != nil {
		return err
	}
	var record *filesync.Record // without --sync
	var in *intake.Intake       // set when learning is done
	if c.ExplainPlan.Value {
		plan.Explain = func(design, why string) { in.Meter.Print("simsearch: " + design + ": " + why) }
	}
	plan.Base, _ = os.Getwd() // or none
	plan.Parts = !c.Sync.Value
	plan.Threads = c.Common.Threads
	plan.TableBytes = float64(c.Common.Memory) // tables that stay in memory are searched fast
	plan.Memory = c.Common.Memory
	plan.Phase = func(what string) { in.Meter.Phase(what) }
	plan.Aside = func(name string) {
		fmt.Fprintf(env.stderr, "simsearch: %s in %s is named by no %s: an older one has been put back? It is moved to %s\n", name, dir, index.ManifestName, filepath.Join(dir, index.AsideName))
	}
	plan.Refused = func(id []byte, why string) { in.Report(fmt.Sprintf("%s: %s", terminal.Plain(string(id)), why)) }
	w, err := index.OpenWriter(dir, want, plan)
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
	if err := env.keepPrivate(c, dir, r.Private()); err != nil {
		return errors.Join(err, r.Close())
	}
	var learning time.Duration
	if w.Learns() {
		err := intake.ReadOnce(r, "weights tfidf are learnt from the documents before these are indexed")
		if err == nil {
			learning, err = learn(env, c, want.Bits, w)
		}
		if err != nil {
			return errors.Join(err, r.Close())
		}
	}
	if c.Sync.Value {
		sync, err = env.sync(c, w, r, want.Bits)
	} else if !options.Gathers(c) {
		record, err = env.record(c, w, r, want.Bits)
	}
	if err != nil {
		return errors.Join(err, r.Close())
	}
	existed := !w.New()
	in = env.inputs().Start(r, c.Common.Progress, "indexing")
	if sync != nil {
		in.Failed = sync.Bad
	}
	languages, made := intake.Languages{}, w.New()
	kept := intake.Kept{}
	if c.KeepFields.Given {
		kept.Names = plan.Input.Kept()
	}
	feeder := newFeeder(env, c, w, in, sync)
	documents := languages.Of(kept.Of(indexed(c, in)))
	if feeder.record = record; record != nil {
		documents = record.Note(documents)
	}
	err = feeder.feed(c, documents)
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		if line := feeder.kept(); line != "" && !c.Common.Quiet {
			fmt.Fprintln(env.stderr, "simsearch: "+line)
		}
		return err
	}
	committed = true
	if line := languages.Other(want.Language); line != "" && made && want.Fingerprints() && !c.Common.Quiet {
		fmt.Fprintln(env.stderr, "simsearch: "+line)
	}
	if line := kept.Told(); line != "" && !c.Common.Quiet {
		fmt.Fprintln(env.stderr, "simsearch: "+line)
	}
	if sync != nil {
		sync.CountElsewhere(w.Len())
	}
	err = reportIndexed(env, c, feeder, learning, want.Image != 0)
	if err == nil && w.New() && !existed {
		err = fmt.Errorf("%w: the input has no documents, and no index was made", errNothing)
	}
	return err
}

// keepPrivate makes an index that a writer has open readable by its owner alone if not everybody can read a file of its
// inputs, which is "" if there is none.
func (env *environment) keepPrivate(c *options.Flags, dir, file string) error {
	if file == "" {
		return nil
	}
	changed, err := index.MakePrivate(dir)
	if err != nil {
		return fmt.Errorf("not everybody can read %s, so that %s has to be readable by its owner alone: %w", terminal.Plain(file), terminal.Plain(dir), err)
	}
	if changed && !c.Quiet.Value {
		fmt.Fprintf(env.stderr, "simsearch: not everybody can read %s: %s can be read by its owner alone from now on\n", terminal.Plain(file), terminal.Plain(dir))
	}
	return nil
}

// learn reads all documents once before they are indexed, for weights that depend on how rare
// features are. It returns the time that this took. Bad documents are reported later, when they are
// indexed.
func learn(env *environment, c *options.Flags, bits int, w *index.Writer) (time.Duration, error) {
	r, err := env.openCorpus(c, bits)
	if err != nil {
		return 0, err
	}
	in := env.inputs().Start(r, c.Common.Progress, "learning")
	in.Silent = true
	err = errors.Join(w.Learn(c.Context, indexed(c, in)), in.Close())
	return in.Meter.Elapsed(), err
}

// indexed yields the documents that go into the index: those that are read or, with --gather or --transpose, the
// sets that they make.
func indexed(c *options.Flags, in *intake.Intake) iter.Seq2[*document.Document, error] {
	if !options.Gathers(c) {
		return in.Documents()
	}
	pairs := func(yield func(*document.Document, error) bool) {
		for doc, err := range in.Documents() {
			if err == nil {
				err = options.CheckGatherable(in.Reader.Format())
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
	isItem := func() bool { return in.Reader.Format() != corpus.Sets }
	return intake.GatheredSets(c.Context, pairs, c.Transpose.Value, isItem)
}

// sync returns what compares the files of r with the catalogue of the index.
func (env *environment) sync(c *options.Flags, w *index.Writer, r *corpus.Reader, bits int) (*filesync.Sync, error) {
	how, err := env.howRead(c, bits)
	if err != nil {
		return nil, err
	}
	s, err := filesync.New(c.Context, w, how)
	if err != nil {
		return nil, err
	}
	return s, s.Use(r)
}

// record returns what takes note of the files that documents of r come from.
func (env *environment) record(c *options.Flags, w *index.Writer, r *corpus.Reader, bits int) (*filesync.Record, error) {
	how, err := env.howRead(c, bits)
	if err != nil {
		return nil, err
	}
	record, damaged, err := filesync.NewRecord(w, r, how)
	if damaged != nil {
		fmt.Fprintln(env.stderr, "simsearch: the catalogue of files is damaged, and begins anew: the next --sync reads all files, and leaves documents of those that are gone by then")
	}
	return record, err
}

// howRead returns a digest of the options by which files are read. The others do not change documents, or say which files
// there are.
func (env *environment) howRead(c *options.Flags, bits int) (uint64, error) {
	o, err := env.corpusOptions(c, bits)
	how := fmt.Sprintf("%v %q %q %q %q %q %v", o.Format, o.IDField, o.TextField, o.FingerprintField, o.MailWithout, o.KeepFields, o.ImageHash)
	return fingerprint.Murmur3.Sum([]byte(how)), err
}

func reportIndexed(env *environment, c *options.Flags, f *feeder, learning time.Duration, pictures bool) error {
	in, r := f.in, f.total
	read, _ := in.Reader.Progress()
	if f.sync != nil {
		read -= f.sync.Unread
	}
	if c.Common.JSON {
		columns := []column{
			col("added", r.Added), col("replaced", r.Replaced), col("empty", r.Empty), col("unchanged", r.Unchanged), col("skipped", r.Skipped),
			col("bad", in.Bad), col("binary_files", in.Reader.Binary()), col("bytes", read),
		}
		if f.sync != nil {
			n := f.sync.Counts
			columns = append(columns, col("deleted", r.Deleted), col("files", n.Files), col("new_files", n.New), col("changed_files", n.Changed),
				col("gone_files", n.Gone), col("left_out_files", n.LeftOut), col("renamed_files", n.Renamed), col("touched_files", n.Touched), col("failed_files", n.Failed),
				col("repeated", n.Repeated), col("elsewhere", n.Elsewhere))
		}
		if err := env.newRows(true).Print(columns...); err != nil {
			return err
		}
	} else if !c.Common.Quiet {
		fmt.Fprintln(env.stderr, results.Indexed{
			Result: r, Bad: in.Bad, Passed: results.PassedOf(in.Reader, pictures), Bytes: read, Learning: learning, Indexing: in.Meter.Elapsed(),
		})
		if f.sync != nil {
			fmt.Fprintln(env.stderr, results.Synced(f.sync.Counts))
		}
	}
	return badDocuments(c, in)
}
