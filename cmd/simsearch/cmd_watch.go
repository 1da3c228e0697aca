package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/internal/corpus"
	"simsearch/internal/document"
	"simsearch/internal/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func watchCommand(t *task) *cli.Command {
	return t.command("watch", runWatch, []cli.Flag{
		t.IndexFlag(),
		t.Every.As("every", "look at folders every `TIME`, such as 500ms or 1m").Or(time.Second).By(options.ReadEvery),
		t.LimitFlag(),
	}, t.PredicateFlags(true), t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
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
	changed, refused := "", ""
	if w.changed > 0 {
		changed = ", " + terminal.Thousands(w.changed) + " changed"
	}
	if w.refused > 0 {
		refused = ", " + terminal.Thousands(w.refused) + " refused"
	}
	near := w.documents - w.new - w.changed - w.known - w.refused
	t.tell("%s: %s new%s, %s near others, %s known%s", terminal.Plural(w.documents, "document"),
		terminal.Thousands(w.new), changed, terminal.Thousands(near), terminal.Thousands(w.known), refused)
	return err
}

// open opens the index for writing, and what is near in it.
func (w *watch) open() (err error) {
	want, how, err := w.PlannedIndex()
	if err != nil {
		return err
	}
	how.SyncEvery = time.Hour // answers wait for Sync
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
	r, err := w.openPrivately(w.live.Settings().Bits)
	if err != nil {
		return err
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
			w.rows = append(w.rows, w.near.AppendColumns(row, ix.Settings(), m.Measures, w.JSON.Value))
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

// folders looks at the folders until the command is interrupted, and answers the documents of files that are new or
// have changed.
func (w *watch) folders() error {
	how, err := w.corpusOptions(w.live.Settings().Bits)
	if err != nil {
		return err
	}
	if how.Base, err = w.live.Base(); err != nil {
		return err
	}
	f := intake.Folders{Names: w.Args, How: how, Every: w.Every.Value, Gone: func(err error) {
		w.warn("%s: nothing is deleted, and it is looked for again", oneLine(err))
	}}
	every := time.NewTicker(w.Every.Value)
	defer every.Stop()
	for {
		ready, err := f.Look()
		if err == nil {
			err = w.keepPrivate(f.Private)
		}
		for _, file := range ready {
			if err == nil {
				err = w.file(file, how)
			}
			if _, gone := os.Stat(file.Path); gone != nil { // it may not have been read to its end
				f.Forget(file)
			}
		}
		if err == nil {
			err = w.print()
		}
		if err != nil {
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
