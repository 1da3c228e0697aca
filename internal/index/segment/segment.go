// Package segment reads and writes segments, the immutable files that the documents of an index lie
// in. A Builder gathers documents and writes them; Open maps what it has written. The code that
// writes a section stands beside the code that reads it: ids.go has the ids, groups.go the
// fingerprints, buildsets.go and sets.go the sets of features, texts.go what is kept of texts.
// internal/ground/section/FORMAT.md specifies the bytes.
package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
	"simsearch/internal/index/bulk"
	"simsearch/internal/match/lsh"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/sequences"
	"simsearch/tables"
)

// MaxDocuments is the number of documents that 32 bits can number if one value is kept free.
const MaxDocuments = 1<<32 - 1

// A Layout says which sections a segment has.
type Layout struct {
	Bits      int  // of a fingerprint; 0 if there are no fingerprints
	Sets      bool // whether there are sets of features
	Positions int  // of the signatures of sets, one byte each; 0 if there are none
	Texts     bool // whether a segment that is written keeps texts, or where they were read
	Fields    bool // whether it keeps fields of records
	Passages  bool // whether it has the codes of words, in which passages are found
}

// A Ref is what the manifest knows of a segment. Its size and digest reveal a file that was
// exchanged or is stale.
type Ref struct {
	Name      string `json:"name"`
	Documents uint64 `json:"documents"`
	Bytes     uint64 `json:"bytes"`
	Digest    string `json:"digest"` // eight hexadecimal digits

	Deleted *DeletedRef `json:"deleted,omitempty"` // of its Documents; nil if all are live
}

// A Segment is an immutable part of a collection, mapped into memory. Its live documents are numbered from 0: those
// of the file that are not deleted (see Less). Its methods return parts of the map that have been checked against
// their checksums. Every method may panic with a disk.Damage that names the file, so that its callers are in
// disk.Guarded.
//
// A Segment is safe for concurrent use. The caller must not call Close while the segment is read.
type Segment struct {
	path string
	m    *disk.Mapped
	f    *section.File

	documents uint64
	words     int // of 64 bits, of a fingerprint
	ids       ids
	prints    Groups                // of documents with equal fingerprints
	values    section.Array[uint64] // the fingerprint of each of these groups
	tables    *tables.Tables        // nil without fingerprints, like the two fields above
	wide      *tables.Wide          // of fingerprints of more than 64 bits, in place of tables
	sets      *Sets                 // nil without sets
	texts     *texts                // nil if neither texts nor sources are kept
	fields    *texts                // nil if no fields are kept
	passages  *sequences.Index      // nil if there are none

	deleted *Deleted // nil if every document is live
}

// Open maps the segment of ref in dir. It checks the outline of the file. If the file has at most
// verifyTo bytes, Open checks all of them.
func Open(fsys disk.FS, dir string, ref Ref, layout Layout, verifyTo int) (s *Segment, err error) {
	s = &Segment{path: filepath.Join(dir, ref.Name)}
	s.m, err = OpenFile(fsys, s.path, ref.Bytes, ref.Digest, false, func(f *section.File) {
		if ref.Bytes <= uint64(verifyTo) {
			f.MustVerify()
		}
		s.load(f, ref, layout, false)
	})
	return s, err
}

// OpenFile maps a section file that a manifest names, of a known size and digest, and calls load with its sections.
// A disk.Damage that load panics with is the error, and names the file. If longer is set, the file may have become
// longer. The error is section.ErrCorrupt if there is no such file. It is another one if the system is short of memory
// or denies access.
func OpenFile(fsys disk.FS, path string, bytes uint64, digest string, longer bool, load func(*section.File)) (*disk.Mapped, error) {
	m, err := disk.MapOwn(fsys, path)
	var errno syscall.Errno
	switch {
	case err == nil:
	case errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("a file of the index cannot be opened: %w", err)
	default:
		return nil, fmt.Errorf("%w: the manifest names a file that cannot be opened: %w", section.ErrCorrupt, err)
	}
	data := m.Data()
	if longer {
		data = data[:min(uint64(len(data)), bytes)]
	}
	m.Expect(data, disk.AtRandom)
	err = disk.Guarded(func() error {
		f, err := section.ParseKnown(path, data, bytes, digest)
		if err != nil {
			return err
		}
		f.Expect(m.Expect)
		if int64(len(data)) > spill.DefaultMemory() {
			f.Large()
		}
		load(f)
		return nil
	})
	if err != nil {
		_ = m.Close() // the other error says more
		return nil, section.InFile(path, err)
	}
	return m, nil
}

// load loads the sections by their sizes, which the digest has proved right. What is damaged is loaded, too, but for
// what only searches need.
func (s *Segment) load(f *section.File, ref Ref, layout Layout, damaged bool) {
	s.f, s.documents, s.words = f, ref.Documents, layout.words()
	s.ids.load(f)
	if n := s.ids.len(); n != s.documents || n == 0 || n > MaxDocuments {
		panic(f.Corruptf(s.ids.section(), 0, "%d documents; the manifest says %d documents, and a segment has some", n, s.documents))
	}
	if layout.Bits > 0 {
		s.loadPrints(f, layout.Bits, damaged)
	}
	if layout.Sets {
		s.sets = &Sets{positions: layout.Positions}
		s.sets.load(f, s.documents, damaged)
	}
	s.texts, s.fields = loadTexts(f, secTexts, s.documents), loadTexts(f, secFields, s.documents)
	if layout.Passages {
		s.passages = sequences.Load(f, s.documents)
	}
}

// loadPrints loads the groups of equal fingerprints, and their tables.
func (s *Segment) loadPrints(f *section.File, bits int, damaged bool) {
	name, n, width := "tables.values", 0, 0
	if s.words > 1 {
		name = tables.SectionWideValues
	}
	groups := f.Size(name) / uint64(8*s.words)
	s.values = section.Integers[uint64](f, name, groups*uint64(s.words))
	s.prints = bulk.LoadGroups(f, fingerprintGroups, s.documents, groups)
	if damaged {
		s.prints.Salvage()
		return
	}
	if s.words > 1 {
		s.wide = tables.LoadWide(f)
		n, width = s.wide.Len(), s.wide.Width()
	} else {
		s.tables = tables.Load(f)
		n, width = s.tables.Len(), s.tables.Design().Width()
	}
	if n != s.prints.Len() || width != bits {
		panic(&section.CorruptError{File: s.path, Offset: -1,
			Reason: fmt.Sprintf("tables of %d fingerprints of %d bits, want %d of %d", n, width, s.prints.Len(), bits)})
	}
}

// load loads the sections of the sets.
func (s *Sets) load(f *section.File, documents uint64, damaged bool) {
	n := f.Size(secDigests) / 16
	s.groups = bulk.LoadGroups(f, setGroups, documents, n)
	s.digests = section.Integers[uint64](f, secDigests, 2*n)
	if s.positions > 0 {
		s.signatures = section.Integers[byte](f, secSignatures, n*uint64(s.positions))
	}
	if damaged { // if it fails, no set can be read
		s.groups.Salvage()
		_ = section.DamageOf(func() { s.coded = prefix.LoadCoded(f, n) })
		return
	}
	s.coded = prefix.Load(f, n)
	if s.positions > 0 {
		s.bands = lsh.Load(f, n, s.positions)
	}
}

// Less returns s without the documents of d, which must not change any more. It shares the map of s, which is closed
// by s alone. A nil d is empty.
func (s *Segment) Less(d *Deleted) *Segment {
	less := *s
	if d.Count() == 0 {
		d = nil
	} else if !d.indexed { // Live and At need it
		d.set.Index()
		d.indexed = true
	}
	less.deleted = d
	if s.sets != nil {
		sets := *s.sets
		sets.deleted = d
		less.sets = &sets
	}
	return &less
}

// Deleted returns the documents of the file that are not live, or nil. The caller must not change it.
func (s *Segment) Deleted() *Deleted { return s.deleted }

// Close unmaps the segment.
func (s *Segment) Close() error { return s.m.Close() }

// Mapped reports whether the segment has not been closed.
func (s *Segment) Mapped() bool { return s.m.Data() != nil }

// Path returns the path of the file.
func (s *Segment) Path() string { return s.path }

// Verify checks every byte against its checksum, on up to threads goroutines.
func (s *Segment) Verify(threads int) error {
	return section.InFile(s.path, disk.Guarded(func() error { return s.f.VerifyBy(threads) }))
}

// Unchanged returns a section.ErrCorrupt if the file was written to or truncated since it was
// mapped.
func (s *Segment) Unchanged() error { return s.m.Unchanged() }

// Documents returns the number of live documents, including empty ones.
func (s *Segment) Documents() uint64 { return s.documents - uint64(s.deleted.Count()) }

// Stored returns the number of documents of the file, including those that are deleted.
func (s *Segment) Stored() uint64 { return s.documents }

// Tables returns the tables of the distinct fingerprints, or nil if there are none. The tables
// number the fingerprints as Groups numbers its groups.
func (s *Segment) Tables() *tables.Tables { return s.tables }

// Bands returns the bands over the signatures, or nil if there are none.
func (s *Segment) Bands() *lsh.Tables {
	if s.sets == nil {
		return nil
	}
	return s.sets.bands
}

// Groups returns the groups of documents with equal fingerprints.
func (s *Segment) Groups() *Groups { return &s.prints }

// Sets returns the sets of features, or nil if there are none.
func (s *Segment) Sets() *Sets { return s.sets }

// BuildMemory returns about what Builder.Memory would be with the documents of the file of s alone. It does not read
// them.
func (s *Segment) BuildMemory() int64 {
	l := load{documents: s.documents, idBytes: uint64(s.ids.bytes.Len())}
	if s.sets != nil {
		l.sets, l.positions = uint64(s.sets.Len()), s.sets.positions
		l.features, l.shared = uint64(s.sets.coded.Bytes()), uint64(s.sets.coded.Ranks())
	}
	if s.tables != nil && s.tables.Design().IsDense() { // it is written as a stream again
		return StreamMemory + perStreamed*int64(s.documents)
	}
	return l.bytes()
}
