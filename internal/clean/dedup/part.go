package dedup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/prefix"
)

// A part is a file with what a Collection remembers of some documents, one after the other: lists that go on where
// those of the part before end, and the sets that none before has. A run leaves parts while it reads, so that another
// one goes on where it was interrupted (log.go), and one part of all that it has read in its result, which the next
// run opens (earlier.go).
type part struct {
	fsys disk.FS
	path string
}

// A mark says how far the reading was when a part was written.
type mark struct {
	Columns  []int // the length of each
	Features uint64
	Sets     int
	File     int // the one of the last document
}

// A partHeader is what a part says of itself.
type partHeader struct {
	V       int
	About   []byte `json:",omitempty"` // what the run is about, in the first part of those that it leaves while it reads, and in those of its result
	Run     uint32 // the checksum of that
	Number  int
	First   int      // the file of the first document
	Counts  []uint32 // documents of the files from the first on
	Bad     []int    // documents of these that cannot be read
	Formats []string // of these
	Keys    savedKeys
	Rows    []rowsFile `json:",omitempty"` // see documents.rows
}

// A column is a list of a Collection that grows while files are read.
type column interface {
	len() int
	since(n int) column // what is behind the first n elements now
	cut()               // forgets all elements
	pick(places []uint32)
	write(w *section.Writer)
	read(f *section.File) // appends what the section has
}

type list[T byte | uint32 | uint64] struct {
	name string
	of   *[]T
}

func (l list[T]) len() int { return len(*l.of) }

func (l list[T]) since(n int) column {
	rest := (*l.of)[n:]
	return list[T]{l.name, &rest}
}

func (l list[T]) cut() { *l.of = nil }

// pick puts the elements at some places in the place of all.
func (l list[T]) pick(places []uint32) {
	picked := make([]T, len(places))
	for i, at := range places {
		picked[i] = (*l.of)[at]
	}
	*l.of = picked
}

func (l list[T]) write(w *section.Writer) {
	w.Begin(l.name)
	switch all := any(*l.of).(type) {
	case []byte:
		_, _ = w.Write(all)
	case []uint32:
		w.Uint32s(all)
	case []uint64:
		w.Uint64s(all)
	}
}

func (l list[T]) read(f *section.File) {
	*l.of = append(*l.of, section.Integers[T](f, l.name, section.Any).All...)
}

// ofDocuments returns the lists with an element for each document.
func (c *Collection) ofDocuments() []column {
	all := []column{
		list[uint32]{"documents.lengths", &c.Lengths}, list[uint64]{"documents.digests", &c.Digests},
		list[uint64]{"documents.offsets", &c.offsets}, list[uint32]{"documents.spans", &c.spans},
	}
	if c.Keys != nil {
		all = append(all, list[uint64]{"keys", &c.Keys.Values}, list[uint64]{"keys.Whole", &c.Keys.Whole})
	}
	return all
}

// columns returns the lists that parts have.
func (c *Collection) columns() []column {
	return append(c.ofDocuments(), list[byte]{"ids", &c.IDs}, list[uint64]{"ids.ends", &c.IDEnds}, list[uint32]{"units.ends", &c.Ends},
		list[uint32]{"units.sets", &c.SetOf}, list[uint32]{"sets.sizes", &c.Sizes}, list[uint32]{"sets.short", &c.shortSets},
		list[uint32]{"documents.numbers", &c.numbers})
}

// Names of sections of a part, beside those of columns.
const (
	secDigests  = "sets.digests"
	secFeatures = "sets.features" // as they are; those of a result are coded, as package prefix does
)

// now returns how far the reading is.
func (c *Collection) now() mark {
	m := mark{Features: c.features, Sets: len(c.Sizes), File: int(c.file)}
	for _, column := range c.columns() {
		m.Columns = append(m.Columns, column.len())
	}
	return m
}

// header returns the header of a part that is written now, with the files from one before another.
func (c *Collection) header(number, file, to int) partHeader {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := partHeader{V: stateVersion, Number: number, First: file, Counts: slices.Clone(c.counts[file:to]), Bad: slices.Clone(c.Bad[file:to]),
		Formats: slices.Clone(c.formats[file:to]), Rows: c.rows}
	if h.About = c.run.encoded(); c.Keys != nil {
		h.Keys = c.Keys.savedKeys
	}
	h.Run = section.Checksum(h.About)
	return h
}

// write writes the part, which appears complete or not at all: what the lists have behind a mark, and the digests of
// the sets.
func (p part) write(h partHeader, columns []column, digests []uint64, sets func(w *section.Writer) error) error {
	return section.WriteFile(p.fsys, p.path, h, func(w *section.Writer) error {
		for _, column := range append(columns, list[uint64]{secDigests, &digests}) {
			column.write(w)
		}
		return sets(w)
	})
}

// mapped calls do with the part. If threads is not 0, its checksums are right.
func (p part) mapped(threads int, do func(f *section.File) error) (err error) {
	m, err := p.fsys.Map(p.path)
	if errors.Is(err, syscall.ENOTDIR) { // an earlier version has a file where there is a directory now
		err = fs.ErrNotExist
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return disk.Guarded(func() error {
		f, err := section.Parse(p.path, m.Data())
		if err == nil && threads > 0 {
			err = f.VerifyBy(threads)
		}
		if err != nil {
			return err
		}
		return do(f)
	})
}

// readHeader reads the header of a part or of a state, which has the version v.
func readHeader[T any](f *section.File, h *T, v *int) error {
	if err := json.Unmarshal(f.Bytes(section.About), h); err != nil || *v != stateVersion {
		return fmt.Errorf("%w: of another version of simsearch", section.ErrVersion)
	}
	return nil
}

// about returns the run that has written the part.
func (p part) about(threads int) (was savedRun, err error) {
	return was, p.mapped(threads, func(f *section.File) error {
		var h partHeader
		if err := readHeader(f, &h, &h.V); err != nil {
			return err
		}
		return was.decode(f, h.About)
	})
}

// load takes up a part, which goes on where the Collection is. own says that this run has written it, whose checksum
// is run. Else it is of an earlier result. The error is errAnew if it is whole, and not one that a run would write
// there.
func (c *Collection) load(ctx context.Context, p part, number int, own bool, run uint32) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.mapped(c.Options.Threads, func(f *section.File) (err error) {
		var h partHeader
		if err := readHeader(f, &h, &h.V); err != nil {
			return err
		}
		if h.Number != number || own && h.Run != run {
			return f.Corruptf(section.About, 0, "it is not part %d of this run", number)
		}
		if section.DamageOf(func() { err = c.takeLists(f, &h, own) }) != nil { // whole, and not as it would be written
			return errAnew
		}
		return err
	})
}

// takeLists takes up the lists of a part.
func (c *Collection) takeLists(f *section.File, h *partHeader, own bool) error {
	from, n := c.now(), len(h.Counts)
	if len(h.Bad) != n || len(h.Formats) != n || h.First < 0 || n == 0 {
		return errAnew
	}
	for _, column := range c.columns() {
		column.read(f)
	}
	if !c.digests && !f.Has(secFeatures) && !prefix.HasCoded(f) {
		return errNoSets
	}
	if own {
		if h.First != from.File || h.First+n > len(c.Files) {
			return errAnew
		}
		copy(c.counts[h.First:], h.Counts)
		copy(c.Bad[h.First:], h.Bad)
		copy(c.formats[h.First:], h.Formats)
	} else if err := c.takeSpans(f, h, from.Columns[0]); err != nil {
		return err
	}
	if c.file, c.rows = uint32(h.First+n-1), h.Rows; c.Keys != nil {
		c.Keys.savedKeys = h.Keys
	}
	for _, n := range c.Sizes[from.Sets:] {
		c.features += uint64(n)
	}
	digests := f.Uint64s(secDigests, 2*uint64(len(c.Sizes)-from.Sets))
	for i := 0; i < len(digests); i += 2 {
		c.known.add(analysis.Digest{digests[i], digests[i+1]}, uint32(from.Sets+i/2))
	}
	if len(c.known.ofParts)+len(c.known.others) != len(c.Sizes) || f.Has(secFeatures) && f.Size(secFeatures) != 8*(c.features-from.Features) {
		return errAnew
	}
	return nil
}

// isSound reports whether what has been taken up is such as a run writes.
func (c *Collection) isSound() bool {
	documents, counted, sets := len(c.Lengths), 0, uint32(0)
	for _, n := range c.counts {
		counted += int(n)
	}
	if c.earlier != nil {
		counted += c.earlier.documents
	}
	for _, set := range c.SetOf { // a new one has the next number
		if set > sets && set != NoSet {
			return false
		}
		if set == sets {
			sets++
		}
	}
	for _, column := range c.ofDocuments() {
		if column.len() != documents {
			return false
		}
	}
	units := len(c.SetOf) == documents
	if c.Options.By != Documents {
		units = areEnds(c.Ends, documents, len(c.SetOf))
	}
	units = units && (c.Ends == nil) == (c.Options.By == Documents)
	beyond := func(set uint32) bool { return set >= sets }
	if slices.Contains(c.Sizes, 0) || c.rows != nil && (len(c.rows) != len(c.Files) || len(c.numbers) != documents) {
		return false
	}
	return counted == documents && areEnds(c.IDEnds, documents, len(c.IDs)) && units && int(sets) == len(c.Sizes) &&
		(c.Keys == nil || c.Keys.Unread <= 0 || int64(c.Keys.First) < int64(documents)) &&
		slices.IsSorted(c.shortSets) && !slices.ContainsFunc(c.shortSets, beyond)
}

// areEnds reports whether n ends divide a list of so many elements.
func areEnds[T uint32 | uint64](ends []T, n, elements int) bool {
	return len(ends) == n && slices.IsSorted(ends) && (n == 0 && elements == 0 || n > 0 && int(ends[n-1]) == elements)
}

// isDamage reports whether err is about bytes that a crash may have left.
func isDamage(err error) bool {
	return errors.Is(err, section.ErrCorrupt) || errors.Is(err, section.ErrForeign) || errors.Is(err, section.ErrVersion) || errors.Is(err, disk.ErrFault)
}

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) || isDamage(err) }
