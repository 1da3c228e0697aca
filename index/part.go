package index

import (
	"errors"
	"sync/atomic"

	"simsearch/internal/disk"
	"simsearch/internal/segment"
	"simsearch/internal/store"
)

// A part is the live documents of one segment. A part does not change: deleting makes another part of the same
// file.
type part struct {
	*segment.Segment // the live documents
	file             *counted
	ref              segment.Ref // what the manifest knows, with the deleted documents that are on the disk
	memory           bool        // the segment is in memory, and no manifest names it
}

// A counted is the map of a segment file, which several parts and snapshots share. The last one unmaps it.
type counted struct {
	whole *segment.Segment // with all documents of the file
	users atomic.Int64
}

// openPart opens the segment of ref, without the documents that are deleted. The caller has it, and releases it.
func openPart(fsys disk.FS, dir string, ref segment.Ref, layout segment.Layout, verifyTo int) (*part, error) {
	whole, err := segment.Open(fsys, dir, ref, layout, verifyTo)
	if err != nil {
		return nil, err
	}
	p := &part{file: &counted{whole: whole}, ref: ref}
	p.file.users.Store(1)
	if p.Segment = whole; ref.Deleted == nil {
		return p, nil
	}
	deleted, err := segment.OpenDeleted(fsys, dir, *ref.Deleted, whole.Stored())
	if err != nil {
		return nil, errors.Join(err, p.release())
	}
	p.Segment = whole.Less(deleted)
	return p, nil
}

// isOf reports whether p is a part of the file of ref.
func (p *part) isOf(ref segment.Ref) bool {
	return !p.memory && p.ref.Name == ref.Name && p.ref.Bytes == ref.Bytes && p.ref.Digest == ref.Digest
}

// without returns the part of the file of p that ref describes, with other documents deleted perhaps. The caller has
// it, and releases it.
func (p *part) without(fsys disk.FS, dir string, ref segment.Ref) (*part, error) {
	q := &part{Segment: p.file.whole, file: p.file, ref: ref}
	switch {
	case ref.Deleted == nil:
	case p.ref.Deleted != nil && *p.ref.Deleted == *ref.Deleted && uint64(p.Deleted().Count()) == ref.Deleted.Documents:
		q.Segment = p.Segment
	default:
		deleted, err := segment.OpenDeleted(fsys, dir, *ref.Deleted, p.Stored())
		if err != nil {
			return nil, err
		}
		q.Segment = p.file.whole.Less(deleted)
	}
	return q.hold(), nil
}

// openParts opens all segments of m, with the rules of openPart.
func openParts(fsys disk.FS, dir string, m *store.Manifest, verifyTo int) (parts []*part, err error) {
	for _, ref := range m.Segments {
		p, err := openPart(fsys, dir, ref, layout(m.Settings), verifyTo)
		if err != nil {
			return nil, errors.Join(err, releaseAll(parts))
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// hold returns p for another user, which releases it.
func (p *part) hold() *part {
	p.file.users.Add(1)
	return p
}

// release ends what openPart or hold began.
func (p *part) release() error {
	if p.file.users.Add(-1) == 0 {
		return p.file.whole.Close()
	}
	return nil
}

func releaseAll(parts []*part) error {
	var errs []error
	for _, p := range parts {
		errs = append(errs, p.release())
	}
	return errors.Join(errs...)
}

// find returns the live document called id, and its part.
func find(parts []*part, id []byte) (i int, doc uint32, ok bool, err error) {
	for i, p := range parts {
		if doc, ok, err := p.Find(id); ok || err != nil {
			return i, doc, ok, err
		}
	}
	return 0, 0, false, nil
}

// Deletions are the documents of parts that a change deletes.
type deletions struct {
	parts []*part
	of    []*segment.Deleted // of each part, those deleted before and now; nil if none are deleted now
	count int                // of the documents deleted now
}

func newDeletions(parts []*part) *deletions {
	return &deletions{parts: parts, of: make([]*segment.Deleted, len(parts))}
}

// add deletes live document doc of part i. It reports whether the document was not deleted yet by this change.
func (d *deletions) add(i int, doc uint32) (bool, error) {
	p := d.parts[i]
	if d.of[i] == nil {
		if d.of[i] = segment.NewDeleted(p.Stored()); p.Deleted() != nil {
			d.of[i] = p.Deleted().Clone()
		}
	}
	live, err := p.Delete(d.of[i], p.Deleted().At(doc))
	if live {
		d.count++
	}
	return live, err
}

// changed returns the number of parts that have lost some of their documents, but not all.
func (d *deletions) changed() (n int) {
	for i, of := range d.of {
		if of != nil && !d.whole(i) {
			n++
		}
	}
	return n
}

// whole reports whether no document of part i is left.
func (d *deletions) whole(i int) bool {
	return d.of[i] != nil && uint64(d.of[i].Count()) == d.parts[i].Stored()
}
