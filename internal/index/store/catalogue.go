package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
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

// secFiles is the section of the file of a Catalogue.
const secFiles = "files"

const (
	flagRows  = 1 << 4 // beside those of CatalogueFile.flags: the ids are rows
	flagLimit = 1 << 5
	leastFile = 29 // bytes of a file
)

// flags returns where the flags of f are, in the order of their bits.
func (f *CatalogueFile) flags() [4]*bool { return [4]*bool{&f.Again, &f.Read, &f.Whole, &f.Added} }

// Write writes c to the file dir/name and makes it durable. It returns what the manifest knows of the file.
func (c *Catalogue) Write(fsys disk.FS, dir, name string) (*CatalogueRef, error) {
	size, digest, err := section.WriteKnown(fsys, filepath.Join(dir, name), c.encode)
	return &CatalogueRef{FileRef: FileRef{Name: name, Bytes: size, Digest: digest}}, err
}

func (c *Catalogue) encode(w *section.Writer) {
	w.Begin(secFiles)
	b := binary.LittleEndian.AppendUint64(nil, c.How)
	b = binary.LittleEndian.AppendUint64(b, c.Distinct)
	b = binary.AppendUvarint(b, uint64(len(c.Files)))
	for i := range c.Files {
		b = c.Files[i].append(b)
		_, _ = w.Write(b) // the Writer keeps the error
		b = b[:0]
	}
	_, _ = w.Write(b) // if there are no files
}

// append appends the bytes of f to dst.
func (f *CatalogueFile) append(dst []byte) []byte {
	dst = segment.AppendString(dst, []byte(f.Path))
	dst = binary.AppendUvarint(dst, uint64(f.Size))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.Changed))
	dst = append(dst, f.Digest[:]...)
	flags, rows := byte(0), f.IDs.Written()
	for bit, set := range f.flags() {
		if *set {
			flags |= 1 << bit
		}
	}
	if rows != nil {
		return segment.AppendString(append(dst, flags|flagRows), rows.Encode(nil))
	}
	dst = binary.AppendUvarint(append(dst, flags), uint64(f.IDs.Len()))
	for i := range f.IDs.Len() {
		dst = segment.AppendString(dst, f.IDs.At(i))
	}
	return dst
}

// ReadCatalogue reads the catalogue that ref refers to. It takes about as much memory as the file has bytes, and 100
// bytes a file and 16 an id. The error is section.ErrCorrupt or one of the file system.
func ReadCatalogue(fsys disk.FS, dir string, ref CatalogueRef) (c *Catalogue, err error) {
	m, err := segment.OpenFile(fsys, filepath.Join(dir, ref.Name), ref.Bytes, ref.Digest, false,
		func(f *section.File) { c = decode(f) })
	if err != nil {
		return nil, err
	}
	return c, m.Close()
}

// decode reads what encode has written, and copies it.
func decode(f *section.File) *Catalogue {
	f.MustVerify()
	d := segment.NewDecoder(f.Bytes(secFiles), func(at int, reason string) error {
		return f.Corruptf(secFiles, uint64(at), "%s", reason)
	})
	c := &Catalogue{How: binary.LittleEndian.Uint64(d.Bytes(8, "how files were read"))}
	c.Distinct = binary.LittleEndian.Uint64(d.Bytes(8, "the number of ids"))
	files := d.Count("files")
	c.Files = make([]CatalogueFile, 0, min(files, int(f.Size(secFiles))/leastFile))
	for i := range files {
		of := readFile(d)
		if i > 0 && of.Path <= c.Files[i-1].Path {
			d.Fail("path %q does not follow the one before", of.Path)
		}
		if d.Failed() {
			break
		}
		c.Files = append(c.Files, of)
	}
	if err := d.End("the files"); err != nil {
		panic(err)
	}
	return c
}

// readFile reads what append has written.
func readFile(d *segment.Decoder) (f CatalogueFile) {
	f.Path = string(d.String("a path"))
	f.Size = int64(d.Number(math.MaxInt64, "the size of a file"))
	f.Changed = int64(binary.LittleEndian.Uint64(d.Bytes(8, "a time")))
	copy(f.Digest[:], d.Bytes(uint64(len(f.Digest)), "a digest"))
	flags := d.Bytes(1, "flags")[0]
	for bit, set := range f.flags() {
		*set = flags>>bit&1 != 0
	}
	if flags&flagRows != 0 {
		rows, _, err := segment.DecodeRows(bytes.Clone(d.String("rows")), segment.MaxID)
		if err != nil {
			d.Fail("%v", err)
			return f
		}
		f.IDs = segment.IDListOfRows(rows)
	} else {
		for n := d.Count("ids"); n > 0 && !d.Failed(); n-- {
			f.IDs.Add(d.String("an id"))
		}
	}
	if flags >= flagLimit || f.Whole && f.IDs.Len() > 0 {
		d.Fail("%s has flags %#x and %d ids", f.Path, flags, f.IDs.Len())
	}
	return f
}
