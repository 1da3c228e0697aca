package dedup

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"simsearch/analysis"
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

// A journal is a store whose files say all that is known of the documents so far, so that another run can go on
// where this one was interrupted. A file is as good as absent if its checksums are not right, and so are those after it.
type journal struct {
	c    *Collection
	hold int // about how many bytes of sets are in memory, beside those that are being written

	parts   []part
	recent  spill.Lists // the sets of no part
	digests []analysis.Digest
	bytes   int
	last    part       // the end of the last part
	written chan error // has the error of the last part when that has been written; nil if it is known

	mu sync.Mutex // for what c counts of its files while they are read
}

// A part is a file of a journal, and how far the reading was when it was written.
type part struct {
	Documents, Sets int
	Features        uint64
	File            int // the last one of which there is a document
}

// A partHeader is what a part says of itself. The counts of documents and of bad ones are those of files From, From+1,
// and so on, as they are known when the part is written.
type partHeader struct {
	V         int
	Run       uint32 // the checksum of what the run is about
	Number    int
	Start     part
	End       part
	From      int
	Documents []uint32
	Bad       []int
	Keys      keysHead
}

// partName returns the name of part number i, from 1, in Options.State.
func partName(i int) string { return fmt.Sprintf("read-%06d", i) }

// partPattern matches the names of parts.
const partPattern = "read-[0-9]*"

func newJournal(c *Collection) *journal {
	j := &journal{c: c, hold: c.o.holds()}
	j.forget()
	return j
}

// holds returns about how many bytes of sets are in memory before they go to a file.
func (o *Options) holds() int {
	if o.partBytes > 0 {
		return o.partBytes
	}
	return int(min(spill.Holds/2, max(leastPart, o.Memory/16)))
}

// leastPart is the size in bytes of the sets of a small part.
const leastPart = 1 << 16

// forget empties what is in memory.
func (j *journal) forget() {
	j.recent = spill.Lists{Bytes: spill.NewBytes(j.c.o.FS, "", 1<<62)}
	j.digests, j.bytes = nil, 0
}

// Add appends a copy of a set.
func (j *journal) Add(features []uint64) {
	j.recent.Add(features)
	j.bytes += 8 * len(features)
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

// write begins to write a part with all that the last one does not have, when that has been written. Reading goes on
// meanwhile.
func (j *journal) write() error {
	if err := j.wait(); err != nil {
		return err
	}
	c, number := *j.c, len(j.parts)+1 // what is added later is not in c
	h := partHeader{V: aboutVersion, Run: section.Checksum(marshal(c.run)), Number: number, Start: j.last, From: j.last.File, End: part{Documents: len(c.of), Sets: len(c.sizes), Features: c.features}}
	j.mu.Lock()
	before := uint32(0)
	for i, n := range c.counts {
		if before += n; int(before) >= len(c.of) {
			h.End.File = i
			break
		}
	}
	c.keys, h.Keys = c.keys.upTo(j.last.Documents, len(c.of))
	h.Documents, h.Bad = slices.Clone(c.counts[h.From:h.End.File+1]), slices.Clone(c.bad[h.From:h.End.File+1])
	j.mu.Unlock()
	sets, columns, written := j.recent, j.columns(h), make(chan error, 1)
	go func() { written <- c.writePart(h, &sets, columns) }()
	j.written = written
	j.last = h.End
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

// columns returns a function that writes what a part has of documents or parts alone.
func (j *journal) columns(h partHeader) func(w *section.Writer) {
	if j.c.parts != nil {
		return j.c.parts.columns(h)
	}
	digests := j.digests
	return func(w *section.Writer) {
		w.Begin(secDigestsOfSets)
		for _, d := range digests {
			w.Uint64s(d[:])
		}
	}
}

// writePart writes a part, with sets, and the documents that c has since the part before.
func (c *Collection) writePart(h partHeader, sets *spill.Lists, columns func(w *section.Writer)) error {
	if h.Number == 1 {
		err := writeSections(c.dir, readingName, func(w *section.Writer) {
			w.Begin(secAbout)
			_, _ = w.Write(marshal(c.run))
		})
		if err != nil {
			return err
		}
	}
	return writeSections(c.dir, partName(h.Number), func(w *section.Writer) {
		w.Begin(secAbout)
		_, _ = w.Write(marshal(h))
		c.writeDocuments(w, h.Start.Documents, h.Start.Sets)
		c.keys.save(w, h.Start.Documents, h.End.Documents)
		columns(w)
		w.Begin(secFeatures)
		_ = sets.Scan(lengthsOf(c.sizes[h.Start.Sets:]), func(_ int, features []uint64) error {
			w.Uint64s(features)
			return nil
		})
	})
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
func (j *journal) Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	from := part{}
	for number, p := range j.parts {
		err := j.scanPart(number+1, from, p, do)
		if err != nil {
			return err
		}
		from = p
	}
	return j.recent.Scan(lengthsOf(j.c.sizes[from.Sets:]), func(i int, features []uint64) error { return do(from.Sets+i, features) })
}

func (j *journal) scanPart(number int, from, to part, do func(i int, features []uint64) error) (err error) {
	path := partName(number)
	m, err := j.c.dir.Map(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return mmap.Guarded(func() error {
		f, err := section.Parse(m.Data())
		if err != nil {
			return section.InFile(path, err)
		}
		features, err := f.Uint64s(secFeatures, to.Features-from.Features)
		if err != nil {
			return section.InFile(path, err)
		}
		for i, n := range j.c.sizes[from.Sets:to.Sets] {
			if uint64(n) > uint64(len(features)) {
				return section.InFile(path, f.Corruptf(secFeatures, 0, "it has too few features"))
			}
			if err := do(from.Sets+i, features[:n:n]); err != nil {
				return err
			}
			features = features[n:]
		}
		return nil
	})
}

// count changes what c counts of its files.
func (c *Collection) count(change func()) {
	if c.journal != nil {
		c.journal.mu.Lock()
		defer c.journal.mu.Unlock()
	}
	change()
}

// removeParts removes the parts but for the first ones, and if there are none, what says what they are of.
func removeParts(out disk.FS, but int) error {
	names, err := out.ReadDir(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		part, _ := filepath.Match(partPattern, name)
		stays := part && len(name) == len(partName(0)) && name <= partName(but)
		if part && !stays || name == readingName && but == 0 {
			if err := out.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
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
