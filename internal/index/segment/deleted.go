package segment

import (
	"path/filepath"
	"slices"
	"sort"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// A Deleted is the documents of a segment that are no longer a part of the index. The other documents are live.
// A segment is immutable, so that a document that is deleted or replaced stays in its file until the segment
// is merged. A Segment with a Deleted numbers its live documents from 0, without gaps, so that nothing outside
// of this package sees the others.
//
// A Deleted is a bitmap with counts: Live and At take some nanoseconds. It must not be changed while a Segment uses
// it; Clone it first.
type Deleted struct {
	set       ints.NumberedSet
	documents uint32
	count     int  // of the deleted documents
	indexed   bool // set has been indexed since the last change
}

// secDeleted is the section of the file of a Deleted.
const secDeleted = "deleted"

// NewDeleted returns the deleted documents of a segment of the given number of documents: none yet.
func NewDeleted(documents uint64) *Deleted {
	return &Deleted{set: ints.NewNumberedSet(int(documents) + 1), documents: uint32(documents)}
}

// Count returns the number of deleted documents. A nil d has none.
func (d *Deleted) Count() int {
	if d == nil {
		return 0
	}
	return d.count
}

// Has reports whether document doc of the file is deleted.
func (d *Deleted) Has(doc uint32) bool { return d != nil && d.set.Has(doc) }

// Delete adds document doc of the file. It reports whether the document was live.
func (d *Deleted) Delete(doc uint32) (live bool) {
	if live = d.set.Add(doc); live {
		d.count++
		d.indexed = false
	}
	return live
}

// Clone returns a copy of d that can be changed.
func (d *Deleted) Clone() *Deleted {
	c := *d
	c.set = slices.Clone(d.set)
	return &c
}

// Live returns the number that document doc of the file has among the live ones. ok is false if it is deleted.
func (d *Deleted) Live(doc uint32) (live uint32, ok bool) {
	if d == nil {
		return doc, true
	}
	if d.set.Has(doc) {
		return 0, false
	}
	return doc - d.set.Before(doc), true
}

// appendLive appends the numbers of those of docs that are live, ascending as docs are.
func (d *Deleted) appendLive(dst, docs []uint32) []uint32 {
	for _, doc := range docs {
		if live, ok := d.Live(doc); ok {
			dst = append(dst, live)
		}
	}
	return dst
}

// At returns the number in the file of the live document number live.
func (d *Deleted) At(live uint32) (doc uint32) {
	if d == nil {
		return live
	}
	before := sort.Search(d.count, func(n int) bool { // how many deleted documents are before it
		next := live + uint32(n) + 1
		return next-d.set.Before(next) > live
	})
	return live + uint32(before)
}

// Write writes d to the file dir/name and makes it durable. It returns what the manifest knows of the file.
func (d *Deleted) Write(fsys disk.FS, dir, name string) (*DeletedRef, error) {
	words := make([]uint64, d.words())
	for i := range words {
		words[i] = *d.set.Word(i)
	}
	path := filepath.Join(dir, name)
	size, digest, err := section.WriteKnown(fsys, path, func(w *section.Writer) { w.Begin(secDeleted).Uint64s(words) })
	return &DeletedRef{name, uint64(d.count), size, digest}, err
}

// words returns the number of integers of 64 bits of the file.
func (d *Deleted) words() int { return (int(d.documents) + 63) / 64 }

// A DeletedRef is what the manifest knows of the file of a Deleted: how many documents it has, and a size and digest
// that reveal a file that was exchanged or is stale.
type DeletedRef struct {
	Name      string `json:"name"`
	Documents uint64 `json:"documents"`
	Bytes     uint64 `json:"bytes"`
	Digest    string `json:"digest"` // eight hexadecimal digits
}

// OpenDeleted reads the deleted documents of a segment of the given number of documents. longer says that the file
// may have become longer. The error is section.ErrCorrupt or one of the file system.
func OpenDeleted(fsys disk.FS, dir string, ref DeletedRef, documents uint64, longer bool) (*Deleted, error) {
	d := NewDeleted(documents)
	m, err := OpenFile(fsys, filepath.Join(dir, ref.Name), ref.Bytes, ref.Digest, longer, func(f *section.File) {
		words := f.Uint64s(secDeleted, uint64(d.words()))
		for i, word := range words {
			*d.set.Word(i) = word
		}
		d.count, d.indexed = d.set.Index(), true
		if uint64(d.count) != ref.Documents || d.count != int(d.set.Before(d.documents)) {
			panic(f.Corruptf(secDeleted, 0, "%d of %d documents are deleted; the manifest says %d",
				d.count, documents, ref.Documents))
		}
	})
	if err != nil {
		return nil, err
	}
	return d, m.Close()
}
