// Package index keeps a collection on disk: the ids of its documents, their
// fingerprints, the tables to search them, and the settings they were made with.
//
//	w, err := index.OpenWriter("idx", index.DefaultSettings(), index.WriterOptions{})
//	defer w.Close()
//	err = w.Ingest(ctx, documents)      // an iterator
//	result, err := w.Commit(ctx)
//
//	ix, err := index.Open("idx")
//	defer ix.Close()
//	fp, ok, err := ix.Analysis().Fingerprint(&scratch, text)
//	matches, err := ix.Near(nil, fp, 3)
//
// An index is a directory of immutable segments and a manifest that names them;
// docs/FORMAT.md is the specification of every byte. Segments are mapped into memory,
// so that an index is open in milliseconds whatever its size.
package index

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
)

// maxDocuments is the number of documents that 32 bits can number, one value
// being kept free.
const maxDocuments = 1<<32 - 1

// DefaultDistance is the distance in bits for which tables are planned if the writer
// names no other.
const DefaultDistance = 3

// An Index is a collection opened for searching. It is safe for concurrent use
// and sees the collection as it was when it was opened.
type Index struct {
	fs       disk.FS
	dir      string
	manifest *manifest
	analysis *Analysis
	segments []*segment
	starts   []uint32 // number of each segment's first document
	total    uint32
}

// Open opens the index in dir. It reads the manifest and the outlines of the
// segments, and verifies segments of up to 16 MiB as a whole. Errors are of the
// classes ErrNoIndex, ErrCorrupt and ErrVersion, or of the file system.
func Open(dir string) (*Index, error) {
	m, err := readManifest(disk.OS, dir)
	if err != nil {
		return nil, err
	}
	rarity, err := readRarity(disk.OS, dir, m.Rarity)
	if err != nil {
		return nil, err
	}
	if rarity == nil {
		rarity = nothingLearnt()
	}
	analysis, err := newAnalysis(m.Settings, rarity)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrVersion, filepath.Join(dir, ManifestName), err)
	}
	return open(disk.OS, dir, m, analysis)
}

// open opens the segments of a manifest, whose texts were analysed by analysis.
func open(fsys disk.FS, dir string, m *manifest, analysis *Analysis) (*Index, error) {
	ix := &Index{fs: fsys, dir: dir, manifest: m, analysis: analysis}
	var total uint64
	for _, ref := range m.Segments {
		s, err := openSegment(fsys, dir, ref, m.Settings)
		if err != nil {
			return nil, errors.Join(err, ix.Close())
		}
		ix.segments = append(ix.segments, s)
		ix.starts = append(ix.starts, uint32(total))
		if total += s.documents; total > maxDocuments {
			return nil, errors.Join(corruptf(dir, "more than %d documents", uint64(maxDocuments)), ix.Close())
		}
	}
	ix.total = uint32(total)
	return ix, nil
}

// Close unmaps the index. Ids obtained from it become invalid.
func (ix *Index) Close() error {
	var err error
	for _, s := range ix.segments {
		err = errors.Join(err, s.close())
	}
	return err
}

// Settings returns the settings of the collection.
func (ix *Index) Settings() Settings { return ix.manifest.Settings }

// Analysis returns the analysis by which the collection's fingerprints were made.
func (ix *Index) Analysis() *Analysis { return ix.analysis }

// Len returns the number of documents; they are numbered from 0 in the order of
// the collection.
func (ix *Index) Len() int { return int(ix.total) }

// locate returns the segment of a document and its number there.
func (ix *Index) locate(doc uint32) (*segment, uint32) {
	i, found := slices.BinarySearch(ix.starts, doc)
	if !found {
		i--
	}
	return ix.segments[i], doc - ix.starts[i]
}

// ID returns the id of a document, doc < Len(). It is valid until Close.
func (ix *Index) ID(doc uint32) ([]byte, error) {
	s, local := ix.locate(doc)
	return s.id(local)
}

// Fingerprint returns the fingerprint of a document, doc < Len(); ok is false if
// the document is empty, or the index has no fingerprints.
func (ix *Index) Fingerprint(doc uint32) (fp uint64, ok bool) {
	s, local := ix.locate(doc)
	if s.fingerprints == nil {
		return 0, false
	}
	return s.fingerprints[local], !s.isEmpty(local)
}

// Signature returns the signature of a document, doc < Len(), a byte a position, valid until
// Close; ok is false if the document is empty, or the index has no signatures.
func (ix *Index) Signature(doc uint32) (signature []byte, ok bool) {
	s, local := ix.locate(doc)
	if s.sets == nil {
		return nil, false
	}
	set := s.sets.of[local]
	if uint64(set) >= uint64(s.sets.len()) {
		return nil, false
	}
	return s.sets.signature(set), true
}

// identity is what tells the text of a document from others': 0 where it is empty.
type identity struct {
	fp  uint64
	set digest
	ok  bool
}

func (ix *Index) identity(doc uint32) identity {
	s, local := ix.locate(doc)
	id := identity{ok: !s.isEmpty(local)}
	if s.fingerprints != nil {
		id.fp = s.fingerprints[local]
	}
	if s.sets != nil {
		if set := s.sets.of[local]; uint64(set) < uint64(s.sets.len()) {
			id.set = s.sets.digest(set)
		}
	}
	return id
}

// Find returns the number of the document with an id.
func (ix *Index) Find(id []byte) (doc uint32, ok bool, err error) {
	for i, s := range ix.segments {
		if local, ok, err := s.find(id); ok || err != nil {
			return ix.starts[i] + local, ok, err
		}
	}
	return 0, false, nil
}

// Verify checks every byte of every segment, and of what has been learnt of how rare features
// are, against its checksum.
func (ix *Index) Verify() error {
	errs := []error{ix.analysis.rarity.verify()}
	for _, s := range ix.segments {
		errs = append(errs, s.verify())
	}
	return errors.Join(errs...)
}
