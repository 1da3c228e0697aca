package segment

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/section"
)

// A Deleted is the documents of a segment that are no longer a part of the index. The other documents are live.
// A segment is immutable, so that a document that is deleted or replaced stays in its file until the segment
// is merged. A Segment with a Deleted numbers its live documents from 0, without gaps, so that nothing outside
// of this package sees the others.
//
// A Deleted is a bitmap with counts: Live and At take some nanoseconds. It must not be changed while a Segment uses it; Clone it first.
type Deleted struct {
	words []uint64 // a bit for each document, set if it is deleted
	// before is the number of live documents before each block of blockDocuments. It is nil after a change.
	before    []uint32
	documents uint32
	count     uint32 // of the deleted documents
	empties   uint32 // of the deleted documents without features
}

// blockDocuments is the number of documents of one count.
const (
	blockDocuments = 512
	blockWords     = blockDocuments / 64
)

// Names of the sections of the file of a Deleted.
const (
	secDeleted       = "deleted"
	secDeletedCounts = "deleted.counts" // of the deleted documents, and of those of them without features
)

// NewDeleted returns the deleted documents of a segment of the given number of documents: none yet.
func NewDeleted(documents uint64) *Deleted {
	return &Deleted{words: make([]uint64, (documents+63)/64), documents: uint32(documents)}
}

// Count returns the number of deleted documents. A nil d has none.
func (d *Deleted) Count() int {
	if d == nil {
		return 0
	}
	return int(d.count)
}

// Has reports whether document doc of the file is deleted.
func (d *Deleted) Has(doc uint32) bool {
	return d != nil && d.words[doc/64]>>(doc%64)&1 != 0
}

// Delete adds document doc of the file of s to d, which has the deleted documents of that file. It reports whether
// the document was live. The error is section.ErrCorrupt.
func (s *Segment) Delete(d *Deleted, doc uint32) (live bool, err error) {
	if d.Has(doc) {
		return false, nil
	}
	empty, err := s.emptyDocument(doc)
	if err != nil {
		return false, err
	}
	d.words[doc/64] |= 1 << (doc % 64)
	d.count++
	if empty {
		d.empties++
	}
	d.before = nil
	return true, nil
}

// emptyDocument reports whether document doc of the file has no features: no set where there are sets, else no
// fingerprint.
func (s *Segment) emptyDocument(doc uint32) (bool, error) {
	if s.sets == nil {
		return s.emptyStored(doc)
	}
	_, has, err := s.sets.ofStored(doc)
	return !has, err
}

// Clone returns a copy of d that can be changed.
func (d *Deleted) Clone() *Deleted {
	return &Deleted{words: slices.Clone(d.words), documents: d.documents, count: d.count, empties: d.empties}
}

// index counts the live documents of each block.
func (d *Deleted) index() {
	if d.before != nil {
		return
	}
	before := make([]uint32, 0, len(d.words)/blockWords+1)
	live := uint32(0)
	for i, w := range d.words {
		if i%blockWords == 0 {
			before = append(before, live)
		}
		live += 64 - uint32(bits.OnesCount64(w))
	}
	d.before = before
}

// Live returns the number that document doc of the file has among the live ones. ok is false if it is deleted.
func (d *Deleted) Live(doc uint32) (live uint32, ok bool) {
	if d == nil {
		return doc, true
	}
	word := doc / 64
	w := d.words[word]
	if w>>(doc%64)&1 != 0 {
		return 0, false
	}
	live = d.before[word/blockWords]
	for _, w := range d.words[word/blockWords*blockWords : word] {
		live += 64 - uint32(bits.OnesCount64(w))
	}
	return live + doc%64 - uint32(bits.OnesCount64(w&(1<<(doc%64)-1))), true
}

// At returns the number in the file of the live document number live.
func (d *Deleted) At(live uint32) (doc uint32) {
	if d == nil {
		return live
	}
	block, _ := slices.BinarySearch(d.before, live+1)
	block-- // the last one that begins with at most this count
	left := live - d.before[block]
	for word := block * blockWords; word < len(d.words); word++ {
		alive := ^d.words[word]
		n := uint32(bits.OnesCount64(alive))
		if left >= n {
			left -= n
			continue
		}
		for ; left > 0; left-- {
			alive &= alive - 1
		}
		return uint32(word)*64 + uint32(bits.TrailingZeros64(alive))
	}
	return d.documents
}

// Write writes d to the file dir/name and makes it durable. It returns what the manifest knows of the file.
func (d *Deleted) Write(fsys disk.FS, dir, name string) (*DeletedRef, error) {
	file, err := disk.CreateAtomic(fsys, filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer file.Abort()
	w := section.NewWriter(file)
	w.Begin(secDeleted)
	w.Uint64s(d.words)
	w.Begin(secDeletedCounts)
	w.Uint64s([]uint64{uint64(d.count), uint64(d.empties)})
	size, digest, err := w.Close()
	if err != nil {
		return nil, err
	}
	return &DeletedRef{Name: name, Documents: uint64(d.count), Bytes: size, Digest: fmt.Sprintf("%08x", digest)}, file.Commit()
}

// A DeletedRef is what the manifest knows of the file of a Deleted: how many documents it has, and a size and digest that reveal a file that was exchanged or is stale.
type DeletedRef struct {
	Name      string `json:"name"`
	Documents uint64 `json:"documents"`
	Bytes     uint64 `json:"bytes"`
	Digest    string `json:"digest"` // eight hexadecimal digits
}

// OpenDeleted reads the deleted documents of a segment of the given number of documents. The error is
// section.ErrCorrupt or one of the file system.
func OpenDeleted(fsys disk.FS, dir string, ref DeletedRef, documents uint64) (d *Deleted, err error) {
	return openDeleted(fsys, dir, ref, documents, func(data []byte) []byte { return data })
}

// SalvageDeleted is OpenDeleted for a file that may have become longer.
func SalvageDeleted(fsys disk.FS, dir string, ref DeletedRef, documents uint64) (d *Deleted, err error) {
	return openDeleted(fsys, dir, ref, documents, func(data []byte) []byte { return head(data, ref.Bytes) })
}

func openDeleted(fsys disk.FS, dir string, ref DeletedRef, documents uint64, part func(data []byte) []byte) (d *Deleted, err error) {
	path := filepath.Join(dir, ref.Name)
	m, err := Map(fsys, path)
	if err != nil {
		return nil, err
	}
	err = mmap.Guarded(func() error {
		d, err = readDeleted(part(m.Data()), ref, documents)
		return err
	})
	_ = m.Close() // opened for reading: there is nothing to lose
	return d, section.InFile(path, err)
}

func readDeleted(data []byte, ref DeletedRef, documents uint64) (*Deleted, error) {
	f, err := section.ParseKnown(data, ref.Bytes, ref.Digest)
	if err != nil {
		return nil, err
	}
	if err := f.Verify(); err != nil {
		return nil, err
	}
	d := NewDeleted(documents)
	words, err := f.Uint64s(secDeleted, uint64(len(d.words)))
	if err != nil {
		return nil, err
	}
	counts, err := f.Uint64s(secDeletedCounts, 2)
	if err != nil {
		return nil, err
	}
	copy(d.words, words)
	for _, w := range d.words {
		d.count += uint32(bits.OnesCount64(w))
	}
	d.empties = uint32(counts[1])
	if uint64(d.count) != ref.Documents || counts[0] != ref.Documents || counts[1] > counts[0] || documents%64 != 0 && d.words[len(d.words)-1]>>(documents%64) != 0 {
		return nil, f.Corruptf(secDeleted, 0, "%d of %d documents are deleted; the manifest says %d", d.count, documents, ref.Documents)
	}
	d.index()
	return d, nil
}
