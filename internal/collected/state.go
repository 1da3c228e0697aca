package collected

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/internal/analysis"
	"simsearch/internal/disk"
	"simsearch/internal/objects"
	"simsearch/internal/outdir"
	"simsearch/internal/section"
	"simsearch/internal/spill"
	"simsearch/internal/terminal"
)

// StateName is the name of the file in the directory of Write that has what was compared: --rethreshold and a run that
// was interrupted while it wrote read it, and decide on it.
const StateName = "state/documents"

// SavesState reports whether a state is saved of what is decided.
func (c *Collection) SavesState() bool { return c.log != nil && c.Ends == nil && !c.resumed }

// Save writes a state to Options.State: what was decided, and the documents. The sets are in files of their own. They take the place of what
// was kept of the reading.
func (c *Collection) Save(ctx context.Context, is Decided) error {
	if c.grown == nil || c.grown.in != c.Dir {
		if err := c.keepSets(ctx, c.Sizes); err != nil {
			return err
		}
	}
	is.SetFiles, is.Grows, is.Rows = len(c.grown.Files), c.digests != nil, c.rows
	h := partHeader{About: c.run.encoded(), Number: 1, End: c.log.now(), Counts: c.counts, Bad: c.Bad, Formats: c.formats, Decided: &is}
	if c.Keys != nil {
		h.Keys = c.Keys.Saved
	}
	h.Run = section.Checksum(h.About)
	h.End.Features = c.features
	columns := append(c.columns(&c.Sizes), list[uint32]{secStored, &c.grown.At})
	if c.Near != nil {
		is.Near = &c.Near.At
		columns = append(columns, list[uint64]{secNear, &c.Near.Pairs}, list[uint64]{secSimilarities, &c.Near.Similarities})
	}
	if c.Options.Append {
		columns = append(columns, list[byte]{secStands, &c.Stands})
	}
	state := part{fsys: c.Dir, path: filepath.FromSlash(StateName), end: h.End}
	if err := state.write(h, columns, nil); err != nil {
		return err
	}
	c.log.parts = nil
	c.log.forget()
	return removeParts(c.Dir, 0)
}

// open prepares Options.State, and takes up what an interrupted run has left there. The files are known, and nothing has been
// read. If all is decided, nothing is left to be read. The error is errAnew if what is left cannot be taken up.
func (c *Collection) open(ctx context.Context) (err error) {
	if c.run, err = c.describe(c.ignored); err != nil {
		return err
	}
	c.run.Learnt = c.learnt
	if err := c.openResult(c.Options.State); err != nil {
		return err
	}
	if err := c.findEarlier(ctx); err != nil {
		return err
	}
	if c.Options.Append && c.Analysis != nil && c.earlier == nil {
		if _, err := c.Options.FS.Stat(filepath.Join(c.Options.State, outdir.ListName)); err == nil {
			return fmt.Errorf("%s has a result to which nothing can be added, since its state is gone or has none of these files: "+
				"remove it, or name another directory", c.Options.State)
		}
	}
	c.log = newLog(c)
	c.sets = c.log
	if !c.Dir.Resumed() {
		return nil
	}
	first := part{fsys: c.Dir, path: filepath.FromSlash(StateName)}
	was, err := first.about(c.Options.Threads)
	if errors.Is(err, fs.ErrNotExist) {
		first.path = PartName(1)
		was, err = first.about(c.Options.Threads)
	}
	why := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.Dir.Clear()
	case isDamage(err):
		why = "what it has left is damaged"
	case err != nil:
		return err
	default:
		why = c.run.differs(&was)
	}
	if why != "" {
		c.tell(fmt.Sprintf("%s has an interrupted run, and %s: all begins anew", c.Options.State, why))
		return c.Dir.Clear()
	}
	c.run.Began = was.Began
	if err := c.log.load(ctx, first); err != nil {
		return err
	}
	with, parts := terminal.Plural(len(c.Lengths), "document")+" read", len(c.log.parts)
	if c.resumed = c.Decided != nil; c.resumed {
		with, parts = "what to remove is decided", 0
		if err := c.openGrown(c.Dir, ""); isAbsent(err) {
			return errAnew
		} else if err != nil {
			return err
		}
	}
	c.tell(fmt.Sprintf("%s has an interrupted run of this command, which goes on: %s", c.Options.State, with))
	return removeParts(c.Dir, parts)
}

// errAnew is returned if what an interrupted run has read cannot be taken up.
var errAnew = errors.New("a file has changed, or what it has left is damaged")

// GoesOn reports whether dir has something of an unfinished run, which the same run would go on with.
func GoesOn(dir string) bool {
	has := func(name string) bool {
		_, err := disk.OS.Stat(filepath.Join(dir, outdir.WorkName, name))
		return err == nil
	}
	return has(StateName) || has(PartName(1))
}

// Again returns the Collection that another run, whose Options.State was dir, has read, so that Decide decides anew, at
// Options.Threshold, without reading again. That must not be less than it was. Files, settings and the
// order in which documents are kept are those of that run, and so is what is left out of the sets. Of o, only Threshold,
// Annotate, DryRun and what changes no decision are used. The files must be as they were. What Options.Contained has removed
// is not decided anew. The caller closes the Collection. The errors are those of Read, and say what has changed.
func Again(ctx context.Context, dir string, o Options) (_ *Collection, err error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Memory = spill.MemoryOr(o.Memory)
	if info, err := o.FS.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: name a directory that simsearch dedup --out has made", dir)
	}
	state := part{fsys: o.FS, path: filepath.Join(dir, StateName)}
	was, err := state.about(o.Threads)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no file %s, which simsearch dedup --out leaves unless it is with --by: name the directory of its result", dir, StateName)
	case isDamage(err):
		return nil, fmt.Errorf("%w: %s: %w", ErrState, state.path, err)
	case err != nil:
		return nil, err
	case was.Options.Settings.Mode == analysis.SimHash:
		return nil, fmt.Errorf("%s was made by the distance of fingerprints: run dedup on the files again, with another --k", dir)
	case !(o.Threshold >= was.Options.Threshold && o.Threshold <= 1):
		return nil, fmt.Errorf("a similarity of %v: want %v, by which %s was made, up to 1; less is for a run of its own", o.Threshold,
			was.Options.Threshold, dir)
	case was.Options.Contained > 0:
		return nil, fmt.Errorf("%s was made with --contained %v, which is not decided again: what is inside other documents depends on "+
			"all of them; run dedup on the files", dir, was.Options.Contained)
	}
	o.Corpus.Context = ctx
	o.goOn(was.Options)
	if err := sameDirectory(&was, &o); err != nil {
		return nil, err
	}
	c := newCollection(was.Refs, was.Inputs, o)
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	c.Options.Prefer = nil // they need not be there any more
	if err := c.begin(); err != nil {
		return nil, fmt.Errorf("what %s was made of: %w", dir, err)
	}
	c.Options.Prefer, c.ofFiles, c.ignored = was.Options.Prefer, was.Preferred, was.Ignored
	if c.run, err = c.describe(c.ignored); err != nil {
		return nil, err
	}
	if changed := changedFile(was.Files, c.run.Files); changed != "" {
		return nil, fmt.Errorf("%s since %s was made: run dedup on the files again", changed, dir)
	}
	if o.State != "" {
		if err := c.open(ctx); err != nil {
			return nil, err
		}
	}
	if c.Decided == nil {
		own := c.log
		c.log = newLog(c)
		if err := c.log.load(ctx, state); err != nil || c.Decided == nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrState, state.path, errors.Join(err, section.ErrCorrupt))
		}
		if err := c.openGrown(o.FS, dir); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrState, err)
		}
		c.log = own
	}
	return c, c.end()
}

// ErrState is the class of errors of a state that is damaged, or of another version of the program.
var ErrState = errors.New("what the run has left cannot be read")

// sameDirectory makes paths and ids begin where they began.
func sameDirectory(was *savedRun, o *Options) error {
	here, err := os.Getwd()
	if err != nil || here == was.Directory {
		return err
	}
	for _, path := range slices.Concat(was.Refs, was.Inputs, was.Options.Corpus.FilesFrom) {
		if !filepath.IsAbs(path) && !objects.Is(path) {
			return fmt.Errorf("the files were named as from %s: run the command there", was.Directory)
		}
	}
	if o.Corpus.Base == "" {
		o.Corpus.Base = was.Directory
	}
	return nil
}
