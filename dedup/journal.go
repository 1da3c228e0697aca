package dedup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

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

// A journal is a store whose files have the records of documents, too, so that another run can go on where this one was
// interrupted. A file is as good as absent if its checksums are not right, and so are those after it.
type journal struct {
	c    *Collection
	hold int    // about how many bytes are in memory, beside those that are being written
	run  uint32 // the checksum of what the run is about, as the first file has it

	parts   []part
	records []byte      // of the documents of no part
	recent  spill.Lists // their sets
	bytes   int
	written chan error // has the error of the last part when that has been written; nil if it is known
}

// A part says how far the reading was when a file of a journal was written.
type part struct {
	Documents, Sets int
	Features        uint64
	File            uint32 // the one of the last document
}

// A partHeader is what a part says of itself.
type partHeader struct {
	V      int
	About  []byte // what the run is about, in the first part
	Run    uint32 // the checksum of that
	Number int
	End    part
	Bad    []int // documents that cannot be read, of the files from that of the part before on
	Fields []string
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

func newJournal(c *Collection) *journal {
	j := &journal{c: c, hold: c.o.holds(), run: section.Checksum(c.run.encoded())}
	j.forget()
	return j
}

// forget empties what is in memory.
func (j *journal) forget() {
	j.recent = spill.Lists{Bytes: spill.NewBytes(j.c.o.FS, "", 1<<62)}
	j.records, j.bytes = nil, 0
}

// Add appends a copy of a set, unless that is in a part.
func (j *journal) Add(features []uint64) {
	if len(features) > 0 {
		j.recent.Add(features)
		j.bytes += 8 * len(features)
	}
}

// note appends the record of a document.
func (j *journal) note(r *docRecord) {
	before := len(j.records)
	j.records = r.append(j.records)
	j.bytes += len(j.records) - before
}

// Close waits for what is being written. It removes nothing: another run may go on.
func (j *journal) Close() error { return j.wait() }

// Flush writes a part if it has become large.
func (j *journal) Flush() error {
	if j.bytes < j.hold {
		return nil
	}
	return j.write()
}

// last returns the end of the last part.
func (j *journal) last() part {
	if len(j.parts) == 0 {
		return part{}
	}
	return j.parts[len(j.parts)-1]
}

// write begins to write a part with all that the last one does not have, when that has been written. Reading goes on
// meanwhile.
func (j *journal) write() error {
	if err := j.wait(); err != nil {
		return err
	}
	c, from := j.c, j.last()
	h := partHeader{V: stateVersion, Run: j.run, Number: len(j.parts) + 1, End: part{len(c.lengths), len(c.sizes), c.features, c.file}}
	if h.Number == 1 {
		h.About = c.run.encoded()
	}
	c.mu.Lock()
	h.Bad = slices.Clone(c.bad[from.File : c.file+1])
	c.mu.Unlock()
	if c.keys != nil {
		h.Fields = c.keys.fields
	}
	records, recent, sizes, written := j.records, j.recent, c.sizes[from.Sets:], make(chan error, 1)
	go func() {
		written <- writeSections(c.dir, partName(h.Number), func(w *section.Writer) {
			writeAbout(w, h)
			w.Begin(secRecords)
			_, _ = w.Write(records)
			w.Begin(secFeatures)
			_ = recent.Scan(lengthsOf(sizes), func(_ int, features []uint64) error {
				w.Uint64s(features)
				return nil
			})
		})
	}()
	j.written = written
	j.parts = append(j.parts, h.End)
	j.forget()
	return nil
}

// wait waits until the last part has been written.
func (j *journal) wait() error {
	if j.written == nil {
		return nil
	}
	err := <-j.written
	j.written = nil
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
func (j *journal) Scan(_ func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	from := part{}
	for i, p := range j.parts {
		err := j.mapped(i+1, func(f *section.File) error {
			features, err := f.Uint64s(secFeatures, p.Features-from.Features)
			if err != nil {
				return section.InFile(partName(i+1), err)
			}
			for at, n := range j.c.sizes[from.Sets:p.Sets] {
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
		from = p
	}
	return j.recent.Scan(lengthsOf(j.c.sizes[from.Sets:]), func(i int, features []uint64) error { return do(from.Sets+i, features) })
}

// mapped calls do with a part.
func (j *journal) mapped(number int, do func(f *section.File) error) (err error) {
	m, err := j.c.dir.Map(partName(number))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return mmap.Guarded(func() error {
		f, err := section.Parse(m.Data())
		if err != nil {
			return section.InFile(partName(number), err)
		}
		return do(f)
	})
}

// about returns what the interrupted run was about whose parts are there. It returns false if there is none, or none that is
// whole.
func (j *journal) about() (was savedRun, ok bool, err error) {
	err = j.mapped(1, func(f *section.File) error {
		var h partHeader
		if err := errors.Join(f.Verify(), readAbout(f, &h)); err != nil {
			return err
		}
		j.run = section.Checksum(h.About)
		return was.decode(f, h.About)
	})
	if err != nil && (errors.Is(err, fs.ErrNotExist) || isDamage(err)) {
		return was, false, nil
	}
	return was, err == nil, err
}

// load takes up the parts that an interrupted run has left, as far as they are whole, and removes the others.
func (j *journal) load(ctx context.Context) error {
	for whole := true; whole; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		number := len(j.parts) + 1
		err := j.mapped(number, func(f *section.File) error { return j.loadPart(f, number) })
		if whole = err == nil; !whole && !errors.Is(err, fs.ErrNotExist) && !isDamage(err) {
			return err
		}
	}
	if len(j.parts) == 0 {
		return nil
	}
	return removeParts(j.c.dir, len(j.parts))
}

// loadPart takes up a part. The error is errAnew if it is whole, and not one that this run would write there.
func (j *journal) loadPart(f *section.File, number int) error {
	if err := f.Verify(); err != nil {
		return err
	}
	c, from := j.c, j.last()
	var h partHeader
	if err := readAbout(f, &h); err != nil {
		return err
	}
	if h.V != stateVersion || h.Run != j.run || h.Number != number {
		return f.Corruptf(secAbout, 0, "it is not part %d of this run", number)
	}
	records, err := f.Bytes(secRecords)
	if err != nil {
		return err
	}
	ok, err := c.takeAll(records)
	if err != nil {
		return err
	}
	is := part{len(c.lengths), len(c.sizes), c.features, c.file}
	if size, err := f.Size(secFeatures); err != nil || !ok || h.End != is || is.File < from.File || size != 8*(is.Features-from.Features) || len(h.Bad) != int(is.File-from.File)+1 {
		return errAnew
	}
	copy(c.bad[from.File:], h.Bad)
	if c.keys != nil {
		c.keys.fields = h.Fields
	}
	j.parts = append(j.parts, is)
	j.forget() // the records are there already
	return nil
}

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

// writeAbout writes a section that is JSON.
func writeAbout(w *section.Writer, about any) {
	data, err := json.Marshal(about)
	if err != nil {
		panic(fmt.Sprintf("dedup: %v", err))
	}
	w.Begin(secAbout)
	_, _ = w.Write(data)
}

// readAbout reads the section that is JSON.
func readAbout(f *section.File, into any) error {
	data, err := f.Bytes(secAbout)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return f.Corruptf(secAbout, 0, "%v", err)
	}
	return nil
}

// writeSections writes a file of sections, which appears complete or not at all.
func writeSections(fsys disk.FS, path string, write func(w *section.Writer)) error {
	file, err := disk.CreateAtomic(fsys, path)
	if err != nil {
		return err
	}
	w := section.NewWriter(file)
	write(w)
	if _, _, err := w.Close(); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}
