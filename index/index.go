// Package index keeps a collection on disk: the ids of its documents, their
// fingerprints, the tables to search them, and the settings they were made with.
//
//	w, err := index.OpenWriter(dir, analysis.Default(), index.WriterOptions{})
//	defer w.Close()
//	err = w.Ingest(ctx, documents) // an iterator
//	result, err := w.Commit(ctx)
//
//	ix, err := index.Open(dir)
//	defer ix.Close()
//	answer, err := ix.Near(ctx, index.Text(text), index.Options{Predicate: index.Within(3)})
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

	"simsearch/analysis"
	"simsearch/internal/disk"
	"simsearch/internal/segment"
)

// DefaultDistance is the distance in bits for which tables are planned if the writer
// names no other.
const DefaultDistance = 3

// A Snapshot is a collection opened for searching. It is safe for concurrent use
// and sees the collection as it was when it was opened.
//
// No byte of a segment is used before its block has been checked against its checksum: a
// search that meets damage returns ErrCorrupt, as one does whose segment is cut short while it is
// open. Unchanged finds what is overwritten after that.
type Snapshot struct {
	fs       disk.FS
	dir      string
	manifest *manifest
	analysis *analysis.Analysis
	idf      *idfModel
	segments []*segment.Segment
	starts   []uint32 // number of each segment's first document
	total    uint32
	readers  readers
}

// Open opens the index in dir. It reads the manifest and the outlines of the
// segments, and verifies segments of up to 16 MiB as a whole. Errors are of the
// classes ErrNoIndex, ErrCorrupt and ErrVersion, or of the file system.
func Open(dir string) (*Snapshot, error) {
	m, err := readManifest(disk.OS, dir)
	if err != nil {
		return nil, err
	}
	return openManifest(disk.OS, dir, m, verifyAtOpen)
}

// openManifest opens what a manifest names. It verifies segments of up to so many bytes.
func openManifest(fsys disk.FS, dir string, m *manifest, verifyTo int) (*Snapshot, error) {
	model, err := readIDF(fsys, dir, m.IDF)
	if err != nil {
		return nil, err
	}
	if model == nil {
		model = nothingLearnt()
	}
	a, err := analysis.New(m.Settings)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrVersion, filepath.Join(dir, ManifestName), err)
	}
	ix, err := open(fsys, dir, m, a.WithIDF(model), verifyTo)
	if err == nil {
		ix.idf = model
	}
	return ix, err
}

// open opens the segments of a manifest, whose texts were analysed by a.
func open(fsys disk.FS, dir string, m *manifest, a *analysis.Analysis, verifyTo int) (*Snapshot, error) {
	ix := &Snapshot{fs: fsys, dir: dir, manifest: m, analysis: a}
	ix.readers.unmap = ix.unmap
	var total uint64
	for _, ref := range m.Segments {
		s, err := segment.Open(fsys, dir, ref, layout(m.Settings), verifyTo)
		if err != nil {
			return nil, errors.Join(err, ix.Close())
		}
		ix.segments = append(ix.segments, s)
		ix.starts = append(ix.starts, uint32(total))
		if total += s.Documents(); total > segment.MaxDocuments {
			return nil, errors.Join(corruptf(dir, "more than %d documents", uint64(segment.MaxDocuments)), ix.Close())
		}
	}
	ix.total = uint32(total)
	return ix, nil
}

// verifyAtOpen is the size in bytes up to which a segment is verified as a whole
// when it is opened: a few milliseconds. Of larger ones, each block is checked when it is
// first used.
const verifyAtOpen = 16 << 20

// layout returns which sections the segments of a collection have.
func layout(s analysis.Settings) (l segment.Layout) {
	if s.Fingerprints() {
		l.Bits = s.Bits
	}
	if s.Sets() {
		l.Positions = s.Positions
	}
	return l
}

// LimitMemory sets the budget in bytes for what searches make in memory and keep, the tables of
// heavy runs (tables.SetHeavyBudget), of which each segment gets its share by size.
func (ix *Snapshot) LimitMemory(bytes int64) {
	for _, s := range ix.segments {
		if t := s.Tables(); t != nil {
			t.SetHeavyBudget(int64(float64(bytes) * float64(s.Documents()) / float64(ix.total)))
		}
	}
}

// SearchMemory returns how many bytes searches have made and kept.
func (ix *Snapshot) SearchMemory() (bytes int64) {
	for _, s := range ix.segments {
		if t := s.Tables(); t != nil {
			bytes += t.HeavyBytes()
		}
	}
	return bytes
}

// Close closes the index: what begins later returns ErrClosed. It is unmapped at once or, if
// searches are running, when the last of them has ended. Ids obtained from it become invalid.
func (ix *Snapshot) Close() error { return ix.readers.close() }

func (ix *Snapshot) unmap() error {
	var err error
	for _, s := range ix.segments {
		err = errors.Join(err, s.Close())
	}
	return err
}

// Settings returns the settings of the collection.
func (ix *Snapshot) Settings() analysis.Settings { return ix.manifest.Settings }

// Analysis returns the analysis by which the collection's fingerprints were made.
func (ix *Snapshot) Analysis() *analysis.Analysis { return ix.analysis }

// Len returns the number of documents; they are numbered from 0 in the order of
// the collection.
func (ix *Snapshot) Len() int { return int(ix.total) }

// locate returns the segment of a document, doc < Len(), and its number there.
func (ix *Snapshot) locate(doc uint32) (*segment.Segment, uint32) {
	i, found := slices.BinarySearch(ix.starts, doc)
	if !found {
		i--
	}
	return ix.segments[i], doc - ix.starts[i]
}

// readDocument calls do, as reading does, with the segment of a document and its number there. A
// number that no document has is an error.
func (ix *Snapshot) readDocument(doc uint32, do func(s *segment.Segment, local uint32) error) error {
	if doc >= ix.total {
		return fmt.Errorf("no document has the number %d: there are %d", doc, ix.total)
	}
	return ix.reading(func() error { return do(ix.locate(doc)) })
}

// ID returns the id of a document, doc < Len(). It is valid until Close.
func (ix *Snapshot) ID(doc uint32) (id []byte, err error) {
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) (err error) {
		id, err = s.ID(local)
		return err
	})
	return id, err
}

// Fingerprint returns the fingerprint of a document, doc < Len(); ok is false if
// the document is empty, or the index has no fingerprints.
func (ix *Snapshot) Fingerprint(doc uint32) (fp uint64, ok bool, err error) {
	if !ix.Settings().Fingerprints() {
		return 0, false, nil
	}
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) (err error) {
		fp, ok, err = s.Fingerprint(local)
		return err
	})
	return fp, ok, err
}

// Signature returns the signature of a document, doc < Len(), a byte a position, valid until
// Close; ok is false if the document is empty, or the index has no signatures.
func (ix *Snapshot) Signature(doc uint32) (signature []byte, ok bool, err error) {
	if !ix.Settings().Sets() {
		return nil, false, nil
	}
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) error {
		set, has, err := s.Sets().Of(local)
		if err != nil || !has {
			return err
		}
		ok = true
		signature, err = s.Sets().Signature(set)
		return err
	})
	return signature, ok && err == nil, err
}

// Find returns the number of the document with an id.
func (ix *Snapshot) Find(id []byte) (doc uint32, ok bool, err error) {
	err = ix.reading(func() (err error) {
		doc, ok, err = ix.find(id)
		return err
	})
	return doc, ok, err
}

// find is Find for whoever is reading already.
func (ix *Snapshot) find(id []byte) (doc uint32, ok bool, err error) {
	for i, s := range ix.segments {
		if local, found, err := s.Find(id); found || err != nil {
			return ix.starts[i] + local, found, err
		}
	}
	return 0, false, nil
}

// VerifyChecksums checks every byte of every segment, and of what has been learnt of how rare features
// are, against its checksum.
func (ix *Snapshot) VerifyChecksums() error {
	return ix.reading(func() error {
		errs := []error{ix.idf.verify()}
		for _, s := range ix.segments {
			errs = append(errs, s.Verify())
		}
		return errors.Join(errs...)
	})
}
