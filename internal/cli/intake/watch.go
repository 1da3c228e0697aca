package intake

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/serve/gate"
)

// A Watch answers documents and adds them.
type Watch struct {
	Context context.Context
	Gate    *gate.Gate
	Near    results.Nearness
	How     index.Options
	Limit   int // matches that are printed of a document; 0 for all
	Teller  *Teller
	Out     *terminal.Rows
	Flush   func() error // flushes what Out writes to
	In      *Intake      // the standard input, or the file that is read

	ByDistance  bool                    // texts and fingerprints are compared by the distance of fingerprints
	KeepPrivate func(file string) error // makes the index private if file, which its inputs have, is not ""

	rows [][]terminal.Column // of documents that are not certainly on the disk

	Documents, New, Changed, Known, Refused int
}

// together is how many documents share a sync of the disk, if they have come already.
const together = 64

// Read answers the documents of an input, which are one if of is not nil. Those that have come are answered together.
func (w *Watch) Read(r *corpus.Reader, of *index.OneInput) error {
	in := w.Teller.Start(r, terminal.NoProgress, "watching")
	w.In = in
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
		err := next.err
		if err == nil {
			err = w.answer(next.doc, cmp.Or(of, &index.OneInput{}))
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
	return errors.Join(w.print(), in.Close())
}

// answer compares a document of an input with the index, and adds it.
func (w *Watch) answer(doc *document.Document, of *index.OneInput) error {
	var q analysis.Result
	var a gate.Answer
	err := w.Gate.See(func(v *gate.View) (err error) {
		if err = CheckKind(doc, v.Input(), w.ByDistance); err == nil {
			q, err = v.Analysis().Analyse(doc)
		}
		if err == nil {
			a, err = v.Near(w.Context, &q, w.How)
		}
		return err
	})
	if err != nil {
		return err
	}
	r, err := w.Gate.Live().AddOne(w.Context, &q, of)
	if err != nil {
		return err
	}
	w.Documents++
	state := func(what string) []terminal.Column {
		return terminal.Keyed("query", terminal.ID(doc.ID), "state", what)
	}
	matches := slices.DeleteFunc(a.Matches, func(m gate.Match) bool { return m.ID == string(doc.ID) })
	if w.Limit > 0 {
		matches = matches[:min(w.Limit, len(matches))]
	}
	switch {
	case r.Unchanged > 0:
		w.Known++
		w.rows = append(w.rows, state("known"))
		return nil
	case r.Refused > 0: // which has been reported
		w.Refused++
		return nil
	case len(matches) > 0:
	case r.Replaced > 0:
		w.Changed++
		w.rows = append(w.rows, state("changed"))
	default:
		w.New++
		w.rows = append(w.rows, state("new"))
	}
	for _, m := range matches {
		row := append(state("near"), terminal.Column{Key: "id", Value: terminal.ID(m.ID)})
		w.rows = append(w.rows, w.Near.AppendColumns(row, w.Gate.Live().Settings(), m.Measures, w.Out.JSON()))
	}
	return nil
}

// print prints the answers, when their documents are on the disk.
func (w *Watch) print() error {
	if len(w.rows) == 0 {
		return nil
	}
	if err := w.Gate.Live().Sync(); err != nil {
		return err
	}
	for _, row := range w.rows {
		if err := w.Out.Print(row...); err != nil {
			return err
		}
	}
	w.rows = w.rows[:0]
	return errors.Join(w.Out.Flush(), w.Flush())
}

// Folders looks at the folders of f until the watch is interrupted, and answers the documents of files that are new or
// have changed.
func (w *Watch) Folders(f *Folders) error {
	how := f.How
	every := time.NewTicker(f.Every)
	defer every.Stop()
	for {
		ready, err := f.Look()
		if err == nil {
			err = w.KeepPrivate(f.Private)
		}
		for _, file := range ready {
			if err == nil {
				var r *corpus.Reader
				if r, err = corpus.OpenFile(file, how); err == nil {
					err = w.Read(r, &index.OneInput{})
				}
			}
			if _, gone := os.Stat(file.Path); gone != nil { // it may not have been read to its end
				f.Forget(file)
			}
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
