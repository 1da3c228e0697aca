package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"

	"simsearch/internal/clean/run"
	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
	"simsearch/preprocess"
)

// A task is one run of a command: its streams, and its flags.
type task struct {
	*environment
	cli.Flags
	collection *corpus.Reader // has read the inputs that are searched; nil for an index
}

// warn prints a message on standard error.
func (t *task) warn(format string, values ...any) {
	fmt.Fprintf(t.stderr, "simsearch: "+format+"\n", values...)
}

// tell prints a message on standard error, behind what has been printed, unless --quiet is given.
func (t *task) tell(format string, values ...any) {
	_ = t.stdout.Flush() // which fails again when the command ends
	t.say("simsearch: "+format, values...)
}

// startMeter begins to show progress, which is hidden before something is printed.
func (t *task) startMeter(what string, progress func() (done, total int64)) *terminal.Meter {
	meter := terminal.StartMeter(t.stderr, t.Progress, what, progress)
	t.hideBar = meter.Hide
	return meter
}

// startReading is startMeter for the documents of r.
func (t *task) startReading(r *corpus.Reader, what string) *intake.Intake {
	in := t.teller.Start(r, t.Progress, what)
	t.hideBar = in.Meter.Hide
	return in
}

// startRun is startMeter for a run over files, whose options it sets. The run says what it does next, and how far that
// is. Documents that cannot be read are counted, and told of at the end of the inputs.
func (t *task) startRun(o *run.Options, bad *int, first string) *terminal.Meter {
	m := t.startMeter(first, nil)
	o.Phase, o.Progress = m.Next, m.Tell
	o.Bad = func(err *corpus.BadError) {
		*bad++
		t.teller.Bad(err.Err.Error(), oneLine(err))
	}
	return m
}

// startParts is startMeter for the search of a question, which calls tell with the parts that are done. With
// --explain-plan it sets explain to what tells how the question is answered.
func (q *question) startParts(what string, tell *func(done, parts int), explain *func(plan string)) *terminal.Meter {
	meter := q.startMeter(what, nil)
	*tell = meter.Parts
	if q.ExplainPlan.Value {
		*explain = func(plan string) { meter.Print("simsearch: " + plan) }
	}
	return meter
}

// say prints a summary on standard error, unless --quiet is given.
func (t *task) say(format string, values ...any) {
	if !t.Quiet.Value {
		fmt.Fprintf(t.stderr, format+"\n", values...)
	}
}

// sum prints what was done: columns with --json, or else a line as say does.
func (t *task) sum(told string, columns ...column) error {
	if t.JSON.Value {
		return t.rows().Print(columns...)
	}
	t.say("%s", told)
	return nil
}

// note prints remarks on what has been printed, behind it.
func (q *question) note() error {
	if q.Quiet.Value {
		return nil
	}
	if err := q.stdout.Flush(); err != nil {
		return err
	}
	if why := q.near.Kind.OfWords; why != "" && q.ix.Settings().SetFeatures == (preprocess.FeatureSpec{}) {
		q.warn("%s", why)
	}
	return q.remarks.Print(q.stderr)
}

type column = terminal.Column

// col returns a column of a result.
func col(key string, value any) column { return column{Key: key, Value: value} }

// name returns a column with an id.
func name(key, id string) column { return column{Key: key, Value: terminal.ID(id)} }

// rows returns rows on standard output.
func (t *task) rows() *terminal.Rows {
	return terminal.NewRows(t.stdout, t.outIsTerminal, t.columns, t.JSON.Value)
}

// list returns rows of data on standard output. They are never aligned and have no heading.
func (t *task) list() *terminal.Rows {
	return terminal.NewList(t.stdout, t.outIsTerminal, t.JSON.Value)
}

// objects returns the writer for JSON.
func (t *task) objects() io.Writer { return terminal.Objects(t.stdout, t.outIsTerminal) }

// printObject prints v as a JSON object on one line.
func (t *task) printObject(v any) error { return json.NewEncoder(t.objects()).Encode(v) }

// end ends r and returns errNothing if it printed no rows.
func end(r *terminal.Rows) error {
	if found, err := r.End(); err != nil || found {
		return err
	}
	return errNothing
}

// A question is what near, pairs and groups ask an index.
type question struct {
	*task
	ix      *index.Snapshot
	near    results.Nearness
	where   []index.Where
	shower  *results.Shower // if not nil, shows the texts of what is found
	spared  *results.Spared // if not nil, is not near
	remarks *results.Remarks
	in      *intake.Intake // of the queries that are read
}

// ask calls do with a question to ix.
func (t *task) ask(ix *index.Snapshot, do func(*question) error) (err error) {
	q := &question{task: t, ix: ix, remarks: results.NewRemarks(ix)}
	if q.near, err = t.Predicate(ix); err != nil {
		return err
	}
	if q.where, err = t.Wheres(ix); err != nil {
		return err
	}
	if q.shower, err = t.shower(ix); err != nil {
		return err
	}
	defer q.shower.Close()
	if q.spared, err = t.sparing(ix); err != nil {
		return err
	}
	defer q.spared.Close()
	return do(q)
}

// asking returns what a command does that asks the index of --index, or one of the inputs, which documents are near.
func asking(do func(*question) error) func(*task) error {
	return func(t *task) error {
		ask := func() error {
			return t.withIndex(func(ix *index.Snapshot) error { return t.ask(ix, do) })
		}
		if t.Of == nil {
			return ask()
		}
		if len(t.Args) > 0 { // a query that is not there is told of before all else is read
			r, err := t.openCorpus(0)
			if err == nil {
				err = r.Close()
			}
			if err != nil {
				return err
			}
			if len(t.Of.Args) > 1 {
				t.tell("the query is %s alone; the other %s are searched", terminal.Plain(t.Args[0]), t.Of.InputName())
			}
		}
		x := &indexing{task: &task{environment: t.environment, Flags: *t.Of}, compared: true}
		x.asked = func(ix *index.Snapshot) error {
			return t.ask(ix, func(q *question) error { return ix.Asks(q.near.Predicate) })
		}
		if err := x.rehearse(); err != nil {
			return err
		}
		return x.inTemporary(func(dir string) error {
			t.Index.Value, t.collection = dir, x.in.Reader
			return ask()
		})
	}
}

// own returns the paths of the files of r that are among the inputs that are searched.
func (t *task) own(r *corpus.Reader) map[string]bool {
	own, paths := map[string]bool{}, map[string]string{}
	if t.collection == nil {
		return own
	}
	for _, f := range r.Files() {
		paths[r.Name(f.Path)] = f.Path
	}
	for _, f := range t.collection.Files() {
		if path, ok := paths[t.collection.Name(f.Path)]; ok {
			own[path] = true
		}
	}
	return own
}

// withIndex opens the index that the flags name, runs do and closes it.
func (t *task) withIndex(do func(*index.Snapshot) error) (err error) {
	ix, err := index.Open(t.Index.Value)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	// Ids are printed from the maps, so printing is guarded, too.
	if err = disk.Guarded(func() error { return do(ix) }); err == nil || errors.Is(err, errNothing) {
		err = cmp.Or(ix.Unchanged(), err)
	}
	return err
}

// openCorpus opens the inputs that the arguments name. changes change how they are read.
func (t *task) openCorpus(bits int, changes ...func(*corpus.Options)) (*corpus.Reader, error) {
	o, err := t.CorpusOptions(bits)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		change(&o)
	}
	return corpus.Open(t.Args, o)
}

// recognise reports whether nearly all files of r are pictures, unless somebody has named a format. Then it says so,
// and they are read as pictures from now on.
func (t *task) recognise(r *corpus.Reader) bool {
	is := !t.Format.Has() && !t.FilesFrom.Given && r.OfPictures()
	if is {
		t.tell("%s: nearly all files are pictures, and are read as such (--format says otherwise)", terminal.Plain(t.InputName()))
		t.Format.Value, t.Passages.Value = corpus.Image, false
	}
	return is
}

// recogniseInputs is recognise of the inputs. An error is told of when they are read.
func (t *task) recogniseInputs() {
	if t.Format.Has() || t.FilesFrom.Given || slices.Contains(t.Args, "-") {
		return
	}
	if r, err := t.openCorpus(0); err == nil {
		t.recognise(r)
		_ = r.Close() // which has read nothing
	}
}

// openDocuments opens the inputs of index. Their ids have paths from the base of the index. Documents of
// standard input that have no id are numbered after those that the index already has, so that no id is used
// twice.
func (t *task) openDocuments(bits int, changes ...func(*corpus.Options)) (*corpus.Reader, error) {
	base, err := index.ReadBase(t.Index.Value)
	if err != nil && !errors.Is(err, index.ErrNoIndex) {
		return nil, err
	}
	first := 0
	if slices.Contains(t.Args, "-") {
		if first, err = intake.NextOfStdin(t.Index.Value); err != nil {
			return nil, err
		}
	}
	r, err := t.openCorpus(bits, append(changes, func(how *corpus.Options) { how.Base, how.StdinFirst = base, first })...)
	if err == nil && first > 0 {
		t.tell("the index has documents of standard input: those that come now without an id are -#%d and so on", first)
	}
	return r, err
}

// openPrivately is openDocuments for an index that a writer has open: it becomes private if an input is.
func (t *task) openPrivately(bits int, changes ...func(*corpus.Options)) (*corpus.Reader, error) {
	r, err := t.openDocuments(bits, changes...)
	if err == nil {
		if err = t.keepPrivate(r.Private()); err != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return r, err
}

// keepPrivate makes the index, which a writer has open, readable by its owner alone if not everybody can read a file
// of its inputs, which is "" if there is none.
func (t *task) keepPrivate(file string) error {
	if file == "" {
		return nil
	}
	dir := t.Index.Value
	changed, err := index.MakePrivate(dir)
	if err != nil {
		return fmt.Errorf("not everybody can read %s, so that %s has to be readable by its owner alone: %w", terminal.Plain(file), terminal.Plain(dir), err)
	}
	if changed {
		t.tell("not everybody can read %s: %s can be read by its owner alone from now on", terminal.Plain(file), terminal.Plain(dir))
	}
	return nil
}

// badDocuments returns the error of a command that has met so many bad documents.
func (t *task) badDocuments(bad int) error {
	if bad == 0 || t.Skip.Value.Bad {
		return nil
	}
	return errReported
}

// missed returns the error of a command that has not compared everything.
func (t *task) missed(m run.Missed) error {
	if m.LeftOut > m.Damaged && !t.Skip.Value.Binary {
		return errReported
	}
	return t.badDocuments(m.Bad + m.Damaged)
}

// shownChanges is how many differences of two texts are shown.
const shownChanges = 5

// style returns how differences are printed on standard output.
func (t *task) style() explain.Style {
	return explain.Style{Colours: t.outIsTerminal && terminal.Colours(), Columns: t.columns, Indent: "    "}
}

// shower returns what shows the documents of an index if --show is given, and nil otherwise. It returns an
// error if the index keeps no texts. The caller closes it.
func (t *task) shower(ix *index.Snapshot) (*results.Shower, error) {
	if !t.Show.Value {
		return nil, nil
	}
	if ix.Settings().Image != 0 {
		return &results.Shower{Texts: intake.OpenPictures(ix), Style: t.style(), TitlesAlone: true}, nil
	}
	texts, err := intake.OpenTexts(t.Context, ix)
	if err != nil {
		return nil, err
	}
	return &results.Shower{Texts: texts, Style: t.style(), Limit: shownChanges}, nil
}

// endOfInput is what ends standard input on a terminal.
var endOfInput = map[bool]string{false: "Ctrl-D", true: "Ctrl-Z and Enter"}[runtime.GOOS == "windows"]

const (
	// garbage is how much garbage there may be before it is collected, in percent of what is in use. Most of the memory
	// is lists of numbers, which the collector does not look into. So collecting sooner than by default costs little,
	// and less than the pages that are not taken.
	garbage = 50
	// firstGarbage is how many bytes there may be before the first collection: collecting a few megabytes again and again
	// is a quarter of the processor time of a small run.
	firstGarbage = 32 << 20
)

// collectLate sets when garbage is collected, and returns a function that undoes it, for a server that goes on with the
// index of its files. There may be least bytes of it in any case.
func collectLate(least uint64) (undo func()) {
	var mu sync.Mutex // held to set it
	done := false
	before := debug.SetGCPercent(100 * firstGarbage >> 22) // of 4 MB
	var collected func(int)
	collected = func(int) { // after a collection
		mu.Lock()
		defer mu.Unlock()
		if done {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(max(garbage, int(100*least/max(1, live[0].Value.Uint64()))))
		if least > 0 {
			runtime.AddCleanup(new(*task), collected, 0)
		}
	}
	runtime.AddCleanup(new(*task), collected, 0)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done = true
		debug.SetGCPercent(before)
	}
}
