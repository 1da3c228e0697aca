package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/terminal"
)

// StateName is the name of the file in the directory of Write that has what was compared: a run that was interrupted
// while it wrote, the next run of the same command and --from read it.
const StateName = "state/documents"

// savesState reports whether a state is saved of what is decided.
func (c *Collection) savesState() bool { return c.log != nil && c.Ends == nil && !c.resumed }

// save writes a state to Options.State: what was decided, and the documents. The sets are in files of their own. They take the place of what
// was kept of the reading.
func (c *Collection) save(ctx context.Context, is Decided) error {
	if c.grown == nil || c.grown.in != c.Dir {
		if err := c.keepSets(ctx, c.Sizes); err != nil {
			return err
		}
	}
	is.SetFiles, is.Grows, is.Rows = len(c.grown.Files), c.digests != nil, c.rows
	h := partHeader{About: c.run.encoded(), Number: 1, End: c.log.now(), Counts: c.counts, Bad: c.Bad, Formats: c.formats, Decided: &is}
	if c.Keys != nil {
		h.Keys = c.Keys.savedKeys
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
	if err := c.openResult(c.Options.State); err != nil {
		return err
	}
	if err := c.findEarlier(ctx); err != nil {
		return err
	}
	if c.Options.Append && c.earlier == nil {
		if _, err := c.Options.FS.Stat(filepath.Join(c.Options.State, publish.ListName)); err == nil {
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
		first.path = partName(1)
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
		_, err := disk.OS.Stat(filepath.Join(dir, publish.WorkName, name))
		return err == nil
	}
	return has(StateName) || has(partName(1))
}

// From sets the options to those of the run that has made the result in a directory, but for what changes nothing of what is decided, and for
// Annotate, DryRun and, if another is true, for the Threshold, the Distance or Copy. It returns the reference and the inputs of that run.
func From(dir string, another bool, o *Options) (refs, inputs []string, err error) {
	if info, err := disk.OS.Stat(dir); err == nil && !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is a file: name a directory that simsearch dedup --out has made", dir)
	}
	state := part{fsys: disk.OS, path: filepath.Join(dir, StateName)}
	run, err := state.about(o.Threads)
	was, now := run.Options, *o
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("%s has no file %s, which simsearch dedup --out leaves unless it is with --by: name the directory of its result", dir, StateName)
	case isDamage(err):
		return nil, nil, fmt.Errorf("%w: %s: %w", ErrState, state.path, err)
	case err != nil:
		return nil, nil, err
	case another && o.Copy > 0 && was.Copy == 0:
		return nil, nil, fmt.Errorf("%s was made by the similarity of sets, and has not told texts apart: give another --jaccard", dir)
	case another && was.ByDistance() != o.ByDistance() && was.ByDistance():
		return nil, nil, fmt.Errorf("%s was made by the distance of fingerprints: give another --k", dir)
	case another && was.ByDistance() != o.ByDistance():
		return nil, nil, fmt.Errorf("%s was made by the similarity of sets: give another --jaccard", dir)
	}
	*o = was
	if another {
		o.Threshold, o.Distance, o.Copy = now.Threshold, now.Distance, now.Copy
	}
	o.Options, o.Corpus = now.Options, was.Corpus
	o.From, o.Append, o.Annotate, o.DryRun, o.Memory, o.State, o.Tell, o.Expect = dir, false, now.Annotate, now.DryRun, now.Memory, now.State, now.Tell, now.Expect
	o.Corpus.Decided, o.PartBytes, o.LeastRows, o.Free, o.Began = now.Corpus.Decided, now.PartBytes, now.LeastRows, now.Free, now.Began
	return run.Refs, run.Inputs, run.sameDirectory(&o.Corpus)
}

// ErrState is the class of errors of a state that is damaged, or of another version of the program.
var ErrState = errors.New("what the run has left cannot be read")

// sameDirectory makes paths and ids begin where they began.
func (r *savedRun) sameDirectory(o *corpus.Options) error {
	here, err := os.Getwd()
	if err != nil || here == r.Directory {
		return err
	}
	for _, path := range slices.Concat(r.Refs, r.Inputs, o.FilesFrom) {
		if !filepath.IsAbs(path) && !objects.Is(path) {
			return fmt.Errorf("the files were named as from %s: run the command there", r.Directory)
		}
	}
	if o.Base == "" {
		o.Base = r.Directory
	}
	return nil
}
