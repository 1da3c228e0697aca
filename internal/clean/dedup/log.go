package dedup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// A Store keeps sets in order. spill.Lists is one.
type Store interface {
	// Add appends a copy of a set.
	Add(features []uint64)
	// Flush writes to files what exceeds the memory. All sets that have been added are those of documents that the
	// Collection has.
	Flush() error
	// Scan calls do with the sets, which have the given lengths.
	Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error
	Close() error
}

// A log is a Store whose files, its parts, have all that a Collection remembers, too, so that another run can go on where this one was
// interrupted, or decide anew. A part is as good as absent if its checksums are not right, and so are those after it. When all is
// decided, one part takes the place of all others: the state.
type log struct {
	c    *Collection
	hold int    // about how many bytes are in memory, beside those that are being written
	run  uint32 // the checksum of what the run is about, as the first part has it

	parts   []part
	recent  spill.Lists // the sets of no part
	digests []uint64    // of these
	bytes   int
	written chan error // has the error of the last part when that has been written; nil if it is known
}

// A part is a file of a log.
type part struct {
	fsys disk.FS
	path string
	end  mark
	// verified says that all checksums were right when about read it.
	verified bool
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
	About   []byte // what the run is about, in the first part
	Run     uint32 // the checksum of that
	Number  int
	End     mark
	Counts  []uint32 // documents of the files from that of the part before on
	Bad     []int    // documents of these that cannot be read
	Formats []string // of these
	Keys    savedKeys
	Decided *Decided // of a state
}

// Decided is what a state has beside all documents.
type Decided struct {
	Out      boilerplate
	Below    []AtThreshold // thresholds below that of the run; with Options.Contained others, too
	SetFiles int           // that the sets are in
	Near     *float64      // the similarity of the near pairs that it has, or nil if it has none
	Rows     []rowsFile    // see documents.rows
	// Grows says that the sets are those of the texts, and have their digests, so that more can come to them.
	Grows bool
}

// A column is a list of a Collection that grows while files are read.
type column interface {
	len() int
	since(n int) column // what is behind the first n elements now
	write(w *section.Writer)
	read(f *section.File, n int) // appends n elements
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

func (l list[T]) read(f *section.File, n int) {
	*l.of = append(*l.of, section.Integers[T](f, l.name, uint64(n)).All...)
}

// columns returns the lists that parts have. sizes are those of the sets.
func (c *Collection) columns(sizes *[]uint32) []column {
	all := []column{
		list[uint32]{"documents.lengths", &c.Lengths}, list[uint64]{"documents.digests", &c.Digests}, list[byte]{"ids", &c.ids},
		list[uint64]{"documents.offsets", &c.offsets}, list[uint32]{"documents.spans", &c.spans},
		list[uint64]{"ids.ends", &c.idEnds},
		list[uint32]{"units.ends", &c.Ends}, list[uint32]{"units.sets", &c.SetOf}, list[uint32]{"sets.sizes", sizes}, list[uint32]{"sets.short", &c.shortSets},
		list[uint32]{"documents.numbers", &c.numbers},
	}
	if c.Keys != nil {
		all = append(all, list[uint64]{"keys", &c.Keys.Values}, list[uint64]{"keys.Whole", &c.Keys.Whole})
	}
	return all
}

// partName returns the name of part number i, from 1, in Options.State.
func partName(i int) string { return fmt.Sprintf("read-%06d", i) }

// partPattern matches the names of parts.
const partPattern = "read-[0-9]*"

// Names of sections of a part.
const (
	secAbout    = "about"
	secDigests  = "sets.digests"  // in no state
	secFeatures = "sets.features" // in no state
)

func newLog(c *Collection) *log {
	l := &log{c: c, hold: c.Options.holds(), run: section.Checksum(c.run.encoded())}
	l.forget()
	return l
}

// forget empties what is in memory.
func (l *log) forget() {
	l.recent = spill.Lists{Bytes: spill.NewBytes(l.c.Options.FS, "", 1<<62)}
	l.digests, l.bytes = nil, 0
}

// Add appends a copy of a set.
func (l *log) Add(features []uint64) {
	l.recent.Add(features)
	l.bytes += 8 * len(features)
}

// Close waits for what is being written. It removes nothing: another run may go on.
func (l *log) Close() error { return l.wait() }

// Flush writes a part if it has become large.
func (l *log) Flush() error {
	if l.bytes < l.hold {
		return nil
	}
	return l.write()
}

// last returns the end of the last part.
func (l *log) last() mark {
	if len(l.parts) == 0 {
		return mark{Columns: make([]int, len(l.c.columns(&l.c.Sizes)))}
	}
	return l.parts[len(l.parts)-1].end
}

// now returns how far the reading is.
func (l *log) now() mark {
	c := l.c
	m := mark{Features: c.features, Sets: len(c.Sizes), File: int(c.file)}
	for _, column := range c.columns(&c.Sizes) {
		m.Columns = append(m.Columns, column.len())
	}
	return m
}

// write begins to write a part with all that the last one does not have, when that has been written. Reading goes on
// meanwhile.
func (l *log) write() error {
	if err := l.wait(); err != nil {
		return err
	}
	c, from := l.c, l.last()
	h := l.header(len(l.parts)+1, from.File)
	if h.Number == 1 {
		h.About = c.run.encoded()
	}
	columns := c.columns(&c.Sizes)
	for i, column := range columns {
		columns[i] = column.since(from.Columns[i])
	}
	digests, recent, written := l.digests, l.recent, make(chan error, 1)
	p := part{fsys: c.Dir, path: partName(h.Number), end: h.End}
	go func() {
		written <- p.write(h, append(columns, list[uint64]{secDigests, &digests}), func(w *section.Writer) error {
			_, err := io.Copy(w, recent.Reader()) // as they are in a part
			return err
		})
	}()
	l.written = written
	l.parts = append(l.parts, p)
	l.forget()
	return nil
}

// header returns the header of a part that is written now, with the files from one on.
func (l *log) header(number, file int) partHeader {
	c := l.c
	c.mu.Lock()
	defer c.mu.Unlock()
	h := partHeader{Run: l.run, Number: number, End: l.now(), Counts: slices.Clone(c.counts[file : c.file+1]), Bad: slices.Clone(c.Bad[file : c.file+1]),
		Formats: slices.Clone(c.formats[file : c.file+1])}
	if c.Keys != nil {
		h.Keys = c.Keys.savedKeys
	}
	return h
}

// wait waits until the last part has been written.
func (l *log) wait() error {
	if l.written == nil {
		return nil
	}
	err := <-l.written
	l.written = nil
	return err
}

// lengthsOf returns a function for the lengths of sets.
func lengthsOf(sizes []uint32) func(i int) (int, bool) {
	return func(i int) (int, bool) {
		if i >= len(sizes) {
			return 0, false
		}
		return int(sizes[i]), true
	}
}

// Scan reads the parts, and what is in memory.
func (l *log) Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	from := mark{}
	for _, p := range l.parts {
		err := p.mapped(func(f *section.File) error {
			all := section.Integers[uint64](f, secFeatures, p.end.Features-from.Features)
			for at, begin := from.Sets, uint64(0); at < p.end.Sets; at++ {
				n, _ := length(at)
				end := begin + uint64(n)
				var features []uint64
				if n > 0 {
					features = all.Range(begin, end)
				}
				if err := do(at, features); err != nil {
					return err
				}
				begin = end
			}
			return nil
		})
		if err != nil {
			return err
		}
		from = p.end
	}
	rest := func(i int) (int, bool) { return length(from.Sets + i) }
	return l.recent.Scan(rest, func(i int, features []uint64) error { return do(from.Sets+i, features) })
}

// load takes up the parts of an interrupted run from the first one on, as far as they are whole, or a state in their place. The
// error is errAnew if a part is whole, and not one that this run would write there.
func (l *log) load(ctx context.Context, p part) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := p.mapped(func(f *section.File) error { return l.take(f, &p) })
		if err != nil && !isAbsent(err) {
			return err
		}
		if err == nil {
			l.parts = append(l.parts, p)
		}
		if err != nil || l.c.Decided != nil {
			break
		}
		p = part{fsys: p.fsys, path: partName(len(l.parts) + 1)}
	}
	if !l.c.isSound() {
		return errAnew
	}
	return nil
}

// take takes up a part.
func (l *log) take(f *section.File, p *part) error {
	c, from := l.c, l.last()
	if !p.verified {
		if err := f.VerifyBy(c.Options.Threads); err != nil {
			return err
		}
	}
	h, err := readHeader(f)
	switch {
	case err != nil:
		return err
	case len(l.parts) == 0:
		l.run = section.Checksum(h.About)
	}
	if h.Run != l.run || h.Number != len(l.parts)+1 {
		return f.Corruptf(secAbout, 0, "it is not part %d of this run", len(l.parts)+1)
	}
	if p.end = h.End; h.Decided != nil {
		h.End.File = len(c.Files) - 1
	}
	if len(h.End.Columns) != len(from.Columns) || len(h.Counts) != h.End.File-from.File+1 || len(h.Bad) != len(h.Counts) || len(h.Formats) != len(h.Counts) ||
		h.End.File >= len(c.Files) || p.end.File < from.File || p.end.File > h.End.File {
		return errAnew
	}
	if section.DamageOf(func() { err = l.takeLists(f, p, &h, from) }) != nil { // whole, and not as it would be written
		return errAnew
	}
	return err
}

// takeLists takes up the lists of a part, which are behind the mark from.
func (l *log) takeLists(f *section.File, p *part, h *partHeader, from mark) error {
	c := l.c
	for i, column := range c.columns(&c.Sizes) {
		n := h.End.Columns[i] - from.Columns[i]
		if n < 0 {
			return errAnew
		}
		column.read(f, n)
	}
	copy(c.counts[from.File:], h.Counts)
	copy(c.Bad[from.File:], h.Bad)
	copy(c.formats[from.File:], h.Formats)
	c.file = uint32(p.end.File)
	if c.Keys != nil {
		c.Keys.savedKeys = h.Keys
	}
	for _, n := range c.Sizes[from.Sets:] {
		c.features += uint64(n)
	}
	if !reflect.DeepEqual(l.now(), p.end) {
		return errAnew
	}
	if c.Decided = h.Decided; c.Decided == nil {
		if f.Size(secFeatures) != 8*(c.features-from.Features) {
			return errAnew
		}
		digests := f.Uint64s(secDigests, 2*uint64(p.end.Sets-from.Sets))
		for i := 0; i < len(digests); i += 2 {
			c.known.add(analysis.Digest{digests[i], digests[i+1]}, uint32(from.Sets+i/2))
		}
		return nil
	}
	c.Boilerplate, c.rows = c.Decided.Out, c.Decided.Rows
	if c.Options.Append {
		list[byte]{secStands, &c.Stands}.read(f, len(c.Lengths))
	}
	return c.takeGrown(f)
}

// isSound reports whether what has been taken up is such as a run writes.
func (c *Collection) isSound() bool {
	documents, counted, sets := len(c.Lengths), 0, uint32(0)
	for _, n := range c.counts {
		counted += int(n)
	}
	for _, set := range c.SetOf { // a new one has the next number
		if set > sets && set != NoSet {
			return false
		}
		if set == sets {
			sets++
		}
	}
	units := len(c.SetOf) == documents
	if c.Options.By != Documents {
		units = areEnds(c.Ends, documents, len(c.SetOf))
	}
	units = units && (c.Ends == nil) == (c.Options.By == Documents)
	isKey := c.Keys == nil || len(c.Keys.Values) == documents && len(c.Keys.Whole) == documents &&
		(c.Keys.Unread <= 0 || int64(c.Keys.First) < int64(documents))
	beyond := func(set uint32) bool { return set >= sets }
	rows := c.rows == nil || len(c.rows) == len(c.Files) && len(c.numbers) == documents
	short := !slices.ContainsFunc(c.shortSets, beyond)
	return counted == documents && len(c.Digests) == documents && len(c.offsets) == documents && len(c.spans) == documents &&
		areEnds(c.idEnds, documents, len(c.ids)) && units &&
		int(sets) == len(c.Sizes) && isKey && short && rows
}

// areEnds reports whether n ends divide a list of so many elements.
func areEnds[T uint32 | uint64](ends []T, n, elements int) bool {
	return len(ends) == n && slices.IsSorted(ends) && (n == 0 && elements == 0 || n > 0 && int(ends[n-1]) == elements)
}

// mapped calls do with the part.
func (p part) mapped(do func(f *section.File) error) (err error) {
	m, err := p.fsys.Map(p.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return disk.Guarded(func() error {
		f, err := section.Parse(p.path, m.Data())
		if err != nil {
			return err
		}
		return do(f)
	})
}

// about returns the run that has written a first part, or a state.
func (p *part) about(threads int) (was savedRun, err error) {
	err = p.mapped(func(f *section.File) error {
		if err := f.VerifyBy(threads); err != nil {
			return err
		}
		p.verified = true
		h, err := readHeader(f)
		if err != nil {
			return err
		}
		was.decode(f, h.About)
		return nil
	})
	if errors.Is(err, syscall.ENOTDIR) { // an earlier version has a file where there is a directory now
		err = fs.ErrNotExist
	}
	return was, err
}

// write writes the part, which appears complete or not at all.
func (p part) write(h partHeader, columns []column, sets func(w *section.Writer) error) error {
	file, err := disk.CreateAtomic(p.fsys, p.path)
	if err != nil {
		return err
	}
	w := section.NewWriter(file)
	h.V = stateVersion
	w.Begin(secAbout)
	err = json.NewEncoder(w).Encode(h)
	for _, column := range columns {
		column.write(w)
	}
	if sets != nil { // else it is a state
		w.Begin(secFeatures)
		err = errors.Join(err, sets(w))
	}
	if _, _, failed := w.Close(); err != nil || failed != nil {
		file.Abort()
		return errors.Join(err, failed)
	}
	return file.Commit()
}

// readHeader returns the header of a part.
func readHeader(f *section.File) (h partHeader, err error) {
	data := f.Bytes(secAbout)
	if err := json.Unmarshal(data, &h); err != nil || h.V != stateVersion {
		return h, fmt.Errorf("%w: of another version of simsearch", section.ErrVersion)
	}
	return h, nil
}

// isDamage reports whether err is about bytes that a crash may have left.
func isDamage(err error) bool {
	return errors.Is(err, section.ErrCorrupt) || errors.Is(err, section.ErrForeign) || errors.Is(err, section.ErrVersion) || errors.Is(err, disk.ErrFault)
}

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) || isDamage(err) }

// removeParts removes the parts but for the first ones.
func removeParts(out disk.FS, but int) error {
	names, err := out.ReadDir(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		part, _ := filepath.Match(partPattern, name)
		if stays := len(name) == len(partName(0)) && name <= partName(but); part && !stays {
			if err := out.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}
