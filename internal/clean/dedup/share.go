package dedup

import (
	"context"
	"errors"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// WriteLists writes the lists of what is removed and of clusters to a directory, and no other file. Of a Collection
// that other processes have read, it takes the facts from it.
func (d *Decisions) WriteLists(ctx context.Context, to disk.FS) error {
	d.c.to = to
	if _, err := d.writeClusters(ctx); err != nil {
		return err
	}
	wantFacts(d)
	return d.writeRemoved(ctx)
}

// ReplayShare writes a share of the files of inputs, o.Share, without the documents that a list names, as Replay
// does: to the directory kept of dir, where other processes write the other files. Each file appears complete or not
// at all. bad is told of files that cannot be written as they should. The error is that of Replay.
func ReplayShare(ctx context.Context, list string, inputs []string, dir string, o Options, bad func(corpus.LeftOut)) (removed int, err error) {
	rows, c, err := findListed(ctx, list, inputs, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	to, err := c.Options.FS.Root(dir, c.Readers())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	c.to = to
	from, end := c.SharedFiles()
	err = c.remove(ctx, rows, from, end, func(r rewrite.Result) { removed += r.Dropped })
	for _, f := range c.files.AllDamaged {
		bad(f)
	}
	return removed, err
}

// SharedFiles returns the files of the share, by their places in Files: [from, to).
func (c *Collection) SharedFiles() (from, to int) {
	from, to = c.Options.Share.Files(c.Files[c.Refs:])
	return c.Refs + from, c.Refs + to
}

// Restored is what another process has read of some files. It may lack documents that are kept in any case, if no
// other document of their file with their id is there.
type Restored struct {
	Files   []corpus.File // of which only the paths are used
	Counts  []uint32      // documents of each file that are here
	Numbers []uint32      // of each document in its file, from 1
	Bad     []int         // documents of each file that cannot be read
	Lists
	Sizes   []uint32    // of the sets
	Keys    [2][]uint64 // of Options.Keep, if it compares a field
	Keyless int         // documents, if none of all documents has such a key
	Sets    Measured
	Near    *NearPairs // of these, if they are known and few, as join.MostListed says; else nil
}

// Restore returns the Collection of what other processes have read, to decide on it. It can write lists, and no
// files. Of o, it uses what decisions depend on. It keeps all that it is given. The caller closes it.
func Restore(r Restored, o Options) (*Collection, error) {
	o.Memory = spill.MemoryOr(o.Memory)
	c := newCollection(nil, nil, o)
	c.sets, c.Sizes, c.Near, c.numbers = r.Sets, r.Sizes, r.Near, r.Numbers
	c.Files, c.counts, c.Bad, c.Lists = r.Files, r.Counts, r.Bad, r.Lists
	for _, n := range r.Sizes {
		c.features += uint64(n)
	}
	if c.Keys = newKeys(o.Keep, true); c.Keys != nil {
		c.Keys.Values, c.Keys.Whole, c.Keys.Unread = r.Keys[0], r.Keys[1], r.Keyless
	}
	return c, c.end(context.Background())
}

// Number returns which document of its file a document is, from 1.
func (c *Collection) Number(file int, doc uint32) uint32 {
	if c.numbers != nil {
		return c.numbers[doc]
	}
	return doc - c.Starts[file] + 1
}

// WriteSketch writes what Restore wants of a share as sections: the lists of documents with their sets and facts, and
// the sets.
func (c *Collection) WriteSketch(ctx context.Context, w *section.Writer) error {
	list[uint32]{"documents.lengths", &c.Lengths}.write(w)
	list[uint64]{"documents.digests", &c.Digests}.write(w)
	list[uint32]{"documents.sets", &c.SetOf}.write(w)
	w.Begin("documents.facts")
	for _, f := range c.Facts {
		w.Uint32s(f[:])
	}
	list[byte]{"ids", &c.IDs}.write(w)
	list[uint64]{"ids.ends", &c.IDEnds}.write(w)
	if c.Keys != nil {
		list[uint64]{"keys", &c.Keys.Values}.write(w)
		list[uint64]{"keys.whole", &c.Keys.Whole}.write(w)
	}
	list[uint32]{"sets.sizes", &c.Sizes}.write(w)
	w.Begin(secFeatures)
	digests, of := make([]uint64, 0, 2*len(c.Sizes)), remaining{}
	err := c.eachSet(ctx, func(_ uint32, features []uint64) error {
		w.Uint64s(features)
		digest := of.digest(features)
		digests = append(digests, digest[:]...)
		return nil
	})
	list[uint64]{secDigests, &digests}.write(w)
	return err
}
