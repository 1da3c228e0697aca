package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func watchCommand(t *task) *cli.Command {
	return t.command("watch", runWatch, []cli.Flag{
		t.IndexFlag(),
		t.Every.As("every", "look at folders every `TIME`, such as 500ms or 1m").Or(time.Second).By(readEvery),
		t.LimitFlag(),
	}, t.PredicateFlags(), t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
}

// readEvery reads the value of --every.
func readEvery(_, text string) (time.Duration, error) {
	every, err := time.ParseDuration(text)
	if err != nil || every <= 0 {
		err = fmt.Errorf("--every %s: want a time above 0, such as 500ms or 1m", text)
	}
	return every, err
}

// A watch answers documents and adds them.
type watch struct {
	*task
	live *index.Live
	in   *intake.Intake // the standard input, or the file that is read
	near results.Nearness
	how  index.Options
	out  *terminal.Rows
	rows [][]column // of documents that are not certainly on the disk

	documents, new, changed, known, refused int
}

// together is how many documents share a sync of the disk, if they have come already.
const together = 64

func runWatch(t *task) (err error) {
	w := &watch{task: t}
	if !t.HasInputs() {
		return errors.New("watch what? name folders, or - for standard input")
	}
	stream := slices.Contains(t.Args, "-")
	for _, name := range t.Args {
		if stream && name != "-" {
			return errors.New("watch takes standard input or folders, not both")
		}
		if info, err := os.Stat(name); !stream && err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file: watch takes folders, or - for standard input", terminal.Plain(name))
		}
	}
	if err := w.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.live.Close()) }()
	if stream {
		err = w.stream()
	} else {
		err = w.folders()
	}
	if !w.Common.Quiet {
		changed, refused := "", ""
		if w.changed > 0 {
			changed = ", " + terminal.Thousands(w.changed) + " changed"
		}
		if w.refused > 0 {
			refused = ", " + terminal.Thousands(w.refused) + " refused"
		}
		near := w.documents - w.new - w.changed - w.known - w.refused
		t.warn("%s: %s new%s, %s near others, %s known%s", terminal.Plural(w.documents, "document"),
			terminal.Thousands(w.new), changed, terminal.Thousands(near), terminal.Thousands(w.known), refused)
	}
	return err
}

// open opens the index for writing, and what is near in it.
func (w *watch) open() (err error) {
	how := index.LiveOptions{SyncEvery: time.Hour} // answers wait for Sync
	var want analysis.Settings
	if want, how.WriterOptions, err = w.PlannedIndex(); err != nil {
		return err
	}
	how.Refused = func(id []byte, why string) { w.in.Report(terminal.Plain(string(id)) + ": " + why) }
	if w.live, err = index.OpenLive(w.Index.Value, want, how); err != nil {
		return err
	}
	ix, err := w.live.Snapshot()
	if err == nil {
		w.near, err = w.Predicate(ix)
		err = errors.Join(err, ix.Close())
	}
	if err == nil {
		w.how = index.Options{Predicate: w.near.Predicate, Threads: 1, Batch: 1}
		if w.Limit.Value > 0 {
			w.how.Limit = w.Limit.Value + 1 // the document itself, if it is there
		}
	}
	if err != nil {
		return errors.Join(err, w.live.Close())
	}
	w.out = w.list()
	return nil
}

// stream answers the documents of standard input. Those that have come are answered together.
func (w *watch) stream() error {
	r, err := w.openDocuments(w.live.Settings().Bits)
	if err != nil {
		return err
	}
	if err := w.keepPrivate(r.Private()); err != nil {
		return errors.Join(err, r.Close())
	}
	in := w.inputs().Start(r, terminal.NoProgress, "watching")
	w.in = in
	ctx, stop := context.WithCancel(w.Context)
	defer stop()
	type read struct {
		doc *document.Document
		err error
	}
	documents := make(chan read, together)
	go func() {
		defer close(documents)
		for doc, err := range in.Documents() {
			next := read{err: err}
			if err == nil {
				next.doc = doc.Clone()
			}
			select {
			case documents <- next:
			case <-ctx.Done():
				return
			}
		}
	}()
	for next := range documents {
		if err = next.err; err == nil {
			err = w.answer(next.doc, &index.OneInput{})
		}
		if err == nil && (len(documents) == 0 || len(w.rows) >= together) {
			err = w.print()
		}
		if err != nil { // the other goroutine may be waiting for more input, and has the reader
			return errors.Join(err, w.print())
		}
	}
	if w.Context.Err() != nil { // the other goroutine may have ended without saying so
		return errors.Join(context.Cause(w.Context), w.print())
	}
	if err := errors.Join(w.print(), in.Close()); err != nil {
		return err
	}
	return w.badDocuments(in)
}

// answer compares a document of an input with the index, and adds it.
func (w *watch) answer(doc *document.Document, of *index.OneInput) error {
	ix, err := w.live.Snapshot()
	if err != nil {
		return err
	}
	defer ix.Close()
	one := func(yield func(*document.Document, error) bool) { yield(doc, nil) }
	return ix.NearAll(w.Context, intake.OfKind(one, ix.Input(), w.ByDistance()), w.how, func(a index.Answer) error {
		r, err := w.live.AddOne(w.Context, a.Result, of)
		if err != nil {
			return err
		}
		w.documents++
		id := string(a.ID)
		state := func(what string) []column { return []column{name("query", id), col("state", what)} }
		matches := slices.DeleteFunc(slices.Clone(a.Matches), func(m index.Match) bool { return string(m.ID) == id })
		if w.Limit.Value > 0 {
			matches = matches[:min(w.Limit.Value, len(matches))]
		}
		switch {
		case r.Unchanged > 0:
			w.known++
			w.rows = append(w.rows, state("known"))
			return nil
		case r.Refused > 0: // which has been reported
			w.refused++
			return nil
		case len(matches) > 0:
		case r.Replaced > 0:
			w.changed++
			w.rows = append(w.rows, state("changed"))
		default:
			w.new++
			w.rows = append(w.rows, state("new"))
		}
		for _, m := range matches {
			row := append(state("near"), name("id", string(m.ID)))
			w.rows = append(w.rows, append(row, w.near.Columns(ix.Settings(), results.OfMatch(m), w.Common.JSON)...))
		}
		return nil
	})
}

// print prints the answers, when their documents are on the disk.
func (w *watch) print() error {
	if len(w.rows) == 0 {
		return nil
	}
	if err := w.live.Sync(); err != nil {
		return err
	}
	for _, row := range w.rows {
		if err := w.out.Print(row...); err != nil {
			return err
		}
	}
	w.rows = w.rows[:0]
	return errors.Join(w.out.Flush(), w.stdout.Flush())
}

// A fileState tells whether a file has changed.
type fileState struct {
	size  int64
	time  time.Time
	still bool // it was so at the look before, too
	read  bool // its documents have been answered
}

// folders looks at the folders until the command is interrupted, and answers the documents of files that are new or
// have changed. A file is read when it has been the same at two looks: what is still being written is left alone. At
// the first look, all files are read that were last changed some time before.
func (w *watch) folders() error {
	how, err := w.corpusOptions(w.live.Settings().Bits)
	if err != nil {
		return err
	}
	how.Base, err = w.live.Base()
	if err != nil {
		return err
	}
	f := watched{names: w.Args, away: map[string]bool{}, files: map[string]*fileState{}}
	every := time.NewTicker(w.Every.Value)
	defer every.Stop()
	for first := true; ; first = false {
		if err := w.look(how, &f, first); err != nil {
			return err
		}
		how.Decided = nil // it has been said
		select {
		case <-w.Context.Done():
			return context.Cause(w.Context)
		case <-every.C:
		}
	}
}

// A watched is the folders, and what is known of the files in them.
type watched struct {
	names []string
	away  map[string]bool // folders that were not there at the last look
	files map[string]*fileState
	// private is a file that not everybody can read, or "".
	private string
}

// find returns the files that are there. A folder that has gone away is told of once, and is looked for again. It must be
// there at the first look.
func (w *watch) find(how corpus.Options, folders *watched, first bool) (found []corpus.File, err error) {
	add := func(names ...string) error {
		r, err := corpus.Open(names, how)
		if err != nil {
			return err
		}
		found = append(found, r.Files()...)
		folders.private = cmp.Or(folders.private, r.Private())
		return r.Close()
	}
	if len(how.FilesFrom) > 0 {
		if err := add(); err != nil {
			return nil, err
		}
		how.FilesFrom = nil
	}
	for _, name := range folders.names {
		err := add(name)
		if interrupted := context.Cause(w.Context); interrupted != nil {
			return nil, interrupted
		}
		if err != nil && first {
			return nil, err
		}
		if err != nil && !folders.away[name] {
			w.warn("%s: nothing is deleted, and it is looked for again", oneLine(err))
		}
		folders.away[name] = err != nil
	}
	return found, nil
}

// look looks at the folders once. What is known of files stays while a folder is away, so that they are not answered
// again when it is back.
func (w *watch) look(how corpus.Options, folders *watched, first bool) error {
	found, err := w.find(how, folders, first)
	if err != nil {
		return err
	}
	if err := w.keepPrivate(folders.private); err != nil {
		return err
	}
	files := folders.files
	there := map[string]bool{}
	var ready []corpus.File
	for _, f := range found {
		there[f.Path] = true
		info, err := os.Stat(f.Path)
		if err != nil { // it has just gone, or its folder has: the next look tells
			continue
		}
		now := fileState{size: info.Size(), time: info.ModTime()}
		was := files[f.Path]
		switch {
		case was == nil || was.size != now.size || !was.time.Equal(now.time):
			now.still = first && time.Since(now.time) > w.Every.Value
			files[f.Path] = &now
			was = &now
		default:
			was.still = true
		}
		if was.still && !was.read {
			was.read = true
			ready = append(ready, f)
		}
	}
	away := slices.Contains(slices.Collect(maps.Values(folders.away)), true)
	for path := range files {
		if !there[path] && !away {
			delete(files, path)
		}
	}
	for _, f := range ready {
		if err := w.file(f, how); err != nil {
			return err
		}
		if _, err := os.Stat(f.Path); err != nil { // it may not have been read to its end
			delete(files, f.Path)
		}
	}
	return w.print()
}

// file answers the documents of a file.
func (w *watch) file(f corpus.File, how corpus.Options) (err error) {
	r, err := corpus.OpenFile(f, how)
	if err != nil {
		return err
	}
	in, of := w.inputs().Start(r, terminal.NoProgress, "watching"), &index.OneInput{}
	w.in = in
	defer func() { err = errors.Join(err, in.Close()) }()
	for doc, err := range in.Documents() {
		if err == nil {
			err = w.answer(doc, of)
		}
		if err == nil && len(w.rows) >= together {
			err = w.print()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
