package dedup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"simsearch/internal/dedupreport"
	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/spill"
	"simsearch/section"
)

// A store keeps sets in order. spill.Lists is one.
type store interface {
	// Add appends a copy of a set.
	Add(features []uint64)
	// Flush writes to files what exceeds the memory. All sets that have been added are those of documents that the
	// Collection has.
	Flush() error
	// Scan calls do with the sets, which have the given lengths.
	Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error
	Close() error
}

// A log is a store whose files, its parts, have the records of documents, too, so that another run can go on where this one was
// interrupted, or decide anew. A part is as good as absent if its checksums are not right, and so are those after it. When all is
// decided, one part takes the place of all others: the state.
type log struct {
	c    *Collection
	hold int    // about how many bytes are in memory, beside those that are being written
	run  uint32 // the checksum of what the run is about, as the first part has it

	parts   []part
	records []byte      // of the documents of no part
	recent  spill.Lists // their sets
	bytes   int
	written chan error // has the error of the last part when that has been written; nil if it is known
}

// A part is a file of a log.
type part struct {
	fsys disk.FS
	path string
	end  mark
}

// A mark says how far the reading was when a part was written.
type mark struct {
	Documents, Sets int
	Features        uint64
	File            uint32 // the one of the last document
}

// A partHeader is what a part says of itself.
type partHeader struct {
	V       int
	About   []byte // what the run is about, in the first part
	Run     uint32 // the checksum of that
	Number  int
	End     mark
	Bad     []int    // documents that cannot be read, of the files from that of the part before on
	Fields  []string // see keys
	Decided *decided // of a state
}

// Decided is what a state has beside the records and sets of all documents.
type decided struct {
	Out   boilerplate
	Below []dedupreport.AtThreshold // thresholds below that of the run; with Options.Contained others, too
	Whole bool                      // it has all sets, and not only those that are near another one
}

// partName returns the name of part number i, from 1, in Options.State.
func partName(i int) string { return fmt.Sprintf("read-%06d", i) }

// partPattern matches the names of parts.
const partPattern = "read-[0-9]*"

// Names of the sections of a part.
const (
	secAbout    = "about"
	secRecords  = "documents"
	secFeatures = "sets.features"
)

func newLog(c *Collection) *log {
	l := &log{c: c, hold: c.o.holds(), run: section.Checksum(c.run.encoded())}
	l.forget()
	return l
}

// forget empties what is in memory.
func (l *log) forget() {
	l.recent = spill.Lists{Bytes: spill.NewBytes(l.c.o.FS, "", 1<<62)}
	l.records, l.bytes = nil, 0
}

// Add appends a copy of a set.
func (l *log) Add(features []uint64) {
	l.recent.Add(features)
	l.bytes += 8 * len(features)
}

// note appends the record of a document.
func (l *log) note(r *docRecord) {
	before := len(l.records)
	l.records = r.append(l.records)
	l.bytes += len(l.records) - before
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
		return mark{}
	}
	return l.parts[len(l.parts)-1].end
}

// now returns how far the reading is.
func (l *log) now() mark { return mark{len(l.c.lengths), len(l.c.sizes), l.c.features, l.c.file} }

// write begins to write a part with all that the last one does not have, when that has been written. Reading goes on
// meanwhile.
func (l *log) write() error {
	if err := l.wait(); err != nil {
		return err
	}
	c, from := l.c, l.last()
	h := partHeader{Run: l.run, Number: len(l.parts) + 1, End: l.now()}
	if h.Number == 1 {
		h.About = c.run.encoded()
	}
	c.mu.Lock()
	h.Bad = slices.Clone(c.bad[from.File : c.file+1])
	c.mu.Unlock()
	if c.keys != nil {
		h.Fields = c.keys.fields
	}
	records, recent, sizes, written := l.records, l.recent, c.sizes[from.Sets:], make(chan error, 1)
	p := part{c.dir, partName(h.Number), h.End}
	go func() {
		written <- p.write(h, func(w *section.Writer) { _, _ = w.Write(records) }, func(do func(set int, features []uint64) error) error {
			return recent.Scan(lengthsOf(sizes), do)
		})
	}()
	l.written = written
	l.parts = append(l.parts, p)
	l.forget()
	return nil
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
func (l *log) Scan(_ func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	from := mark{}
	for _, p := range l.parts {
		err := p.mapped(func(f *section.File) error {
			features, err := f.Uint64s(secFeatures, p.end.Features-from.Features)
			if err != nil {
				return section.InFile(p.path, err)
			}
			for at, n := range l.c.sizes[from.Sets:p.end.Sets] {
				if err := do(from.Sets+at, features[:n:n]); err != nil {
					return err
				}
				features = features[n:]
			}
			return nil
		})
		if err != nil {
			return err
		}
		from = p.end
	}
	return l.recent.Scan(lengthsOf(l.c.sizes[from.Sets:]), func(i int, features []uint64) error { return do(from.Sets+i, features) })
}

// load takes up the parts of an interrupted run from the first one on, as far as they are whole, or a state in their place. The
// error is errAnew if a part is whole, and not one that this run would write there.
func (l *log) load(ctx context.Context, p part) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := p.mapped(func(f *section.File) error { return l.take(f, &p) })
		if isAbsent(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if l.parts = append(l.parts, p); l.c.decided != nil {
			return nil
		}
		p = part{fsys: p.fsys, path: partName(len(l.parts) + 1)}
	}
}

// take takes up a part.
func (l *log) take(f *section.File, p *part) error {
	c, from := l.c, l.last()
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
	records, err := f.Bytes(secRecords)
	if err != nil {
		return err
	}
	ok, err := c.takeAll(records)
	if err != nil {
		return err
	}
	p.end = l.now()
	files := int(p.end.File-from.File) + 1
	if h.Decided != nil {
		files = len(c.files)
		ok = ok && !slices.ContainsFunc(h.Decided.Out.Examples, func(e example) bool { return int64(e.Document) >= int64(len(c.lengths)) })
	}
	if size, err := f.Size(secFeatures); err != nil || !ok || h.End != p.end || p.end.File < from.File || size != 8*(p.end.Features-from.Features) || len(h.Bad) != files {
		return errAnew
	}
	copy(c.bad[from.File:], h.Bad)
	if c.keys != nil {
		c.keys.fields = h.Fields
	}
	if c.decided = h.Decided; c.decided != nil {
		c.out = c.decided.Out
	}
	l.forget() // the records are there already
	return nil
}

// mapped calls do with the part.
func (p part) mapped(do func(f *section.File) error) (err error) {
	m, err := p.fsys.Map(p.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return mmap.Guarded(func() error {
		f, err := section.Parse(m.Data())
		if err != nil {
			return section.InFile(p.path, err)
		}
		return do(f)
	})
}

// about returns the run that has written a first part, or a state.
func (p part) about() (was savedRun, err error) {
	err = p.mapped(func(f *section.File) error {
		h, err := readHeader(f)
		if err != nil {
			return err
		}
		return was.decode(f, h.About)
	})
	return was, err
}

// write writes the part, which appears complete or not at all.
func (p part) write(h partHeader, records func(w *section.Writer), sets func(do func(set int, features []uint64) error) error) error {
	file, err := disk.CreateAtomic(p.fsys, p.path)
	if err != nil {
		return err
	}
	w := section.NewWriter(file)
	h.V = stateVersion
	w.Begin(secAbout)
	err = json.NewEncoder(w).Encode(h)
	w.Begin(secRecords)
	records(w)
	w.Begin(secFeatures)
	err = errors.Join(err, sets(func(_ int, features []uint64) error {
		w.Uint64s(features)
		return nil
	}))
	if _, _, failed := w.Close(); err != nil || failed != nil {
		file.Abort()
		return errors.Join(err, failed)
	}
	return file.Commit()
}

// readHeader checks a part, and returns its header.
func readHeader(f *section.File) (h partHeader, err error) {
	if err := f.Verify(); err != nil {
		return h, err
	}
	data, err := f.Bytes(secAbout)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(data, &h); err != nil || h.V != stateVersion {
		return h, fmt.Errorf("%w: of another version of simsearch", section.ErrVersion)
	}
	return h, nil
}

// isDamage reports whether err is about bytes that a crash may have left.
func isDamage(err error) bool {
	return errors.Is(err, section.ErrCorrupt) || errors.Is(err, section.ErrForeign) || errors.Is(err, section.ErrVersion) || errors.Is(err, mmap.ErrFault)
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
