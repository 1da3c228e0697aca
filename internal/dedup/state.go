package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/internal/analysis"
	"simsearch/internal/dedupreport"
	"simsearch/internal/disk"
	"simsearch/internal/memory"
	"simsearch/internal/outdir"
	"simsearch/internal/section"
	"simsearch/internal/terminal"
)

// StateName is the name of the file in the directory of Write that has what was compared: --rethreshold and a run that
// was interrupted while it wrote read it, and decide on it.
const StateName = "state"

// save writes a state to Options.State, if there is one: what is needed to decide again at the same threshold or at higher
// ones. It takes the place of what was kept of the reading. Of parts of documents, that is kept as it is until the run ends.
func (c *Collection) save(ctx context.Context, d *Decisions) error {
	if c.log == nil || c.ends != nil || c.resumed {
		return nil
	}
	// Of lower thresholds the sets that are saved do not tell, and of higher ones, too, if contained documents are removed.
	var at []float64
	for _, t := range d.reportedAt() {
		if t < c.o.Threshold || c.o.Contained > 0 {
			at = append(at, t)
		}
	}
	if err := d.countAt(ctx, at); err != nil {
		return err
	}
	is := decided{Out: c.out, Whole: c.whole() && (!d.grouper.Few() || len(suspicious(d, d.clusters())) > 0)}
	for _, t := range at {
		is.Below = append(is.Below, dedupreport.AtThreshold{Threshold: t, Removed: d.counted[t]})
	}
	h := partHeader{About: c.run.encoded(), Number: 1, End: c.log.now(), Counts: c.counts, Bad: c.bad, Decided: &is}
	if c.keys != nil {
		h.Keys = c.keys.savedKeys
	}
	h.Run = section.Checksum(h.About)
	sizes := c.sizes
	if !is.Whole {
		sizes = d.nearSizes()
		h.End.Features = 0
		for _, n := range sizes {
			h.End.Features += uint64(n)
		}
	}
	state := part{c.dir, StateName, h.End}
	err := state.write(h, c.columns(&sizes), func(do func(int, []uint64) error) error {
		return c.eachSet(ctx, func(set uint32, features []uint64) error {
			if sizes[set] == 0 {
				return nil
			}
			return do(int(set), features)
		})
	})
	if err != nil {
		return err
	}
	if c.log.parts = nil; is.Whole {
		c.log.parts = []part{state}
	}
	c.log.forget()
	return removeParts(c.dir, 0)
}

// nearSizes returns the sizes of the sets that are near another one, and 0 for others. If it is not known which these are, it
// returns the sizes of all.
func (d *Decisions) nearSizes() []uint32 {
	if !d.grouper.Few() {
		return d.c.sizes
	}
	sizes := make([]uint32, len(d.c.sizes))
	for i, near := range d.grouper.Paired() {
		if set := d.set(uint32(i)); near {
			sizes[set] = d.c.sizes[set]
		}
	}
	return sizes
}

// open prepares Options.State, and takes up what an interrupted run has left there. The files are known, and nothing has been
// read. If all is decided, nothing is left to be read. The error is errAnew if what is left cannot be taken up.
func (c *Collection) open(ctx context.Context) (err error) {
	if c.run, err = c.describe(c.ignored); err != nil {
		return err
	}
	if err := c.openResult(c.o.State); err != nil {
		return err
	}
	c.log = newLog(c)
	c.sets = c.log
	if !c.dir.Resumed() {
		return nil
	}
	first := part{fsys: c.dir, path: StateName}
	was, err := first.about()
	if errors.Is(err, fs.ErrNotExist) {
		first.path = partName(1)
		was, err = first.about()
	}
	why := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.dir.Clear()
	case isDamage(err):
		why = "what it has left is damaged"
	case err != nil:
		return err
	default:
		why = c.run.differs(&was)
	}
	if why != "" {
		c.tell(fmt.Sprintf("%s has an interrupted run, and %s: all begins anew", c.o.State, why))
		return c.dir.Clear()
	}
	if err := c.log.load(ctx, first); err != nil {
		return err
	}
	with, parts := terminal.Plural(len(c.lengths), "document")+" read", len(c.log.parts)
	if c.resumed = c.decided != nil; c.resumed {
		with, parts = "what to remove is decided", 0
	}
	c.tell(fmt.Sprintf("%s has an interrupted run of this command, which goes on: %s", c.o.State, with))
	return removeParts(c.dir, parts)
}

// errAnew is returned if what an interrupted run has read cannot be taken up.
var errAnew = errors.New("a file has changed")

// GoesOn reports whether dir has something of an unfinished run, which the same run would go on with.
func GoesOn(dir string) bool {
	has := func(name string) bool {
		_, err := disk.OS.Stat(filepath.Join(dir, outdir.WorkName, name))
		return err == nil
	}
	return has(StateName) || has(partName(1))
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
	o.Memory = memory.Or(o.Memory)
	if info, err := o.FS.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: name a directory that simsearch dedup --out has made", dir)
	}
	state := part{fsys: o.FS, path: filepath.Join(dir, StateName)}
	was, err := state.about()
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
		return nil, fmt.Errorf("a similarity of %v: want %v, by which %s was made, up to 1; less is for a run of its own", o.Threshold, was.Options.Threshold, dir)
	case was.Options.Contained > 0:
		return nil, fmt.Errorf("%s was made with --contained %v, which is not decided again: what is inside other documents depends on all of them; run dedup on the files", dir, was.Options.Contained)
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
	c.o.Prefer = nil // they need not be there any more
	if err := c.begin(ctx); err != nil {
		return nil, fmt.Errorf("what %s was made of: %w", dir, err)
	}
	c.o.Prefer, c.ofFiles, c.ignored = was.Options.Prefer, was.Preferred, was.Ignored
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
	if c.decided == nil {
		own := c.log
		c.log = newLog(c)
		c.sets = c.log
		if err := c.log.load(ctx, state); err != nil || c.decided == nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrState, state.path, errors.Join(err, section.ErrCorrupt))
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
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the files were named as from %s: run the command there", was.Directory)
		}
	}
	if o.Corpus.Base == "" {
		o.Corpus.Base = was.Directory
	}
	return nil
}
