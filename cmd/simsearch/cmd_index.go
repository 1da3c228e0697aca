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
had if they are in a directory of its inputs. Documents of other files, and of standard input, stay.

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

// A large input is committed in parts, so that a run of hours that is interrupted keeps most of its work, and so that
// writing a part takes no more than half of the memory: the rest is for reading, and for garbage. A part of this size
// takes some minutes. Its segment is so large that it is not merged with others soon: merging parts as they come would
// make the run half as long again (parts of 64 MiB: 11.7 s of processor time in place of 7.7 s for 250 MB of texts).
const (
	partBytes     = 4 << 30 // of texts
	partDocuments = 1 << 26
	leastMemory   = 16 << 20
)

// A feeder feeds documents to a writer, and commits them in parts.
type feeder struct {
	w      *index.Writer
	in     *intake.Intake
	sync   *filesync.Sync   // nil without --sync
	record *filesync.Record // nil with it, and if documents are of no file
	whole  bool             // all documents are one part
	most   partSize
	total  index.Result // of all commits
	parts  int          // that have been committed

	committed func() // is called after each commit
}

// A partSize is the size of a part of the input.
type partSize struct {
	documents int
	bytes     int64
	memory    int64 // that writing it takes
}

// add counts a document of a part.
func (s *partSize) add(doc *document.Document) {
	s.documents++
	s.bytes += int64(len(doc.Text))
}

func (f *feeder) full(s partSize) bool {
	return !f.whole && (s.documents >= f.most.documents || s.bytes >= f.most.bytes || f.w.Pending() >= f.most.memory)
}

// feed adds all documents. A second range over them has to go on where the first one ended, unless all are one part.
func (f *feeder) feed(c *options.Flags, documents iter.Seq2[*document.Document, error]) error {
	for more := true; more; {
		part := f.part
		if f.sync != nil {
			part = f.synced
		}
		if err := f.w.Ingest(c.Context, part(documents, &more)); err != nil {
			return err
		}
		if f.sync != nil {
			if !more && f.sync.Done() {
				f.in.Reader.Rewind()
				more = true
			}
			changed, err := f.sync.Hand()
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
		}
		if f.record != nil {
			f.record.Hand()
		}
		r, err := f.w.Commit(c.Context)
		if err != nil {
			return err
		}
		f.count(r)
		f.in.Meter.Phase("")
		f.committed()
	}
	return nil
}

func (f *feeder) count(r index.Result) {
	f.total.Add(r)
	f.parts++
}

// part yields the documents of the next part, and sets more if others may follow.
func (f *feeder) part(documents iter.Seq2[*document.Document, error], more *bool) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		*more = false
		size := partSize{}
		for doc, err := range documents {
			if err == nil {
				size.add(doc)
			}
			if !yield(doc, err) {
				return
			}
			if f.full(size) {
				*more = true
				return
			}
		}
	}
}

// synced is part for files that are compared with the catalogue. A part ends with a file.
func (f *feeder) synced(documents iter.Seq2[*document.Document, error], more *bool) iter.Seq2[*document.Document, error] {
	size := partSize{}
	return f.sync.Part(documents, func(doc *document.Document) bool {
		size.add(doc)
		return f.full(size)
	}, more)
}

// kept says what the index has already of a run that has not come to its end. It is "" if that is nothing.
func (f *feeder) kept() string {
	if f.parts == 0 || f.total.Added+f.total.Replaced+f.total.Unchanged+f.total.Deleted == 0 {
		return ""
	}
	return fmt.Sprintf("the index has %s, %s of them from this run; the same command goes on from there",
		terminal.Plural(f.w.Len(), "document"), terminal.Thousands(f.total.Added+f.total.Replaced))
}

// newFeeder returns what feeds documents to w. s is nil without --sync.
func newFeeder(env *environment, c *options.Flags, w *index.Writer, in *intake.Intake, s *filesync.Sync) *feeder {
	f := &feeder{w: w, in: in, sync: s, whole: options.Gathers(c), most: env.part, committed: env.committed}
	if f.most == (partSize{}) {
		f.most = partSize{partDocuments, partBytes, max(leastMemory, c.Common.Memory/2)}
	}
	return f
}
