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
	"simsearch/internal/dedupreport"
	"simsearch/internal/disk"
	"simsearch/internal/memory"
	"simsearch/internal/mmap"
	"simsearch/internal/outdir"
	"simsearch/internal/setjoin"
	"simsearch/internal/terminal"
	"simsearch/section"
)

// StateName is the name of the file in the directory of Write that has what was compared: --rethreshold and a run that
// was interrupted while it wrote read it, and decide on it.
const StateName = "state"

// Names of sections of a state beside those of a journal.
const (
	secOf    = "documents.sets"
	secSizes = "sets.sizes"
)

// A savedState is the JSON of a state.
type savedState struct {
	V     int
	About []byte // what the run was about
	Bad   []int
	Sets  int
	Out   boilerplate
	Below []dedupreport.AtThreshold // thresholds below that of the run; with Options.Contained others, too
	Glued bool                      // there are suspicious groups, whose glue is in all sets: they have to be read again
}

// save writes a state to Options.State, if there is one: what is needed to decide again at the same threshold or at higher
// ones. What was kept of the reading is removed, unless it is needed for the glue of suspicious groups.
func (c *Collection) save(ctx context.Context, d *Decisions) error {
	if c.o.State == "" {
		return nil
	}
	some, err := c.nearSets(ctx, d)
	if err != nil {
		return err
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
	s := savedState{V: stateVersion, About: c.run.encoded(), Bad: c.bad, Sets: len(c.sizes), Out: c.out, Glued: c.restored == nil && len(suspicious(d, d.clusters())) > 0}
	for _, t := range at {
		s.Below = append(s.Below, dedupreport.AtThreshold{Threshold: t, Removed: d.counted[t]})
	}
	var failed error
	err = writeSections(c.dir, StateName, func(w *section.Writer) {
		writeAbout(w, s)
		w.Begin(secRecords)
		c.writeRecords(w)
		w.Begin(secOf)
		w.Uint32s(c.of)
		w.Begin(secSizes)
		w.Uint32s(c.sizes)
		failed = d.coded.write(w, func(i uint32) bool { return some[i] })
	})
	if err = errors.Join(err, failed); err != nil || s.Glued {
		return err
	}
	return removeParts(c.dir, 0)
}

// writeRecords writes the records of all documents, without their units.
func (c *Collection) writeRecords(w *section.Writer) {
	var bytes []byte
	for file := range c.files {
		for doc := c.starts[file]; doc < c.starts[file+1]; doc++ {
			r := docRecord{file: uint32(file), id: c.id(doc), length: c.lengths[doc], digest: c.digests[doc]}
			r.value, r.line = c.keys.saved(doc)
			bytes = r.append(bytes[:0])
			_, _ = w.Write(bytes)
		}
	}
}

// nearSets returns which sets are near another one. Sets of the reference that are near those alone may be left out.
func (c *Collection) nearSets(ctx context.Context, d *Decisions) ([]bool, error) {
	coded, ok := d.coded.(*similarSets)
	if ok && d.grouper.Few() {
		return d.grouper.Paired(), nil
	}
	some := make([]bool, len(c.sizes))
	if !ok { // all are written
		return some, nil
	}
	for set, center := range d.centers {
		if center != uint32(set) {
			some[set], some[center] = true, true
		}
	}
	if c.o.Chain || c.o.Contained > 0 { // near sets are in a group, or it is not decided again
		return some, nil
	}
	// A set that is kept, and that nothing belongs to, may be near one that is removed.
	var removed, others []uint32
	for _, set := range d.order {
		switch {
		case d.centers[set] != set:
			removed = append(removed, set)
		case !some[set]:
			others = append(others, set)
		}
	}
	how := setjoin.StarOptions{First: len(removed), OnlyFirst: true}
	stars, err := setjoin.Stars(ctx, coded.Sets.Sets, c.o.Threshold, append(removed, others...), how, setjoin.Options{Threads: c.o.Threads})
	for _, set := range others {
		some[set] = err == nil && stars[set].Center != set
	}
	return some, err
}

// readState reads a state.
func readState(fsys interface {
	ReadFile(name string) ([]byte, error)
}, path string,
) (f *section.File, s savedState, run savedRun, err error) {
	data, err := fsys.ReadFile(path)
	if err != nil {
		return nil, s, run, err
	}
	if f, err = section.Parse(data); err == nil {
		err = f.Verify()
	}
	if err != nil {
		return nil, s, run, err
	}
	if err := readAbout(f, &s); err != nil || s.V != stateVersion {
		return nil, s, run, fmt.Errorf("%w: of another version of simsearch", section.ErrVersion)
	}
	return f, s, run, run.decode(f, s.About)
}

// restore takes up a state, of which the files are known.
func (c *Collection) restore(f *section.File, s *savedState) error {
	if len(s.Bad) != len(c.files) || s.Sets < 0 || s.Sets > maxDocuments {
		return f.Corruptf(secAbout, 0, "%d files and %d sets", len(s.Bad), s.Sets)
	}
	records, err := f.Bytes(secRecords)
	if err != nil {
		return err
	}
	if ok, err := c.takeAll(records); err != nil || !ok {
		return errors.Join(err, f.Corruptf(secRecords, 0, "they are no records"))
	}
	if c.of, err = f.Uint32s(secOf, uint64(len(c.lengths))); err != nil {
		return err
	}
	if c.sizes, err = f.Uint32s(secSizes, uint64(s.Sets)); err != nil {
		return err
	}
	known := make([]bool, s.Sets)
	for i, set := range c.of {
		if set != noSet && int(set) >= s.Sets {
			return f.Corruptf(secOf, 4*uint64(i), "set %d of %d", set, s.Sets)
		}
		if set != noSet {
			known[set] = true
		}
	}
	if i := slices.Index(known, false); i >= 0 {
		return f.Corruptf(secOf, 0, "set %d has no document", i)
	}
	for _, e := range s.Out.Examples {
		if int64(e.Document) >= int64(len(c.lengths)) {
			return f.Corruptf(secAbout, 0, "document %d of %d", e.Document, len(c.lengths))
		}
	}
	c.bad, c.out, c.below = s.Bad, s.Out, s.Below
	c.restored, err = c.load(f, s.Sets)
	return err
}

// open prepares Options.State, and takes up what an interrupted run has left there. It returns whether nothing is left to
// be read. The files are known, and nothing has been read. The error is errAnew if what is left cannot be taken up.
func (c *Collection) open(ctx context.Context) (read bool, err error) {
	if c.run, err = c.describe(c.ignored); err != nil {
		return false, err
	}
	if err := c.openResult(c.o.State); err != nil {
		return false, err
	}
	c.journal = newJournal(c)
	c.sets = c.journal
	if !c.dir.Resumed() {
		return false, nil
	}
	goesOn := func(with string) {
		c.tell(fmt.Sprintf("%s has an interrupted run of this command, which goes on: %s", c.o.State, with))
	}
	f, s, was, err := readState(c.dir, StateName)
	why := ""
	switch {
	case err == nil:
		if why = c.run.differs(&was); why == "" && !s.Glued {
			if err := c.restore(f, &s); err != nil {
				return false, fmt.Errorf("%w: %w", errAnew, err)
			}
			goesOn("what to remove is decided")
			return true, removeParts(c.dir, 0)
		}
	case isDamage(err):
		why = "what it has left is damaged"
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if was, ok, err := c.journal.about(); err != nil {
		return false, err
	} else if ok && why == "" {
		if why = c.run.differs(&was); why == "" {
			if err := c.journal.load(ctx); err != nil {
				return false, err
			}
			goesOn(terminal.Plural(len(c.lengths), "document") + " read")
			return false, nil
		}
	}
	if why != "" {
		c.tell(fmt.Sprintf("%s has an interrupted run, and %s: all begins anew", c.o.State, why))
	}
	return false, c.dir.Clear()
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

// isDamage reports whether err is about bytes that a crash may have left.
func isDamage(err error) bool {
	return errors.Is(err, section.ErrCorrupt) || errors.Is(err, section.ErrForeign) || errors.Is(err, section.ErrVersion) || errors.Is(err, mmap.ErrFault)
}

// Again returns the Collection that another run, whose Options.State was dir, has read, so that Decide decides anew, at
// Options.Threshold, without reading and coding again. That must not be less than it was. Files, settings and the
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
	path := filepath.Join(dir, StateName)
	f, s, was, err := readState(o.FS, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no file %s, which simsearch dedup --out leaves unless it is with --by: name the directory of its result", dir, StateName)
	case isDamage(err):
		return nil, fmt.Errorf("%w: %s: %w", ErrState, path, err)
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
		if read, err := c.open(ctx); err != nil || read {
			return c, errors.Join(err, c.end())
		}
	}
	if err := c.restore(f, &s); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrState, path, err)
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
