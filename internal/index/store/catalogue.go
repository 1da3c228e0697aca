package store

import (
	"cmp"
	"encoding/binary"
	"path/filepath"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// A FileDigest is the first half of the SHA-256 of the bytes of a file (FIPS 180-4).
type FileDigest [16]byte

// A CatalogueFile is one file that documents came from.
type CatalogueFile struct {
	Path    string // as it stands in ids
	Size    int64  // in bytes, 0 or more
	Changed int64  // the time of the last change (package changetime), in nanoseconds since 1970
	Digest  FileDigest
	// Again says that size and time do not show whether the file has changed: it is to be read again, or at least
	// its digest is to be compared if Read is set.
	Again bool
	// Read says that the documents are those of a file with this digest.
	Read bool
	// Whole says that the file is one document, which has the path as its id. IDs is nil then.
	Whole bool
	// Added says that a run has read the file which compared no files: it has no digest. The documents are those of the
	// file or of an earlier state of it.
	Added bool
	// IDs are the ids of the documents, in the order of the file. Documents that are not in the index because an
	// earlier file has their ids are among them. Ids of a file that was Added may be repeated.
	IDs segment.IDList
}

// A Catalogue is the files that documents of an index came from, in strictly ascending order of their paths, and a
// digest of the options by which they were read.
type Catalogue struct {
	How uint64
	// Distinct is the number of ids that the files claim, each counted once, or UnknownDistinct.
	Distinct uint64
	Files    []CatalogueFile
}

// UnknownDistinct says that ids have not been counted.
const UnknownDistinct = 1<<64 - 1

// A CatalogueRef is what the manifest knows of the file of a Catalogue.
type CatalogueRef struct {
	FileRef
	// Stale is set once documents were replaced or deleted by other means than a catalogue: any of the files may have
	// lost a document.
	Stale bool `json:"stale,omitempty"`
}

// Sort puts the files in order.
func (c *Catalogue) Sort() {
	slices.SortFunc(c.Files, func(a, b CatalogueFile) int { return cmp.Compare(a.Path, b.Path) })
}

// Names of the sections.
const (
	secCounts   = "counts" // of the files, of the ids and of the distinct ids, and How
	secPaths    = "paths"
	secPathEnds = "path.ends"
	secSizes    = "sizes"
	secTimes    = "times"
	secDigests  = "digests"
	secFlags    = "flags"
	secIDCounts = "id.counts" // of each file and those before it
	secIDs      = "ids"
	secIDEnds   = "id.ends"

	secIDRows    = "id.rows"     // of the files whose ids are rows, which are not among those above
	secIDRowEnds = "id.row.ends" // where the rows of each file end; of a file whose ids are above, where they begin
)

// The bits of a flag.
const (
	flagAgain = 1 << iota
	flagRead
	flagWhole
	flagAdded
	flagLimit
)

// Write writes c to the file dir/name and makes it durable. It returns what the manifest knows of the file.
func (c *Catalogue) Write(fsys disk.FS, dir, name string) (*CatalogueRef, error) {
	size, digest, err := segment.WriteFile(fsys, filepath.Join(dir, name), c.encode)
	return &CatalogueRef{FileRef: FileRef{Name: name, Bytes: size, Digest: digest}}, err
}

func (c *Catalogue) encode(w *section.Writer) error {
	ids := 0
	var rows []byte
	rowEnds := make([]uint64, len(c.Files))
	for i, f := range c.Files {
		if runs := f.IDs.Written(); runs != nil {
			rows = runs.Encode(rows)
		} else {
			ids += f.IDs.Len()
		}
		rowEnds[i] = uint64(len(rows))
	}
	n := len(c.Files)
	pathEnds, sizes, times, digests := make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, 0, 2*n)
	flags, idCounts, idEnds := make([]byte, n), make([]uint64, n), make([]uint64, 0, ids)
	w.Begin(secCounts)
	w.Uint64s([]uint64{uint64(n), uint64(ids), c.Distinct, c.How})
	w.Begin(secPaths)
	end := 0
	for i, f := range c.Files {
		_, _ = w.Write([]byte(f.Path)) // the Writer keeps the error
		end += len(f.Path)
		pathEnds[i], sizes[i], times[i] = uint64(end), uint64(f.Size), uint64(f.Changed)
		digests = append(digests, binary.LittleEndian.Uint64(f.Digest[:]), binary.LittleEndian.Uint64(f.Digest[8:]))
		for bit, set := range map[byte]bool{flagAgain: f.Again, flagRead: f.Read, flagWhole: f.Whole, flagAdded: f.Added} {
			if set {
				flags[i] |= bit
			}
		}
	}
	w.Begin(secIDs)
	end = 0
	for i, f := range c.Files {
		if f.IDs.Written() == nil {
			all, ends := f.IDs.Spelled()
			_, _ = w.Write(all)
			for _, e := range ends {
				idEnds = append(idEnds, uint64(end)+e)
			}
			end += len(all)
		}
		idCounts[i] = uint64(len(idEnds))
	}
	for _, s := range []struct {
		name string
		of   []uint64
	}{{secPathEnds, pathEnds}, {secSizes, sizes}, {secTimes, times}, {secDigests, digests}, {secIDCounts, idCounts}, {secIDEnds, idEnds}} {
		w.Begin(s.name)
		w.Uint64s(s.of)
	}
	w.Begin(secFlags)
	_, _ = w.Write(flags)
	if len(rows) > 0 {
		w.Begin(secIDRows)
		_, _ = w.Write(rows)
		w.Begin(secIDRowEnds)
		w.Uint64s(rowEnds)
	}
	return nil
}
