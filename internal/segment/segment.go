// Package segment reads and writes segments, the immutable files that the documents of an index lie
// in. A Builder gathers documents and writes them; Open maps what it has written. The code that
// writes a section stands beside the code that reads it: ids.go has the ids, fingerprints.go the
// fingerprints, buildsets.go and sets.go the sets of features, texts.go and sources.go what is kept of texts.
// docs/FORMAT.md specifies the bytes.
package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/lsh"
	"simsearch/section"
	"simsearch/tables"
)

// secCounts is the section with the numbers of documents, of those without a fingerprint, and of distinct fingerprints.
const secCounts = "counts"

// MaxDocuments is the number of documents that 32 bits can number if one value is kept free.
const MaxDocuments = 1<<32 - 1

// A Layout says which sections a segment has.
type Layout struct {
	Bits      int  // of a fingerprint; 0 if there are no fingerprints
	Sets      bool // whether there are sets of features
	Positions int  // of the signatures of sets, one byte each; 0 if there are none
	Texts     bool // whether a segment that is written keeps texts
	Fields    bool // whether it keeps fields of records
	Sources   bool // whether it keeps where documents were read
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

// A Segment is an immutable part of a collection, mapped into memory. Its live documents are numbered
// from 0: those of the file that are not deleted (see Less). Its methods return parts of the map that have been checked against their checksums. Every
// method may return an error that wraps section.ErrCorrupt and names the file.
//
// A Segment is safe for concurrent use. The caller must not call Close while the segment is read.
type Segment struct {
	path string
	m    *mmap.File
	f    *section.File

	documents, empties, distinct uint64

	ids          ids
	empty        section.Array[uint32] // numbers of the documents without a fingerprint, or a set if there are no fingerprints, ascending
	fingerprints section.Array[uint64] // of each document; 0 for one without
	groups       Groups                // of documents with equal fingerprints
	tables       *tables.Tables        // nil without fingerprints, like the two fields above
	sets         *Sets                 // nil without sets
	texts        *texts                // nil if no texts are kept
	fields       *texts                // nil if no fields are kept
	sources      *sources              // nil if no sources are kept

	deleted *Deleted // nil if every document is live
}

// Open maps the segment of ref in dir. It checks the outline of the file. If the file has at most
// verifyTo bytes, Open checks all of them.
func Open(fsys disk.FS, dir string, ref Ref, layout Layout, verifyTo int) (*Segment, error) {
	path := filepath.Join(dir, ref.Name)
	m, err := Map(fsys, path)
	if err != nil {
		return nil, err
	}
	s := &Segment{path: path, m: m}
	if err := mmap.Guarded(func() error { return s.load(ref, layout, verifyTo) }); err != nil {
		_ = m.Close() // the other error says more
		return nil, section.InFile(path, err)
	}
	return s, nil
}

// Map maps a file that a manifest names. The error is section.ErrCorrupt if there is no such file.
// It is another one if the system is short of memory or denies access.
func Map(fsys disk.FS, path string) (*mmap.File, error) {
	m, err := fsys.Map(path)
	if err == nil {
		return m, nil
	}
	var errno syscall.Errno
	if errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("a file of the index cannot be opened: %w", err)
	}
	return nil, fmt.Errorf("%w: the manifest names a file that cannot be opened: %w", section.ErrCorrupt, err)
}

func (s *Segment) load(ref Ref, layout Layout, verifyTo int) error {
	data := s.m.Data()
	var err error
	if s.f, err = section.ParseKnown(data, ref.Bytes, ref.Digest); err != nil {
		return err
	}
	if len(data) <= verifyTo {
		if err := s.f.Verify(); err != nil {
			return err
		}
	}
	counts, err := s.f.Uint64s(secCounts, 3)
	if err != nil {
		return err
	}
	s.documents, s.empties, s.distinct = counts[0], counts[1], counts[2]
	if s.documents != ref.Documents || s.documents == 0 || s.documents > MaxDocuments || s.empties > s.documents || s.distinct > s.documents-s.empties {
		return s.f.Corruptf(secCounts, 0, "%d documents, %d of them empty, %d distinct; the manifest says %d documents, and a segment has some",
			s.documents, s.empties, s.distinct, ref.Documents)
	}
	if err := s.ids.load(s.f, s.documents); err != nil {
		return err
	}
	if s.empty, err = section.Integers[uint32](s.f, secEmpty, s.empties); err != nil {
		return err
	}
	if layout.Bits > 0 {
		if err := s.loadFingerprints(layout.Bits); err != nil {
			return err
		}
	}
	if layout.Sets {
		if s.sets, err = loadSets(s.path, s.f, s.documents, layout.Positions); err != nil {
			return err
		}
	}
	return s.loadKept()
}

// loadKept loads what is kept of texts.
func (s *Segment) loadKept() error {
	for _, kept := range []struct {
		names textSections
		into  **texts
	}{{secTexts, &s.texts}, {secFields, &s.fields}} {
		if _, err := s.f.Size(kept.names.places); err == nil {
			*kept.into = &texts{}
			if err := (*kept.into).load(s.f, kept.names, s.documents); err != nil {
				return err
			}
		}
	}
	if _, err := s.f.Size(secSourcePaths); err == nil {
		s.sources = &sources{}
		return s.sources.load(s.f, s.documents)
	}
	return nil
}

// Less returns s without the documents of d, which must not change any more. It shares the map of s, which is closed
// by s alone. A nil d is empty.
func (s *Segment) Less(d *Deleted) *Segment {
	less := *s
	if d.Count() == 0 {
		d = nil
	} else {
		d.index()
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
	return s.InFile(mmap.Guarded(func() error { return s.f.VerifyBy(threads) }))
}

// Unchanged returns a section.ErrCorrupt if the file was written to or truncated since it was
// mapped.
func (s *Segment) Unchanged() error { return s.m.Unchanged() }

// Documents returns the number of live documents, including empty ones.
func (s *Segment) Documents() uint64 { return s.documents - uint64(s.deleted.Count()) }

// Stored returns the number of documents of the file, including those that are deleted.
func (s *Segment) Stored() uint64 { return s.documents }

// Empties returns the number of live documents without features: without a set where there are sets, else
// without a fingerprint.
func (s *Segment) Empties() uint64 {
	empties := s.empties
	if s.sets != nil {
		empties = s.documents - uint64(s.sets.groups.member.Len())
	}
	if s.deleted != nil {
		empties -= min(empties, uint64(s.deleted.empties))
	}
	return empties
}

// Distinct returns the number of distinct fingerprints of the file.
func (s *Segment) Distinct() uint64 { return s.distinct }

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
func (s *Segment) Groups() *Groups { return &s.groups }

// Sets returns the sets of features, or nil if there are none.
func (s *Segment) Sets() *Sets { return s.sets }

// EachSection calls do with the name and the length in bytes of each section.
func (s *Segment) EachSection(do func(name string, length uint64)) {
	s.f.Sections(func(name string, _, length uint64) bool {
		do(name, length)
		return true
	})
}

// InFile adds the name of the file to an error about a part of the segment, such as its tables.
func (s *Segment) InFile(err error) error { return section.InFile(s.path, err) }

// corruptf returns a section.ErrCorrupt about element i of a.
func corruptf[T section.Integer](path string, a *section.Array[T], i uint64, format string, args ...any) error {
	return section.InFile(path, a.Corruptf(i, format, args...))
}

// A Groups is documents in groups. Those of group i are member[ends[i]:ends[i+1]].
type Groups struct{ ends, member section.Array[uint32] }

// Size returns the number of documents of group i in the file. The error is section.ErrCorrupt and does not
// name the file.
func (g *Groups) Size(i uint32) (int, error) {
	ends, err := g.ends.Range(uint64(i), uint64(i)+2)
	if err != nil {
		return 0, err
	}
	return max(0, int(ends[1])-int(ends[0])), nil
}

// Members returns the live documents of group i of s, in ascending order.
func (s *Segment) Members(g *Groups, i uint32) ([]uint32, error) {
	members, err := g.members(s.path, i, s.documents)
	if s.deleted == nil || err != nil {
		return members, err
	}
	live := make([]uint32, 0, len(members))
	for _, m := range members {
		if number, ok := s.deleted.Live(m); ok {
			live = append(live, number)
		}
	}
	return live, nil
}

// members returns the documents of group i in the file at path, which has the given number of documents.
func (g *Groups) members(path string, i uint32, documents uint64) ([]uint32, error) {
	ends, err := g.ends.Range(uint64(i), uint64(i)+2)
	if err != nil {
		return nil, section.InFile(path, err)
	}
	lo, hi := ends[0], ends[1]
	if lo >= hi || uint64(hi) > uint64(g.member.Len()) {
		return nil, corruptf(path, &g.ends, uint64(i), "the documents of group %d span [%d, %d) of %d", i, lo, hi, g.member.Len())
	}
	members, err := g.member.Range(uint64(lo), uint64(hi))
	if err != nil {
		return nil, section.InFile(path, err)
	}
	for j, m := range members {
		if uint64(m) >= documents {
			return nil, corruptf(path, &g.member, uint64(lo)+uint64(j), "document %d of %d", m, documents)
		}
	}
	return members, nil
}

// search returns the index of the first element that is at least x, in an ascending array. It
// checks the elements that it reads, including the one at that index.
func search[T uint32 | uint64](a *section.Array[T], x T) (uint64, error) {
	return searchBetween(a, 0, uint64(a.Len()), x)
}

// searchBetween returns the first place in [lo, hi) of an element that is not less than x, or hi.
func searchBetween[T uint32 | uint64](a *section.Array[T], lo, hi uint64, x T) (uint64, error) {
	for lo < hi {
		middle := lo + (hi-lo)/2
		y, err := a.At(middle)
		if err != nil {
			return 0, err
		}
		if y < x {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	return lo, nil
}

// span returns the beginning and the end of item i. The items lie one after the other, and ends
// holds their ends.
func span(ends *section.Array[uint64], i uint32) (lo, hi uint64, err error) {
	if i == 0 {
		hi, err = ends.At(0)
		return 0, hi, err
	}
	both, err := ends.Range(uint64(i)-1, uint64(i)+1)
	if err != nil {
		return 0, 0, err
	}
	return both[0], both[1], nil
}
