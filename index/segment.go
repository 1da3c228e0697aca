package index

import (
	"bytes"
	"fmt"
	"path/filepath"

	"simsearch/analysis"
	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/section"
	"simsearch/tables"
)

// Names of the sections of a segment; docs/FORMAT.md describes each.
const (
	secCounts       = "counts"
	secIDEnds       = "ids.ends"
	secIDBytes      = "ids.bytes"
	secIDHashes     = "ids.hashes"
	secIDOrder      = "ids.order"
	secFingerprints = "documents.fingerprints"
	secEmpty        = "documents.empty"
	secGroupEnds    = "groups.ends"
	secMembers      = "groups.members"
)

// verifyAtOpen is the size in bytes up to which a segment is verified as a whole
// when it is opened: a few milliseconds. Of larger ones, each block is checked when it is
// first used.
const verifyAtOpen = 16 << 20

// A segment is an immutable part of the collection, mapped into memory. Documents
// are numbered from 0 within it. Its sections are used by way of methods that check what they
// use (section.Array), so that every one of them may return an error.
type segment struct {
	path string
	m    *mmap.File
	f    *section.File

	documents, empties, distinct uint64

	idEnds       section.Array[uint64] // document i's id ends there in idBytes
	idBytes      section.Array[byte]
	idHashes     section.Array[uint64] // ascending
	idOrder      section.Array[uint32] // the document of each hash
	fingerprints section.Array[uint64] // of each document; 0 for an empty one
	empty        section.Array[uint32] // numbers of the empty documents, ascending
	groups       groups
	tables       *tables.Tables // nil in mode minhash, as are fingerprints and groups
	sets         *sets          // nil in mode simhash
}

// groups are documents brought together: those of group i are member[ends[i]:ends[i+1]].
type groups struct{ ends, member section.Array[uint32] }

// size returns how many documents group i has. The error is section.ErrCorrupt.
func (g *groups) size(i uint32) (int, error) {
	ends, err := g.ends.Range(uint64(i), uint64(i)+2)
	if err != nil {
		return 0, err
	}
	return max(0, int(ends[1])-int(ends[0])), nil
}

// openSegment maps a segment and checks that it is the one the manifest means. It is verified as
// a whole if it has at most so many bytes.
func openSegment(fsys disk.FS, dir string, ref segmentRef, settings analysis.Settings, verifyTo int) (*segment, error) {
	path := filepath.Join(dir, ref.Name)
	m, err := fsys.Map(path)
	if err != nil {
		return nil, mapError(err)
	}
	s := &segment{path: path, m: m}
	if err := mmap.Guarded(func() error { return s.load(ref, settings, verifyTo) }); err != nil {
		_ = m.Close() // the error above says more
		return nil, fileError(path, err)
	}
	return s, nil
}

func (s *segment) load(ref segmentRef, settings analysis.Settings, verifyTo int) error {
	data := s.m.Data()
	if uint64(len(data)) != ref.Bytes {
		return fmt.Errorf("%w: the file has %d bytes, the manifest says %d", section.ErrCorrupt, len(data), ref.Bytes)
	}
	var err error
	if s.f, err = section.Parse(data); err != nil {
		return err
	}
	if digest := fmt.Sprintf("%08x", s.f.Digest()); digest != ref.Digest {
		return fmt.Errorf("%w: the file has digest %s, the manifest says %s", section.ErrCorrupt, digest, ref.Digest)
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
	if s.documents != ref.Documents || s.documents == 0 || s.documents > maxDocuments || s.empties > s.documents || s.distinct > s.documents-s.empties {
		return fmt.Errorf("%w: %d documents, %d of them empty, %d distinct; the manifest says %d documents, and none has no segment",
			section.ErrCorrupt, s.documents, s.empties, s.distinct, ref.Documents)
	}
	if err := s.loadIDs(); err != nil {
		return err
	}
	if settings.Fingerprints() {
		if err := s.loadFingerprints(settings.Bits); err != nil {
			return err
		}
	}
	if settings.Sets() {
		s.sets, err = loadSets(s.path, s.f, s.documents, s.empties, settings.Positions)
	}
	return err
}

func (s *segment) loadIDs() (err error) {
	if s.idEnds, err = section.Integers[uint64](s.f, secIDEnds, s.documents); err != nil {
		return err
	}
	if s.idHashes, err = section.Integers[uint64](s.f, secIDHashes, s.documents); err != nil {
		return err
	}
	if s.idOrder, err = section.Integers[uint32](s.f, secIDOrder, s.documents); err != nil {
		return err
	}
	if s.empty, err = section.Integers[uint32](s.f, secEmpty, s.empties); err != nil {
		return err
	}
	size, err := s.f.Size(secIDBytes)
	if err != nil {
		return err
	}
	s.idBytes, err = section.Integers[byte](s.f, secIDBytes, size)
	return err
}

func (s *segment) loadFingerprints(bits int) (err error) {
	if s.fingerprints, err = section.Integers[uint64](s.f, secFingerprints, s.documents); err != nil {
		return err
	}
	if s.groups.ends, err = section.Integers[uint32](s.f, secGroupEnds, s.distinct+1); err != nil {
		return err
	}
	if s.groups.member, err = section.Integers[uint32](s.f, secMembers, s.documents-s.empties); err != nil {
		return err
	}
	if s.tables, err = tables.Load(s.f); err != nil {
		return err
	}
	if uint64(s.tables.Len()) != s.distinct || s.tables.Design().Width() != bits {
		return fmt.Errorf("%w: tables of %d fingerprints of %d bits, want %d of %d",
			section.ErrCorrupt, s.tables.Len(), s.tables.Design().Width(), s.distinct, bits)
	}
	return nil
}

func (s *segment) close() error { return s.m.Close() }

// verify checks every byte against its checksum.
func (s *segment) verify() error { return s.f.Verify() }

// id returns the id of a document, a part of the file.
func (s *segment) id(doc uint32) ([]byte, error) {
	lo, hi, err := span(&s.idEnds, doc)
	if err != nil {
		return nil, fileError(s.path, err)
	}
	if lo >= hi || hi > uint64(s.idBytes.Len()) {
		return nil, corruptf(s.path, "the id of document %d spans [%d, %d) of %d bytes", doc, lo, hi, s.idBytes.Len())
	}
	id, err := s.idBytes.Range(lo, hi)
	return id, fileError(s.path, err)
}

// span returns where item i begins and ends, of items that lie one behind the other.
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

// groupMembers returns the documents of a group.
func (s *segment) groupMembers(g *groups, i uint32) ([]uint32, error) {
	ends, err := g.ends.Range(uint64(i), uint64(i)+2)
	if err != nil {
		return nil, fileError(s.path, err)
	}
	lo, hi := ends[0], ends[1]
	if lo >= hi || uint64(hi) > uint64(g.member.Len()) {
		return nil, corruptf(s.path, "the documents of group %d span [%d, %d) of %d", i, lo, hi, g.member.Len())
	}
	ms, err := g.member.Range(uint64(lo), uint64(hi))
	if err != nil {
		return nil, fileError(s.path, err)
	}
	for _, m := range ms {
		if uint64(m) >= s.documents {
			return nil, corruptf(s.path, "document %d of %d", m, s.documents)
		}
	}
	return ms, nil
}

// fingerprint returns the fingerprint of a document of an index that has them; ok is false if it
// is empty.
func (s *segment) fingerprint(doc uint32) (fp uint64, ok bool, err error) {
	if fp, err = s.fingerprints.At(uint64(doc)); err != nil {
		return 0, false, fileError(s.path, err)
	}
	empty, err := s.isEmpty(doc)
	return fp, !empty, err
}

// isEmpty reports whether a document has no features.
func (s *segment) isEmpty(doc uint32) (bool, error) {
	i, err := search(&s.empty, doc)
	if err != nil || i == uint64(s.empty.Len()) {
		return false, fileError(s.path, err)
	}
	return s.empty.All[i] == doc, nil
}

// search returns the place of the first element that is no less than x, in an array that
// ascends. It checks the elements that it looks at, the one returned among them.
func search[T uint32 | uint64](a *section.Array[T], x T) (uint64, error) {
	lo, hi := uint64(0), uint64(a.Len())
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

// find returns the document with an id.
func (s *segment) find(id []byte) (doc uint32, ok bool, err error) {
	h := idHash(id)
	i, err := search(&s.idHashes, h)
	for ; err == nil && i < s.documents; i++ {
		var hash uint64
		if hash, err = s.idHashes.At(i); err != nil || hash != h {
			break
		}
		if doc, err = s.idOrder.At(i); err != nil {
			break
		}
		if uint64(doc) >= s.documents {
			return 0, false, corruptf(s.path, "document %d of %d", doc, s.documents)
		}
		other, err := s.id(doc)
		if err != nil {
			return 0, false, err
		}
		if bytes.Equal(other, id) {
			return doc, true, nil
		}
	}
	return 0, false, fileError(s.path, err)
}

// idHash spreads ids over 64 bits; a collision costs a comparison, no error.
func idHash(id []byte) uint64 { return fingerprint.Murmur3.Sum(id) }
