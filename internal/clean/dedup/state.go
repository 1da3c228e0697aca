package dedup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/explain"
)

// stateName is the name of the file in the directory of Write that says what the run has decided and seen, and of
// what. The next run of the same command and --from read it.
const stateName = "state/documents"

// storedName returns the name of a file with documents and sets, from 1, in the directory of a result.
func storedName(i int) string { return fmt.Sprintf("state/part-%02d", i) }

// mostStored is how many such files there are. Instead of one more, all is written to one.
const mostStored = 16

// A past is what a run has decided and seen. Documents and sets are numbered as in its parts, one after the other.
type past struct {
	pastHeader
	run     savedRun
	Removed []byte     // of each document, whether it is in the output of its file
	FactsOf []uint32   // documents whose facts have been seen
	Facts   []uint32   // of these, explain.FactWords each
	Near    *NearPairs // the near pairs of the sets, or nil if they are not known
}

// A pastHeader is the part of it that is written as JSON.
type pastHeader struct {
	V     int
	About []byte
	Parts int
	At    float64    // the least similarity of the near pairs; 0 if these are not known
	Judge int        // the version of the judge of the near pairs
	Texts []seenText // of some documents
}

// What past.Removed says of a document.
const (
	wasKept = iota
	wasRemoved
	wasGone // its file was no input, or was another one
)

// A seenText is what is shown of a document: the beginning of its text, or the size of a picture.
type seenText struct {
	Document uint32 // in a state
	Text     []byte
	More     bool   // the text goes on
	Most     int    // how many bytes were wanted
	picture  []byte // a small copy of it
}

// NearPairs are near pairs of sets, each once.
type NearPairs struct {
	At           float64  // the least similarity
	Pairs        []uint64 // the numbers of two sets, one in each half
	Similarities []uint64 // the bits of the similarity of each pair
	Copies       []uint64 // with Options.Copy, the bits of how likely the first pairs are copies
}

// Add adds a pair.
func (l *NearPairs) Add(a, b uint32, similarity float64) {
	l.Pairs, l.Similarities = append(l.Pairs, uint64(a)<<32|uint64(b)), append(l.Similarities, math.Float64bits(similarity))
}

// each calls do with each pair.
func (l *NearPairs) each(do func(a, b uint32, similarity float64)) {
	for i, p := range l.Pairs {
		do(uint32(p>>32), uint32(p), math.Float64frombits(l.Similarities[i]))
	}
}

// columns returns the lists of a state with some near pairs.
func (p *past) columns(near *NearPairs) []column {
	return []column{list[byte]{"documents.removed", &p.Removed}, list[uint32]{"facts.documents", &p.FactsOf}, list[uint32]{"facts", &p.Facts},
		list[uint64]{"near.pairs", &near.Pairs}, list[uint64]{"near.similarities", &near.Similarities}, list[uint64]{"near.copies", &near.Copies}}
}

// write writes a state.
func (p *past) write(to part) error {
	h, near := p.pastHeader, cmp.Or(p.Near, &NearPairs{})
	h.V, h.About, h.At, h.Judge = stateVersion, p.run.encoded(), near.At, judge.Default.Version
	return section.WriteFile(to.fsys, to.path, h, func(w *section.Writer) error {
		for _, column := range p.columns(near) {
			column.write(w)
		}
		return nil
	})
}

// readPast reads a state.
func readPast(from part, threads int) (p *past, err error) {
	p = &past{}
	return p, from.mapped(threads, func(f *section.File) error {
		if err := readHeader(f, &p.pastHeader, &p.V); err != nil {
			return err
		}
		if err := p.run.decode(f, p.About); err != nil {
			return err
		}
		near := &NearPairs{At: p.At}
		for _, column := range p.columns(near) {
			column.read(f)
		}
		noFacts := len(p.Facts) != len(p.FactsOf)*explain.FactWords
		for facts := p.Facts; len(facts) >= explain.FactWords; facts = facts[explain.FactWords:] {
			is := explain.Facts(facts)
			noFacts = noFacts || !is.Valid()
		}
		unlike := func(bits uint64) bool { s := math.Float64frombits(bits); return !(s > 0 && s <= 1) }
		if noFacts || len(near.Similarities) != len(near.Pairs) || slices.ContainsFunc(near.Similarities, unlike) ||
			slices.ContainsFunc(near.Copies, unlike) || len(near.Copies) > len(near.Pairs) || slices.ContainsFunc(p.Removed, func(is byte) bool { return is > wasGone }) ||
			p.Parts > mostStored {
			return f.Corruptf(section.About, 0, "there are no such decisions")
		}
		if p.At > 0 {
			p.Near = near
			if p.Judge != judge.Default.Version {
				p.Near.Copies = nil
			}
		}
		return nil
	})
}

// open prepares Options.State, and takes up what an interrupted run has left there. The files are known, and nothing
// has been read. The error is errAnew if what is left cannot be taken up.
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
	l := newLog(c)
	c.log = l
	c.addTo(l)
	if !c.Dir.Resumed() {
		return nil
	}
	whole := part{c.Dir, filepath.FromSlash(storedName(c.partsBefore() + 1))}
	was, err := whole.about(c.Options.Threads)
	isWhole := !errors.Is(err, fs.ErrNotExist)
	if !isWhole {
		was, err = part{c.Dir, partName(1)}.about(c.Options.Threads)
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
	before, run := len(c.Lengths), section.Checksum(was.encoded())
	if isWhole {
		err = c.load(ctx, whole, c.partsBefore()+1, true, run)
		c.allRead = true
	} else {
		err = l.load(ctx, run)
	}
	if err != nil {
		return err
	}
	if !c.isSound() {
		return errAnew
	}
	c.tell(fmt.Sprintf("%s has an interrupted run of this command, which goes on: %s read", c.Options.State, terminal.Plural(len(c.Lengths)-before, "document")))
	return removeParts(c.Dir, l.parts())
}

// errAnew is returned if what an interrupted run has read cannot be taken up.
var errAnew = errors.New("a file has changed, or what it has left is damaged")

// errNoSets is errAnew of a result of Options.byDigests.
var errNoSets = fmt.Errorf("%w: there are no sets", errAnew)

// GoesOn reports whether dir has something of an unfinished run, which the same run would go on with.
func GoesOn(dir string) bool {
	names, err := disk.OS.ReadDir(filepath.Join(dir, publish.WorkName))
	return err == nil && slices.ContainsFunc(names, func(name string) bool { return name == partName(1) || name == StateDir })
}

// From sets the options to those of the run that has made the result in a directory, but for what changes nothing of
// what is decided, and for Annotate, DryRun and, if another is true, for the Threshold, the Distance or Copy. It
// returns the reference and the inputs of that run.
func From(dir string, another bool, o *Options) (refs, inputs []string, err error) {
	if info, err := disk.OS.Stat(dir); err == nil && !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is a file: name a directory that simsearch dedup --out has made", dir)
	}
	path := filepath.Join(dir, stateName)
	is, err := readPast(part{disk.OS, path}, o.Threads)
	run := &is.run
	was, now := run.Options, *o
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("%s has no file %s, which simsearch dedup --out leaves unless it is with --by: name the directory of its result", dir, stateName)
	case isDamage(err):
		return nil, nil, fmt.Errorf("%w: %s: %w", ErrState, path, err)
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
