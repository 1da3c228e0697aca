package dedup

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"

	"simsearch/internal/clean/warnings"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
)

// Of very many rows of fingerprints, a Collection has those that equal or are near another one. The others are kept
// whatever is decided, and only their number is known. No run goes on from what another has read of them: the files
// themselves are read as fast.

// leastRows is the number of rows from which on a Collection has only some of them.
const leastRows = 1 << 16

// noDocument stands for a row that is kept, and that the Collection does not have.
const noDocument = ^uint32(0)

// hasSomeRows reports whether the Collection is going to have only some rows: its files have nothing but fingerprints
// of 64 bits, and are large.
func (c *Collection) hasSomeRows() bool {
	o, rows := &c.Options, int64(0)
	if !o.ByDistance() || o.Settings.Bits != 64 || o.Settings.Image != 0 || o.Share.Of > 0 || o.Append || o.Spare != 0 || o.By != Documents ||
		o.Corpus.Format != corpus.Auto && o.Corpus.Format != corpus.Fingerprints || len(c.Indexes) > 0 {
		return false
	}
	for _, p := range c.Passes {
		_, size := p.Reader.Progress()
		rows += size / 8
	}
	least := int64(leastRows)
	if o.LeastRows > 0 {
		least = int64(o.LeastRows)
	}
	return rows >= least && !slices.ContainsFunc(c.Files, func(f corpus.File) bool { return !corpus.IsFingerprints(f.Path) })
}

// readRows reads all files, and takes the rows that equal or are near another one.
func (c *Collection) readRows(ctx context.Context) (err error) {
	rows, first := newNearRows(c.Options.FS, c.Options.Temp, len(c.Files)), 0
	defer func() { err = errors.Join(err, rows.Close()) }()
	c.estimator.Rows = true
	if err := warnings.CheckSpace(cmp.Or(c.Options.Temp, os.TempDir()), c.estimator.Bytes/8*rowsOnDisk, c.Options.Free); err != nil {
		return err
	}
	for _, p := range c.Passes {
		p.Reader.Together(corpus.NoLimit)
		for doc, err := range c.counted(p, first) {
			if err == nil {
				err = rows.Add(int(binary.LittleEndian.Uint32(doc.Fields)), doc)
			}
			if err == nil && rows.Len() > maxDocuments {
				err = errTooMany
			}
			c.Options.Did(p.Reader.Progress())
			if err == nil {
				err = c.expect(rows.Len(), false)
			}
			if err != nil {
				return err
			}
		}
		first += len(p.files)
	}
	if err := c.expect(rows.Len(), true); err != nil {
		return err
	}
	c.rows = rows.Files
	var r docRecord
	return rows.Near(ctx, &c.Options, func(is nearRow) error {
		r.file, r.id, r.digest = uint32(is.File), is.ID, is.Fingerprint
		r.units = append(r.units[:0], unit{digest: digestOfLong(&document.Long{is.Fingerprint}), set: []uint64{is.Fingerprint}})
		c.numbers = append(c.numbers, is.Number)
		return c.take(&r)
	})
}

// isWhole reports whether the Collection has all documents of its files.
func (c *documents) isWhole() bool { return c.rows == nil }

// documentsOf returns the number of documents of a file, with those that are not in the Collection.
func (c *documents) documentsOf(file int) int {
	if c.rows != nil {
		return int(c.rows[file].Rows)
	}
	return int(c.Starts[file+1] - c.Starts[file])
}

// Together returns how many of the documents that follow the Collection does not have, so that they can be followed
// at once. The next one may be one that it has.
func (f *follower) Together() int {
	if f.c.isWhole() {
		return 0
	}
	if f.next == f.c.Starts[f.File+1] {
		return corpus.NoLimit()
	}
	return int(f.c.numbers[f.next] - f.rows.Rows - 1)
}

// row is Document of a file whose rows are not all in the Collection. A change of these is noticed at the end.
func (f *follower) row(doc *document.Document) (at uint32, err error) {
	f.rows.Add(doc.Fingerprint)
	for _, fp := range doc.Rows[min(1, len(doc.Rows)):] {
		f.rows.Add(fp)
	}
	if f.rows.Rows > f.c.rows[f.File].Rows {
		return noDocument, f.changed()
	}
	if at = f.next; at == f.c.Starts[f.File+1] || f.c.numbers[at] != f.rows.Rows {
		return noDocument, nil
	}
	if !f.c.isDocument(at, doc) {
		return at, f.changed()
	}
	f.next++
	return at, nil
}
