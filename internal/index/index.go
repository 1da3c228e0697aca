package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/internal/match/judge"
)

const (
	// DefaultDistance is the distance in bits that tables are planned for if WriterOptions names no
	// other.
	DefaultDistance = store.DefaultDistance
	// DefaultThreshold is the Jaccard similarity that an index is planned for if WriterOptions.Search names no
	// other.
	DefaultThreshold = store.DefaultThreshold
)

// A Snapshot is a collection opened for searching. It is safe for concurrent use. It shows the
// collection as it was when it was opened.
//
// No byte of a segment is used before its block has been checked against its checksum. A search
// that meets damage returns ErrCorrupt. So does a search of a segment that is truncated while it is
// open. Bytes that are overwritten after they were checked are found by Unchanged.
type Snapshot struct {
	fs       disk.FS
	dir      string
	manifest *store.Manifest
	analysis *analysis.Analysis
	idf      *segment.IDF
	parts    []*store.Part
	segments []*segment.Segment // the live documents of parts
	starts   []uint32           // the number of each segment's first document
	total    uint32
	readers  disk.MapReaders
	texts    *judge.Cache // by the numbers of documents
	bordered func() (hashes []uint64, docs []uint32)
}

// Open opens the index in dir. It reads the manifest and the outlines of the segments. Segments of
// up to 16 MiB are verified as a whole. The error is ErrNoIndex, ErrCorrupt, ErrVersion, or an
// error of the file system.
func Open(dir string) (*Snapshot, error) {
	return openDir(disk.OS, dir)
}

func openDir(fsys disk.FS, dir string) (*Snapshot, error) {
	o, err := store.OpenIndex(context.Background(), fsys, dir, verifyAtOpen)
	if err != nil {
		return nil, err
	}
	return newSnapshot(fsys, dir, o)
}

// newSnapshot returns a snapshot of an index that was opened. It releases the parts when it is closed.
func newSnapshot(fsys disk.FS, dir string, o *store.Open) (*Snapshot, error) {
	ix := &Snapshot{fs: fsys, dir: dir, manifest: o.Manifest, analysis: o.Analysis, idf: o.IDF, parts: o.Parts}
	ix.texts, ix.bordered = judge.NewCache(ix.textOf), sync.OnceValues(ix.readBordered)
	ix.readers.Unmap = func() error { return store.ReleaseAll(ix.parts) }
	var total uint64
	for _, p := range ix.parts {
		ix.segments = append(ix.segments, p.Segment)
		ix.starts = append(ix.starts, uint32(total))
		if total += p.Documents(); total > segment.MaxDocuments {
			why := fmt.Sprintf("more than %d documents", uint64(segment.MaxDocuments))
			return nil, errors.Join(&section.CorruptError{File: dir, Offset: -1, Reason: why}, ix.Close())
		}
	}
	ix.total = uint32(total)
	return ix, nil
}

// verifyAtOpen is the size in bytes up to which a segment is verified as a whole when it is opened.
// That takes a few milliseconds. Each block of a larger segment is checked when it is first used.
const verifyAtOpen = 16 << 20

// LimitMemory sets the budget in bytes for the memory that searches allocate and keep. These are
// the tables of heavy runs (see tables.SetHeavyBudget). Each segment gets a share in proportion to
// its size.
func (ix *Snapshot) LimitMemory(bytes int64) {
	for _, s := range ix.segments {
		if t := s.Tables(); t != nil {
			t.SetHeavyBudget(int64(float64(bytes) * float64(s.Documents()) / float64(ix.total)))
		}
	}
}

// SearchMemory returns the number of bytes that searches have allocated and keep.
func (ix *Snapshot) SearchMemory() (bytes int64) {
	for _, s := range ix.segments {
		if t := s.Tables(); t != nil {
			bytes += t.HeavyBytes()
		}
	}
	return bytes
}

// Close closes the index. Calls that begin later return ErrClosed. The index is unmapped at once if
// no search is running, and otherwise when the last search ends. Ids obtained from the index become
// invalid.
func (ix *Snapshot) Close() error { return ix.readers.Close() }

// Settings returns the settings of the collection.
func (ix *Snapshot) Settings() analysis.Settings { return ix.manifest.Settings }

// Search returns the search that the index is made for.
func (ix *Snapshot) Search() analysis.Search { return ix.manifest.Search }

// An Input says what the documents of an index are: its Holds is "texts", "fingerprints", "both" or, if that
// is unknown, "". It has the names of the fields that they are read from, "" for the usual ones.
type Input = store.Input

// Input returns what the documents of the index are.
func (ix *Snapshot) Input() Input { return ix.manifest.Input }

// Analysis returns the analysis that the collection's fingerprints were made by.
func (ix *Snapshot) Analysis() *analysis.Analysis { return ix.analysis }

// Len returns the number of documents. Documents are numbered from 0 in the order of the
// collection.
func (ix *Snapshot) Len() int { return int(ix.total) }

// locate returns the segment of document doc, doc < Len(), and the document's number in that
// segment.
func (ix *Snapshot) locate(doc uint32) (*segment.Segment, uint32) {
	i, found := slices.BinarySearch(ix.starts, doc)
	if !found {
		i--
	}
	return ix.segments[i], doc - ix.starts[i]
}

// readDocument calls do with the segment of document doc and the document's number in it. It is
// otherwise like reading. A number that no document has is an error.
func (ix *Snapshot) readDocument(doc uint32, do func(s *segment.Segment, local uint32)) error {
	if doc >= ix.total {
		return fmt.Errorf("no document has the number %d: there are %d", doc, ix.total)
	}
	return ix.reading(func() error {
		do(ix.locate(doc))
		return nil
	})
}

// ID returns the id of document doc, doc < Len(). The id is valid until Close.
func (ix *Snapshot) ID(doc uint32) (id []byte, err error) {
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) { id = s.ID(local) })
	return id, err
}

// Long returns the fingerprint of document doc, doc < Len(). ok is false if the document is empty or the index has no
// fingerprints.
func (ix *Snapshot) Long(doc uint32) (fp document.Long, ok bool, err error) {
	if !ix.Settings().Fingerprints() {
		return fp, false, nil
	}
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) { fp, ok = s.Long(local) })
	return fp, ok, err
}

// fingerprint is Long for a caller that is reading, of an index with fingerprints.
func (ix *Snapshot) fingerprint(doc uint32) (fp document.Long, ok bool) {
	s, local := ix.locate(doc)
	return s.Long(local)
}

// Signature returns the MinHash signature of document doc, doc < Len(), one byte per position. The
// signature is valid until Close. ok is false if the document is empty or the index has no
// signatures.
func (ix *Snapshot) Signature(doc uint32) (signature []byte, ok bool, err error) {
	if !ix.Settings().Signatures() {
		return nil, false, nil
	}
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) {
		var set uint32
		if set, ok = s.Sets().Of(local); ok {
			signature = s.Sets().Signature(set)
		}
	})
	return signature, ok && err == nil, err
}

// Find returns the number of the document called id. ok is false if there is none.
func (ix *Snapshot) Find(id []byte) (doc uint32, ok bool, err error) {
	err = ix.reading(func() error {
		var i int
		if i, doc, ok = store.Find(ix.parts, id); ok {
			doc += ix.starts[i]
		}
		return nil
	})
	return doc, ok, err
}

// VerifyChecksums checks every byte of every segment against its checksum. It also checks the file
// with the learnt weights, and the catalogue, which may be missing.
func (ix *Snapshot) VerifyChecksums() error { return ix.verify(1) }

// verify is VerifyChecksums on up to threads goroutines.
func (ix *Snapshot) verify(threads int) error {
	return ix.reading(func() error {
		errs := []error{ix.idf.Verify(), checkCatalogue(ix.fs, ix.dir, ix.manifest.Catalogue)}
		for _, s := range ix.segments {
			errs = append(errs, s.Verify(threads))
		}
		return errors.Join(errs...)
	})
}

// FormatVersion is the version of the index directory that this program writes and reads.
const FormatVersion = store.FormatVersion

// ManifestName is the name of the file that makes a directory an index.
const ManifestName = store.ManifestName

// ReadBase returns the absolute path of the directory at which paths in the ids of the index in dir
// begin, or "" if the index does not say that. Its errors are those of Open.
func ReadBase(dir string) (base string, err error) {
	m, err := store.ReadManifest(disk.OS, dir)
	if err == nil {
		base, err = m.BaseFor(dir)
	}
	return base, err
}

// A Manifest is what an index says of itself: its settings, its input, what it keeps, and its files.
type Manifest = store.Manifest

// ReadManifest returns what the index in dir says of itself, without opening the rest. Its errors are those of Open.
func ReadManifest(dir string) (*Manifest, error) { return store.ReadManifest(disk.OS, dir) }

// reading calls do, which reads the maps. The error is that of do, ErrClosed, or ErrCorrupt if a
// segment cannot be read because it was truncated.
func (ix *Snapshot) reading(do func() error) error {
	if !ix.readers.Hold() {
		return ErrClosed
	}
	defer ix.readers.Release()
	err := disk.Guarded(do)
	var fault *disk.FaultError
	if errors.As(err, &fault) && slices.ContainsFunc(ix.segments, func(s *segment.Segment) bool { return s.Path() == fault.Path }) {
		return section.InFile(fault.Path, err)
	}
	return err
}

// Unchanged reports an ErrCorrupt that names the file if a segment was written to or truncated
// since the index was opened. What has been read from that segment since may be wrong, even though
// it was checked when it was first used. Segments that were replaced or removed count as unchanged.
func (ix *Snapshot) Unchanged() error {
	for _, s := range ix.segments {
		if err := s.Unchanged(); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	return nil
}

// Info says what an index holds. It is what `simsearch info` prints.
type Info struct {
	Settings analysis.Settings `json:"settings"`
	Search   analysis.Search   `json:"search,omitzero"`
	Input    Input             `json:"input,omitzero"`
	// Base is the absolute path of the directory at which paths in ids begin, or "" if that is unknown.
	Base      string        `json:"base,omitempty"`
	Documents int           `json:"documents"`
	Empty     int           `json:"empty"`
	Deleted   int           `json:"deleted,omitempty"` // documents that the files still have, and the index has not
	Bytes     uint64        `json:"bytes"`             // of all segments
	Segments  []SegmentInfo `json:"segments"`
}

// SegmentInfo is about one segment: its documents and what searches them, and the size of each section.
type SegmentInfo = segment.Info

// Info describes the index without reading its contents.
func (ix *Snapshot) Info() Info {
	base, _ := ix.manifest.BaseFor(ix.dir)
	info := Info{Settings: ix.Settings(), Search: ix.Search(), Input: ix.Input(), Base: base, Documents: ix.Len(), Segments: []SegmentInfo{}}
	for i, s := range ix.segments {
		si := s.Info(ix.parts[i].Ref)
		if ix.parts[i].Memory {
			si.Name = "log"
		}
		info.Empty += si.Empty
		info.Deleted += si.Deleted
		info.Bytes += si.Bytes
		info.Segments = append(info.Segments, si)
	}
	return info
}

var (
	// ErrNoIndex is returned by Open if there is no index: the directory is missing, is empty or
	// holds something else.
	ErrNoIndex = store.ErrNoIndex
	// ErrCorrupt marks an index whose bytes break a rule of internal/ground/section/FORMAT.md. The error is a
	// *section.CorruptError. It names the file, and also the section and the offset if these are
	// known.
	ErrCorrupt = section.ErrCorrupt
	// ErrVersion marks an index written by another version of the program.
	ErrVersion = section.ErrVersion
	// ErrSettings is returned if the settings of an index differ from those asked for.
	ErrSettings = analysis.ErrSettings
	// ErrNoSearch is returned by a search if the mode of the index does not offer it, or if an
	// option is out of range.
	ErrNoSearch = errors.New("no such search here")
	// ErrWidth is returned by every function that takes a fingerprint, if the fingerprint has bits
	// above the width of the index. Searches could not agree on the neighbours of such a
	// fingerprint.
	ErrWidth = errors.New("fingerprint too wide")
	// ErrClosed is returned by the methods of a Snapshot that has been closed.
	ErrClosed = store.ErrClosed
	// ErrKind is returned for a text that comes to an index of fingerprints, and the other way round.
	ErrKind = store.ErrKind
	// ErrLocked is returned by OpenWriter while another process is writing the index.
	ErrLocked = store.ErrLocked
)

// An AbsentError is the ErrNoIndex of a directory Dir that is missing or empty. An index can be made in that
// directory. Why is what its message says of Dir.
type AbsentError = store.AbsentError

// checkWidth returns ErrWidth if fp has bits above the width of the settings.
func checkWidth(s analysis.Settings, fp uint64) error {
	if fp>>s.Bits != 0 {
		return fmt.Errorf("%w: %016x has more than the %d bits of the index", ErrWidth, fp, s.Bits)
	}
	return nil
}

// AsideName is the directory within an index that holds files unknown to the manifest.
const AsideName = store.AsideName

// A Leftover is a file in the directory of an index that its manifest does not name. It has its Name.
// Reserved is set if an interrupted commit has left the file, which the next writer removes. Otherwise the
// next writer moves the file to AsideName.
type Leftover = store.Leftover

// Leftovers returns the files of commits that the manifest of the index in dir does not name, in
// ascending order. While a writer is at work, these include its unfinished files.
func Leftovers(dir string) ([]Leftover, error) {
	// Read the directory before the manifest: a number is reserved before its file exists.
	names, err := disk.OS.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		return nil, err
	}
	return m.Leftovers(names), nil
}
