package store

import (
	"errors"
	"sync/atomic"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
)

// A Part is the live documents of one segment. A Part does not change: deleting makes another part of the same
// file.
type Part struct {
	*segment.Segment // the live documents
	file             *counted
	Ref              segment.Ref // what the manifest knows, with the deleted documents that are on the disk
	Memory           bool        // the segment is in memory, and no manifest names it
}

// A counted is the map of a segment file, which several parts and snapshots share. The last one unmaps it.
type counted struct {
	whole *segment.Segment // with all documents of the file
	users atomic.Int64
}

// openPart opens the segment of ref, without the documents that are deleted. The caller has it, and releases it.
func openPart(fsys disk.FS, dir string, ref segment.Ref, layout segment.Layout, verifyTo int) (*Part, error) {
	whole, err := segment.Open(fsys, dir, ref, layout, verifyTo)
	if err != nil {
		return nil, err
	}
	p := &Part{file: &counted{whole: whole}, Ref: ref}
	p.file.users.Store(1)
	if p.Segment = whole; ref.Deleted == nil {
		return p, nil
	}
	deleted, err := segment.OpenDeleted(fsys, dir, *ref.Deleted, whole.Stored(), false)
	if err != nil {
		return nil, errors.Join(err, p.Release())
	}
	p.Segment = whole.Less(deleted)
	return p, nil
}

// openParts opens all segments of m, with the rules of openPart.
func openParts(fsys disk.FS, dir string, m *Manifest, verifyTo int) (parts []*Part, err error) {
	for _, ref := range m.Segments {
		p, err := openPart(fsys, dir, ref, m.Layout(), verifyTo)
		if err != nil {
			return nil, errors.Join(err, ReleaseAll(parts))
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// Hold returns p for another user, which releases it.
func (p *Part) Hold() *Part {
	p.file.users.Add(1)
	return p
}

// Release ends what openPart or Hold began.
func (p *Part) Release() error {
	if p.file.users.Add(-1) == 0 {
		return p.file.whole.Close()
	}
	return nil
}

// ReleaseAll releases parts.
func ReleaseAll(parts []*Part) error {
	var errs []error
	for _, p := range parts {
		errs = append(errs, p.Release())
	}
	return errors.Join(errs...)
}

// Find returns the live document called id, and its part.
func Find(parts []*Part, id []byte) (i int, doc uint32, ok bool) {
	for i, p := range parts {
		if doc, ok := p.Find(id); ok {
			return i, doc, true
		}
	}
	return 0, 0, false
}

// NewBuilder returns a builder of a segment of the index, which holds so many bytes of features in memory, and as
// many of texts. Fingerprints alone are written as a stream if that takes less than memory: fixed bytes at least.
func (d *Dir) NewBuilder(hold int, memory, fixed int64) *segment.Builder {
	b := segment.NewBuilder(d.FS, d.Path, d.Manifest.Layout(), hold)
	if d.Manifest.Search.Blocks == 0 {
		b.Stream(memory, fixed)
	}
	return b
}
