package dedup

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/index/bulk"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
)

const (
	// held is how many numbers of a list are in memory before they go to a file.
	heldRows = 1 << 20
	// least and most are the bounds of the memory that sorting takes, in bytes.
	leastSort, mostSort = 128 << 20, 4 << 30
)

// OnDisk is how many bytes of temporary files a row takes at most.
const rowsOnDisk = 24

// A File says what a file has: so many rows, of which Sum depends on each one and on their order.
type rowsFile struct {
	Rows uint32
	Sum  uint64
}

// Add adds a row.
func (f *rowsFile) Add(fingerprint uint64) {
	const odd = 0x9e3779b97f4a7c15
	f.Rows++
	f.Sum = bits.RotateLeft64((f.Sum^fingerprint)*odd, 29)
}

// Rows are the rows of some files, in order. They must not be used by several goroutines at once.
type nearRows struct {
	Files  []rowsFile
	ids    segment.IDList
	prints bulk.List
	one    [1]uint64 // the row of a document without Rows

	// Once they are sorted: the distinct fingerprints, ascending; and the numbers of all rows by these, with isFirst
	// where a fingerprint begins.
	distinct, order bulk.List
}

// New returns the rows of so many files, none of which has any yet. Temporary files are in dir, or in the directory
// of the system for them if dir is "".
func newNearRows(fsys disk.FS, dir string, files int) *nearRows {
	r := &nearRows{Files: make([]rowsFile, files), prints: bulk.NewList(fsys, dir, heldRows)}
	r.distinct, r.order = r.prints.Another(), r.prints.Another()
	return r
}

// Add adds the next row, or the rows of doc, whose file is that of the last one or one behind it. It keeps nothing of
// doc. The error is that of the file system, or says that doc has no fingerprint of 64 bits.
func (r *nearRows) Add(file int, doc *document.Document) error {
	if !doc.HasFingerprint || doc.More != [3]uint64{} {
		return fmt.Errorf("%s is no fingerprint of 64 bits", doc.ID)
	}
	rows := doc.Rows
	if len(rows) == 0 {
		r.one[0] = doc.Fingerprint
		rows = r.one[:]
	}
	for _, fp := range rows {
		r.Files[file].Add(fp)
	}
	r.ids.AddRows(doc.ID, len(rows))
	r.prints.Append(rows...)
	return r.prints.Flush()
}

// Len returns the number of rows.
func (r *nearRows) Len() int { return r.ids.Len() }

// Close removes the temporary files.
func (r *nearRows) Close() error {
	return errors.Join(r.prints.Close(), r.distinct.Close(), r.order.Close())
}

// A Row is one that has been found.
type nearRow struct {
	File        int
	Number      uint32 // in its file, from 1
	ID          []byte
	Fingerprint uint64
}

// isFirst marks the number of a row that is the first of its fingerprint.
const isFirst = 1 << 32

// sort prepares Near. It takes the memory that the options say, and with what has been added rowsOnDisk bytes of disk
// for each row. The error is that of ctx or of the file system.
func (r *nearRows) sort(ctx context.Context, o *Options) error {
	none := func(int) bool { return false }
	how := bulk.Options{Threads: o.Threads, Memory: min(max(leastSort, o.Memory/4), mostSort), Progress: o.DidParts}
	return disk.Guarded(func() error {
		all, err := r.prints.All()
		if err != nil {
			return err
		}
		return bulk.Sort(ctx, all, 64, none, how, func(values []uint64, rows []uint32) error {
			for i, x := range values {
				row := uint64(rows[i])
				if i == 0 || x != values[i-1] {
					r.distinct.Append(x)
					row |= isFirst
				}
				r.order.Append(row)
				if i%heldRows == 0 {
					if err := errors.Join(r.distinct.Flush(), r.order.Flush()); err != nil {
						return err
					}
				}
			}
			return errors.Join(r.distinct.Flush(), r.order.Flush())
		})
	})
}

// Near calls do with each row that has the fingerprint of another one, or one within the distance of the options, in
// order. No row can be added afterwards. It takes a bit and a quarter for each row, 52 bytes for each that it finds,
// and for the rest what the options say. The error is that of ctx or of the file system, or the first one of do.
func (r *nearRows) Near(ctx context.Context, o *Options, do func(nearRow) error) error {
	o.Next(sorting)
	if err := r.sort(ctx, o); err != nil {
		return err
	}
	o.Next(run.Comparing)
	return disk.Guarded(func() error {
		all, err := r.prints.All()
		if err != nil {
			return err
		}
		groups := join.FingerprintGroups{Whole: true}
		if groups.Values, err = r.distinct.All(); err != nil {
			return err
		}
		order, err := r.order.All()
		if err != nil {
			return err
		}
		groups.Groups = func(yield func(uint32, []uint32) bool) { rowGroups(order, yield) }
		near, err := join.NearFingerprints(ctx, len(all), groups, 64, o.Distance,
			join.Options{Threads: o.Threads, PairsInMemory: int(o.Memory / 4 / join.PerPair), Progress: o.DidParts})
		if err != nil {
			return err
		}
		file, begin := 0, 0
		for i, at := range near {
			for int(at)-begin >= int(r.Files[file].Rows) {
				begin += int(r.Files[file].Rows)
				file++
			}
			if i%heldRows == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := do(nearRow{file, at - uint32(begin) + 1, r.ids.At(int(at)), all[at]}); err != nil {
				return err
			}
		}
		return nil
	})
}

// groupsOf yields the number of each distinct fingerprint, and the rows that have it, which are valid until the next.
func rowGroups(order []uint64, yield func(uint32, []uint32) bool) {
	var rows []uint32
	group := uint32(0)
	for i, row := range order {
		rows = append(rows, uint32(row))
		if i+1 == len(order) || order[i+1]&isFirst != 0 {
			if !yield(group, rows) {
				return
			}
			group++
			rows = rows[:0]
		}
	}
}
