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

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/terminal"
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
	f := watched{names: w.c.Args, away: map[string]bool{}, files: map[string]*fileState{}}
	every := time.NewTicker(w.every)
	defer every.Stop()
	for first := true; ; first = false {
		if err := w.look(how, &f, first); err != nil {
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
		if interrupted := context.Cause(w.c.Context); interrupted != nil {
			return nil, interrupted
		}
		if err != nil && first {
			return nil, err
		}
		if err != nil && !folders.away[name] {
			fmt.Fprintf(w.env.stderr, "simsearch: %s: nothing is deleted, and it is looked for again\n", oneLine(err))
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
	if err := w.env.keepPrivate(w.c, w.dir, folders.private); err != nil {
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
	in, of := w.env.inputs().Start(r, terminal.NoProgress, "watching"), &index.OneInput{}
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
