package main

import (
	"context"
	"errors"
	"os"
	"time"

	"simsearch/corpus"
	"simsearch/internal/progress"
)

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
	how, err := w.env.corpusOptions(w.c, w.live.Settings().Bits)
	if err != nil {
		return err
	}
	how.Base, err = w.live.Base()
	if err != nil {
		return err
	}
	files := map[string]*fileState{}
	every := time.NewTicker(w.every)
	defer every.Stop()
	for first := true; ; first = false {
		if err := w.look(how, files, first); err != nil {
			return err
		}
		how.Decided = nil // it has been said
		select {
		case <-w.c.Context.Done():
			return context.Cause(w.c.Context)
		case <-every.C:
		}
	}
}

// look looks at the folders once.
func (w *watch) look(how corpus.Options, files map[string]*fileState, first bool) error {
	r, err := corpus.Open(w.c.Args().Slice(), how)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	var ready []corpus.File
	for _, f := range r.Files() {
		info, err := os.Stat(f.Path)
		if err != nil { // it is gone by now
			continue
		}
		there[f.Path] = true
		now := fileState{size: info.Size(), time: info.ModTime()}
		was := files[f.Path]
		switch {
		case was == nil || was.size != now.size || !was.time.Equal(now.time):
			now.still = first && time.Since(now.time) > w.every
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
	for path := range files {
		if !there[path] {
			delete(files, path)
		}
	}
	if err := r.Close(); err != nil {
		return err
	}
	for _, f := range ready {
		if err := w.file(f, how); err != nil {
			return err
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
	in := w.env.inputs().Start(r, progress.None, "watching")
	defer func() { err = errors.Join(err, in.Close()) }()
	for doc, err := range in.Documents() {
		if err == nil {
			err = w.answer(doc)
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
