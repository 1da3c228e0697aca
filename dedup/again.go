package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/analysis"
	"simsearch/internal/disk"
	"simsearch/internal/memory"
	"simsearch/internal/spill"
	"simsearch/section"
)

// Again returns the Collection that another run, whose Options.State was dir, has read, so that Decide decides anew, at
// Options.Threshold, without reading and comparing again. That must not be less than it was. Files, settings and the
// order in which documents are kept are those of that run, and so is what is left out of the sets; of o, Corpus, Settings,
// Chain, MaxDF, Ignore, Prefer and Keep are not used. The files must be as they were. What Options.Contained has removed
// is not decided anew. The caller closes the Collection. The errors are those of Read, and say what has changed.
func Again(ctx context.Context, dir string, o Options) (_ *Collection, err error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Memory = memory.Or(o.Memory)
	f, s, err := readState(o.FS, dir)
	if err != nil {
		return nil, err
	}
	if s.Run.Features.Mode == analysis.SimHash {
		return nil, fmt.Errorf("%s was made by the distance of fingerprints: run dedup on the files again, with another --k", dir)
	}
	if !(o.Threshold >= s.Run.Threshold && o.Threshold <= 1) {
		return nil, fmt.Errorf("a similarity of %v: want %v, by which %s was made, up to 1; less is for a run of its own", o.Threshold, s.Run.Threshold, dir)
	}
	if s.Run.Contained > 0 {
		return nil, fmt.Errorf("%s was made with --contained %v, which is not decided again: what is inside other documents depends on all of them; run dedup on the files", dir, s.Run.Contained)
	}
	s.Run.Corpus.options(&o.Corpus)
	o.Corpus.Context, o.Settings, o.Chain, o.MaxDF, o.Ignore = ctx, s.Run.Features, s.Run.Chain, s.Run.MaxDF, s.Run.Ignore.Path
	if o.Keep, err = ParseKeep(s.Run.Keep); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, StateName), err)
	}
	if err := sameDirectory(&s.Run, &o); err != nil {
		return nil, err
	}
	c := &Collection{o: o, refInputs: s.Run.Refs, inputs: s.Run.Inputs, sets: &spill.Lists{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.find(ctx); err != nil {
		return nil, fmt.Errorf("what %s was made of: %w", dir, err)
	}
	c.o.Prefer, c.ignored = s.Run.Prefer, s.Run.Ignore.Digest // which need not be there any more
	is, err := c.about()
	if err != nil {
		return nil, err
	}
	if changed := changedFile(s.Run.Files, is.Files); changed != "" {
		return nil, fmt.Errorf("%s since %s was made: run dedup on the files again", changed, dir)
	}
	if o.State != "" {
		if err := c.open(ctx); err != nil || c.decided != nil {
			return c, err
		}
	}
	before, err := c.restore(f, &s)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrState, filepath.Join(dir, StateName), err)
	}
	c.coded = before.coded
	return c, nil
}

// ErrState is the class of errors of a state that is damaged, or of another version of the program.
var ErrState = errors.New("what the run has left cannot be read")

// readState reads the state that a run has left in dir.
func readState(fsys disk.FS, dir string) (f *section.File, s savedState, err error) {
	if info, err := fsys.Stat(dir); err == nil && !info.IsDir() {
		return nil, s, fmt.Errorf("%s is a file: name a directory that simsearch dedup --out has made", dir)
	}
	path := filepath.Join(dir, StateName)
	data, err := fsys.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s, fmt.Errorf("%s has no file %s, which simsearch dedup --out leaves unless it is with --by: name the directory of its result", dir, StateName)
	}
	if err != nil {
		return nil, s, err
	}
	if f, s, err = parseState(data); err != nil {
		err = fmt.Errorf("%w: %s: %w", ErrState, path, err)
	}
	return f, s, err
}

// sameDirectory makes paths and ids begin where they began.
func sameDirectory(was *about, o *Options) error {
	here, err := os.Getwd()
	if err != nil || here == was.Directory {
		return err
	}
	for _, path := range slices.Concat(was.Refs, was.Inputs, was.Corpus.FilesFrom) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the files were named as from %s: run the command there", was.Directory)
		}
	}
	if o.Corpus.Base == "" {
		o.Corpus.Base = was.Directory
	}
	return nil
}
