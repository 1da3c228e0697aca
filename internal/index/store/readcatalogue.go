package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// ReadCatalogue reads the catalogue that ref refers to. It takes about as much memory as the file has bytes, and 100 bytes a file
// and 16 an id. The error is section.ErrCorrupt or one of the file system.
func ReadCatalogue(fsys disk.FS, dir string, ref CatalogueRef) (c *Catalogue, err error) {
	m, err := segment.OpenFile(fsys, filepath.Join(dir, ref.Name), ref.Bytes, ref.Digest, false, func(f *section.File) (err error) {
		c, err = decode(f, ref.Bytes)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, m.Close()
}

// decode reads what encode has written, and copies it.
func decode(f *section.File, size uint64) (*Catalogue, error) {
	if err := f.Verify(); err != nil {
		return nil, err
	}
	counts := f.Uint64s(secCounts, 4)
	files, ids := counts[0], counts[1]
	if files > size || ids > size {
		return nil, f.Corruptf(secCounts, 0, "%d files and %d ids in %d bytes", files, ids, size)
	}
	flags, sizes, times, digests := f.Bytes(secFlags), f.Uint64s(secSizes, files), f.Uint64s(secTimes, files), f.Uint64s(secDigests, 2*files)
	paths, idCounts := texts(f, secPaths, secPathEnds, files), f.Uint64s(secIDCounts, files)
	names := texts(f, secIDs, secIDEnds, ids)
	if uint64(len(flags)) != files {
		return nil, f.Corruptf(secFlags, 0, "%d flags of %d files", len(flags), files)
	}
	c := &Catalogue{Distinct: counts[2], How: counts[3], Files: make([]CatalogueFile, files)}
	before := uint64(0)
	for i := range c.Files {
		of := &c.Files[i]
		*of = CatalogueFile{Path: paths[i], Size: int64(sizes[i]), Changed: int64(times[i]), Again: flags[i]&flagAgain != 0,
			Read: flags[i]&flagRead != 0, Whole: flags[i]&flagWhole != 0, Added: flags[i]&flagAdded != 0}
		binary.LittleEndian.PutUint64(of.Digest[:], digests[2*i])
		binary.LittleEndian.PutUint64(of.Digest[8:], digests[2*i+1])
		behind := idCounts[i]
		switch {
		case sizes[i] > math.MaxInt64:
			return nil, f.Corruptf(secSizes, uint64(8*i), "a file of %d bytes", sizes[i])
		case flags[i] >= flagLimit:
			return nil, f.Corruptf(secFlags, uint64(i), "flags %#x", flags[i])
		case of.Path == "" || i > 0 && of.Path <= paths[i-1]:
			return nil, f.Corruptf(secPathEnds, uint64(8*i), "path %q does not follow the one before", of.Path)
		case behind < before || behind > ids || of.Whole && behind > before:
			return nil, f.Corruptf(secIDCounts, uint64(8*i), "the ids of file %d are [%d, %d) of %d", i, before, behind, ids)
		}
		if behind > before {
			of.IDs = segment.IDListOf(names[before:behind]...)
		}
		before = behind
	}
	if before != ids {
		return nil, f.Corruptf(secIDCounts, 0, "%d of %d ids are of no file", ids-before, ids)
	}
	return c, c.readRows(f)
}

// readRows reads the ids that are rows.
func (c *Catalogue) readRows(f *section.File) error {
	if !f.Has(secIDRowEnds) {
		return nil
	}
	rows, ends, from := f.Bytes(secIDRows), f.Uint64s(secIDRowEnds, uint64(len(c.Files))), uint64(0)
	for i, end := range ends {
		of := &c.Files[i]
		if end < from || end > uint64(len(rows)) || end > from && (of.Whole || of.IDs.Len() > 0) {
			return f.Corruptf(secIDRowEnds, uint64(8*i), "the rows of file %d are the bytes [%d, %d) of %d", i, from, end, len(rows))
		}
		if end > from {
			runs, at, err := segment.DecodeRows(bytes.Clone(rows[from:end]), segment.MaxID)
			if err != nil {
				return f.Corruptf(secIDRows, from+uint64(at), "file %d: %v", i, err)
			}
			of.IDs = segment.IDListOfRows(runs)
		}
		from = end
	}
	if from != uint64(len(rows)) {
		return f.Corruptf(secIDRows, from, "%d bytes are of no file", uint64(len(rows))-from)
	}
	return nil
}

// texts returns n texts that lie one behind the other, and end where ends says. None is empty.
func texts(f *section.File, name, ends string, n uint64) []string {
	all, at := string(f.Bytes(name)), f.Uint64s(ends, n)
	texts := make([]string, n)
	lo := uint64(0)
	for i, hi := range at {
		if hi <= lo || hi > uint64(len(all)) {
			panic(f.Corruptf(ends, uint64(8*i), "text %d spans [%d, %d) of %d", i, lo, hi, len(all)))
		}
		texts[i] = all[lo:hi]
		lo = hi
	}
	if lo != uint64(len(all)) {
		panic(f.Corruptf(ends, 0, "%d bytes behind the last text", uint64(len(all))-lo))
	}
	return texts
}
