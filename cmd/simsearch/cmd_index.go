package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"simsearch/fingerprint"
	"simsearch/internal/clean/filesync"
	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/index/store"
)

func indexCommand(t *task) *cli.Command {
	return t.command("index", runIndex, []cli.AnyFlag{
		t.IndexFlag(),
		t.ExplainFlag(),
	}, t.PlanFlags(), t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
}

// An indexing is one run of index.
type indexing struct {
	*task
	temporary bool                        // the index is in a directory that is gone when the command ends, and nobody else can read
	compared  bool                        // this command asks it, and says so in place of what was added
	asked     func(*index.Snapshot) error // returns an error if it cannot be asked that; or nil
	settings  analysis.Settings
	plan      index.WriterOptions
	w         *index.Writer
	in        *intake.Intake // set when learning is done
	learning  time.Duration
	sync      *filesync.Sync // nil without --sync
	files     filesync.Files // sync, or what knows which files documents are of
	total     index.Result   // of all commits
	parts     int            // that have been committed
}

func runIndex(t *task) error { return (&indexing{task: t}).run() }

// open returns the inputs, and sets how they are indexed.
func (x *indexing) open() (_ *corpus.Reader, err error) {
	if x.settings, x.plan, err = x.PlannedIndex(); err != nil {
		return nil, err
	}
	return x.openDocuments(x.settings.Bits, func(how *corpus.Options) {
		if x.Sync.Value {
			how.Opening = func(f corpus.File) (bool, error) { return x.sync.Opening(f) }
		}
	})
}

func (x *indexing) run() (err error) {
	defer collectLate(0)()
	r, err := x.open()
	pictures := err == nil && x.temporary && x.recognise(r)
	if mail := err == nil && x.Command.Name == "serve" && r.HasMail(); mail || pictures {
		if mail { // whose lists show subjects
			x.KeepFields.Value = "subject"
		}
		if err = cmp.Or(r.Close(), x.rehearse()); err == nil {
			r, err = x.open()
		}
	}
	if err != nil {
		return err
	}
	if !x.Sync.Value && !x.Gathers() {
		r.Together(corpus.NoLimit)
	}
	x.setPlan()
	if x.w, err = index.OpenWriter(x.Index.Value, x.settings, x.plan); err != nil {
		return errors.Join(err, r.Close())
	}
	committed := false
	defer func() {
		closeErr := x.w.Close()
		if committed && closeErr != nil { // the documents are there, whatever happened to the lock
			x.warn("%s", oneLine(closeErr))
			closeErr = nil
		}
		err = errors.Join(err, closeErr)
	}()
	if err := x.prepare(r); err != nil {
		return errors.Join(err, r.Close())
	}
	made := x.w.New()
	lacking, err := x.read(r)
	if err != nil {
		if !x.temporary && x.parts > 0 && x.total.Added+x.total.Replaced+x.total.Unchanged+x.total.Deleted > 0 {
			x.tell("the index has %s, %s of them from this run; the same command goes on from there",
				terminal.Plural(x.w.Len(), "document"), terminal.Thousands(x.total.Added+x.total.Replaced))
		}
		return err
	}
	committed = true
	if n := x.total; len(lacking) > 0 && n.Added+n.Replaced+n.Unchanged > 0 {
		by := map[bool]string{false: "keep-fields", true: "where"}[x.compared]
		x.tell("no document has the field %s, which --%s names", terminal.Plain(strings.Join(lacking, " or ")), by)
	}
	err = x.report()
	if err == nil && made && x.w.New() {
		err = fmt.Errorf("%w: the input has no documents, and no index was made", errNothing)
	}
	return err
}

// rehearse asks an index like the one that will be made, without documents, so that what is wrong is told before all is
// read.
func (x *indexing) rehearse() error {
	if x.asked == nil {
		return nil
	}
	settings, plan, err := x.PlannedIndex()
	if err != nil {
		return err
	}
	if settings.Image != 0 {
		plan.Input.Holds = store.Fingerprints
	}
	empty, err := index.NewMemory(settings, plan)
	if err != nil {
		return err
	}
	ix, err := empty.Snapshot()
	if err == nil {
		err = errors.Join(x.asked(ix), ix.Close())
	}
	return errors.Join(err, empty.Close())
}

// inTemporary makes the index in a directory that is removed in the end, and calls do with the directory of the index,
// even if some documents could not be read.
func (x *indexing) inTemporary(do func(dir string) error) (err error) {
	dir, remove, err := disk.TempDir("simsearch-index-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	x.temporary, x.Index.Value = true, filepath.Join(dir, "index")
	bad := x.run()
	if bad != nil && (!errors.Is(bad, errReported) || x.total.Added == 0) {
		return bad
	}
	if err = do(x.Index.Value); err == nil || errors.Is(err, errNothing) {
		err = cmp.Or(bad, err)
	}
	return err
}

// setPlan sets what the writer tells, and how it works.
func (x *indexing) setPlan() {
	dir, p := x.Index.Value, &x.plan
	if x.ExplainPlan.Value {
		p.Explain = func(design, why string) { x.in.Meter.Print("simsearch: " + design + ": " + why) }
	}
	p.Parts, p.Threads = !x.Sync.Value, x.Threads.Value
	p.Phase = func(what string) { x.in.Meter.Phase(what) }
	p.Aside = func(name string) {
		x.warn("%s in %s is named by no %s: an older one has been put back? It is moved to %s", name, dir, index.ManifestName, filepath.Join(dir, index.AsideName))
	}
	p.Refused = func(id []byte, source, why string) { x.in.Report(why, refusal(id, source, why)) }
}

// refusal says that an index leaves out a document.
func refusal(id []byte, source, why string) string {
	return terminal.Plain(string(id)) + terminal.If(source != "" && source != "-", " in %s", terminal.Plain(source)) + ": " + why
}

// prepare learns the rarity of features, if weights depend on it, and sets what knows the files that documents come
// from.
func (x *indexing) prepare(r *corpus.Reader) error {
	if !x.temporary {
		if err := x.keepPrivate(r.Private()); err != nil {
			return err
		}
	}
	if x.w.Learns() {
		if err := intake.ReadOnce(r, "how rare features are is learnt from the documents before these are indexed"); err != nil {
			return err
		}
		if err := x.learn(); err != nil {
			return err
		}
	}
	if x.files = new(filesync.Record); x.Gathers() { // and documents are of no file
		return nil
	}
	how, err := x.howRead()
	if err != nil {
		return err
	}
	if x.Sync.Value {
		if x.sync, err = filesync.New(x.Context, x.w, how); err != nil {
			return err
		}
		x.files = x.sync
		return x.sync.Use(r)
	}
	record, damaged, err := filesync.NewRecord(x.w, r, how)
	if x.files = record; damaged != nil {
		x.warn("the catalogue of files is damaged, and begins anew: the next --sync reads all files, and leaves documents of those that are gone by then")
	}
	return err
}

// learn reads all documents once before they are indexed, for weights that depend on how rare
// features are. Bad and odd documents are reported later, when they are indexed.
func (x *indexing) learn() error {
	r, err := x.openCorpus(x.settings.Bits, func(how *corpus.Options) { how.Decided = nil })
	if err != nil {
		return err
	}
	x.in = x.startReading(r, "learning")
	x.in.Silent = true
	err = errors.Join(x.w.Learn(x.Context, x.indexed()), x.in.Close())
	x.learning = x.in.Meter.Elapsed()
	return err
}

// howRead returns a digest of the options by which files are read. The others do not change documents, or say which
// files there are.
func (x *indexing) howRead() (uint64, error) {
	o, err := x.CorpusOptions(x.settings.Bits)
	how := fmt.Sprintf("%v %q %q %q %q %q %q %v", o.Format, o.IDField, o.TextField, o.FingerprintField, o.MailWithout, o.HTML, o.KeepFields, o.ImageHash)
	return fingerprint.Murmur3.Sum([]byte(how)), err
}

// indexed yields the documents that go into the index: those that are read or, with --gather, the
// sets that they make.
func (x *indexing) indexed() document.Seq {
	if !x.Gathers() {
		return x.in.Documents()
	}
	r := x.in.Reader
	pairs := document.Map(x.in.Documents(), func(doc *document.Document) (*document.Document, error) {
		return doc, cli.CheckGatherable(r.Format())
	})
	isItem := func() bool { return r.Format() != corpus.Sets }
	return intake.GatheredSets(x.Context, pairs, x.Gather.Value == "items", isItem)
}

// read reads the documents of r, and adds them to the index. It returns the names of fields to be kept that no
// document has.
func (x *indexing) read(r *corpus.Reader) (lacking []string, err error) {
	x.in = x.startReading(r, "indexing")
	if x.sync != nil {
		x.in.Failed = x.sync.Bad
	}
	var names []string
	if x.KeepFields.Given || x.compared && x.Where.Given {
		names = x.plan.Input.Kept()
	}
	err = x.feed(intake.Kept(x.indexed(), names, &lacking))
	return lacking, x.in.End(err)
}

// report tells what was done.
func (x *indexing) report() error {
	in, r := x.in, x.total
	read, _ := in.Reader.Progress()
	if x.sync != nil {
		x.sync.CountElsewhere(x.w.Len())
		read -= x.sync.Unread
	}
	told := results.Indexed{
		Result: r, Bad: in.Bad, Passed: results.PassedOf(in.Reader, x.settings.Image != 0),
		Bytes: read, Learning: x.learning, Indexing: in.Meter.Elapsed(),
	}
	switch {
	case x.compared:
		x.say("%s", told.Compared(x.InputName()))
	case x.JSON.Value:
		columns := terminal.Keyed("added", r.Added, "replaced", r.Replaced, "empty", r.Empty, "unchanged", r.Unchanged,
			"bad", in.Bad, "binary_files", told.Passed.Files, "bytes", read)
		if x.sync != nil {
			n := x.sync.Counts
			columns = append(columns, terminal.Keyed("deleted", r.Deleted, "files", n.Files, "new_files", n.New,
				"changed_files", n.Changed, "gone_files", n.Gone, "left_out_files", n.LeftOut, "renamed_files", n.Renamed,
				"touched_files", n.Touched, "failed_files", n.Failed, "repeated", n.Repeated, "elsewhere", n.Elsewhere)...)
		}
		if err := x.rows().Print(columns...); err != nil {
			return err
		}
	default:
		x.say("%v", told)
		if x.sync != nil {
			x.say("%s", results.Synced(x.sync.Counts))
		}
	}
	return x.badDocuments(in.Bad)
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

// A partSize is the size of a part of the input.
type partSize struct {
	documents int
	bytes     int64
	memory    int64 // that writing it takes
}

// full reports whether a part is to be committed. All sets that are gathered are one part.
func (x *indexing) full(s partSize) bool {
	most := x.part
	if most == (partSize{}) {
		most = partSize{partDocuments, partBytes, max(leastMemory, x.Memory.Value/2)}
		if s.bytes == 0 { // fingerprints alone, which are written as a stream
			most.documents = 1 << 31
		}
	}
	return !x.Gathers() && (s.documents >= most.documents || s.bytes >= most.bytes || x.w.Pending() >= most.memory)
}

// feed adds all documents. A second range over them has to go on where the first one ended, unless all are one part.
func (x *indexing) feed(documents document.Seq) error {
	for more := true; more; {
		size := partSize{}
		full := func(doc *document.Document) bool {
			size.documents += max(1, len(doc.Rows))
			size.bytes += int64(len(doc.Text))
			return x.full(size)
		}
		if err := x.w.Ingest(x.Context, x.files.Part(documents, full, &more)); err != nil {
			return err
		}
		if !more && x.files.Done() {
			x.in.Reader.Rewind()
			more = true
		}
		changed, err := x.files.Hand()
		if err != nil {
			return err
		}
		if !changed {
			continue
		}
		r, err := x.w.Commit(x.Context)
		if err != nil {
			return err
		}
		x.total.Add(r)
		x.parts++
		x.in.Meter.Phase("")
		x.committed()
	}
	return nil
}
