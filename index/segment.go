package index

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sort"

	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/section"
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
// when it is opened: a few milliseconds. Larger ones are checked by Verify, and by
// what reads all of them.
const verifyAtOpen = 16 << 20

// A segment is an immutable part of the collection, mapped into memory. Documents
// are numbered from 0 within it.
type segment struct {
	path string
	m    *mmap.File
	f    *section.File

	documents, empties uint64
	idEnds             []uint64 // document i's id ends there in idBytes
	idBytes            []byte
	idHashes           []uint64 // ascending
	idOrder            []uint32 // the document of each hash
	fingerprints       []uint64 // of each document; 0 for an empty one
	empty              []uint32 // numbers of the empty documents, ascending
	groups             tables.Groups
	tables             *tables.Tables // nil in mode minhash, as are fingerprints and groups
	sets               *sets          // nil in mode simhash
}

// openSegment maps a segment and checks that it is the one the manifest means.
func openSegment(fsys disk.FS, dir string, ref segmentRef, settings Settings) (*segment, error) {
	path := filepath.Join(dir, ref.Name)
	m, err := fsys.Map(path)
	if err != nil {
		return nil, fmt.Errorf("%w: the manifest names a segment that cannot be opened: %w; %s", ErrCorrupt, err, advice)
	}
	s := &segment{path: path, m: m}
	if err := s.load(ref, settings); err != nil {
		_ = m.Close() // the error above says more
		return nil, fileError(path, err)
	}
	return s, nil
}

func (s *segment) load(ref segmentRef, settings Settings) error {
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
	if len(data) <= verifyAtOpen {
		if err := s.f.Verify(); err != nil {
			return err
		}
	}
	counts, err := s.f.Uint64s(secCounts, 3)
	if err != nil {
		return err
	}
	var distinct uint64
	s.documents, s.empties, distinct = counts[0], counts[1], counts[2]
	if s.documents != ref.Documents || s.documents > maxDocuments || s.empties > s.documents || distinct > s.documents-s.empties {
		return fmt.Errorf("%w: %d documents, %d of them empty, %d distinct; the manifest says %d documents",
			section.ErrCorrupt, s.documents, s.empties, distinct, ref.Documents)
	}
	if err := s.loadIDs(); err != nil {
		return err
	}
	if settings.Fingerprints() {
		if err := s.loadFingerprints(distinct, settings.Bits); err != nil {
			return err
		}
	}
	if settings.Sets() {
		s.sets, err = loadSets(s.path, s.f, s.documents, s.empties, settings.Perms)
	}
	return err
}

func (s *segment) loadIDs() (err error) {
	if s.idEnds, err = s.f.Uint64s(secIDEnds, s.documents); err != nil {
		return err
	}
	if s.idHashes, err = s.f.Uint64s(secIDHashes, s.documents); err != nil {
		return err
	}
	if s.idOrder, err = s.f.Uint32s(secIDOrder, s.documents); err != nil {
		return err
	}
	if s.empty, err = s.f.Uint32s(secEmpty, s.empties); err != nil {
		return err
	}
	s.idBytes, err = s.f.Bytes(secIDBytes)
	return err
}

func (s *segment) loadFingerprints(distinct uint64, bits int) (err error) {
	if s.fingerprints, err = s.f.Uint64s(secFingerprints, s.documents); err != nil {
		return err
	}
	if s.groups.Ends, err = s.f.Uint32s(secGroupEnds, distinct+1); err != nil {
		return err
	}
	if s.groups.Member, err = s.f.Uint32s(secMembers, s.documents-s.empties); err != nil {
		return err
	}
	if s.tables, err = tables.Load(s.f); err != nil {
		return err
	}
	s.groups.Values = s.tables.Values()
	if uint64(len(s.groups.Values)) != distinct || s.tables.Design().Width() != bits {
		return fmt.Errorf("%w: tables of %d fingerprints of %d bits, want %d of %d",
			section.ErrCorrupt, len(s.groups.Values), s.tables.Design().Width(), distinct, bits)
	}
	return nil
}

func (s *segment) close() error { return s.m.Close() }

// verify checks every byte against its checksum.
func (s *segment) verify() error { return fileError(s.path, s.f.Verify()) }

// id returns the id of a document, a part of the file.
func (s *segment) id(doc uint32) ([]byte, error) {
	var lo uint64
	if doc > 0 {
		lo = s.idEnds[doc-1]
	}
	hi := s.idEnds[doc]
	if lo >= hi || hi > uint64(len(s.idBytes)) {
		return nil, corruptf(s.path, "the id of document %d spans [%d, %d) of %d bytes", doc, lo, hi, len(s.idBytes))
	}
	return s.idBytes[lo:hi:hi], nil
}

// members returns the documents whose fingerprint is value i of the tables.
func (s *segment) members(i uint32) ([]uint32, error) { return s.groupMembers(&s.groups, i) }

// groupMembers returns the documents of a group.
func (s *segment) groupMembers(g *tables.Groups, i uint32) ([]uint32, error) {
	lo, hi := g.Ends[i], g.Ends[i+1]
	if lo >= hi || uint64(hi) > uint64(len(g.Member)) {
		return nil, corruptf(s.path, "the documents of group %d span [%d, %d) of %d", i, lo, hi, len(g.Member))
	}
	ms := g.Member[lo:hi:hi]
	for _, m := range ms {
		if uint64(m) >= s.documents {
			return nil, corruptf(s.path, "document %d of %d", m, s.documents)
		}
	}
	return ms, nil
}

// isEmpty reports whether a document has no features.
func (s *segment) isEmpty(doc uint32) bool {
	i := sort.Search(len(s.empty), func(i int) bool { return s.empty[i] >= doc })
	return i < len(s.empty) && s.empty[i] == doc
}

// find returns the document with an id.
func (s *segment) find(id []byte) (doc uint32, ok bool, err error) {
	h := idHash(id)
	for i := sort.Search(len(s.idHashes), func(i int) bool { return s.idHashes[i] >= h }); i < len(s.idHashes) && s.idHashes[i] == h; i++ {
		if doc = s.idOrder[i]; uint64(doc) >= s.documents {
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
	return 0, false, nil
}

// idHash spreads ids over 64 bits; a collision costs a comparison, no error.
func idHash(id []byte) uint64 { return fingerprint.Murmur3.Sum(id) }
