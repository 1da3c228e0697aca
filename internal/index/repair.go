package index

import (
	"context"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/store"
)

// A Damage is something that Verify has found wrong with an index. File is a name in the directory. Section is "" and
// Offset, in bytes, is -1 if they are not known. Remedy says what can be done.
type Damage = store.Damage

// An Examination is what Verify has found: Damages, in the order of the files. Documents and Bytes are those of the
// segments that are sound.
type Examination = store.Examination

// Verify examines all files of the index in dir: every checksum, and the order of what is sorted, what the sections
// of a segment say of each other, the records of logs, ids that are live in two segments, and complete segments that
// the manifest does not name. Postings of sets are known by their checksums alone. It takes a bit for each document
// of the largest segment. The errors are those of a manifest that cannot be read, of the file system, or the cause of
// ctx.
func Verify(ctx context.Context, dir string) (*Examination, error) {
	return store.Verify(ctx, disk.OS, dir)
}

// RepairOptions are the options of Repair: DryRun changes nothing, Revive keeps documents of which it is lost whether
// they were deleted, Drop leaves them out, and Lost is called, if not nil, with all that is lost.
type RepairOptions = store.RepairOptions

// A Loss is something that cannot be repaired: what a File had, and the Reason.
type Loss = store.Loss

// Repaired is what Repair has done: the Damages that it has found, and the files that it has moved to AsideName. Both
// are empty if the index is sound.
type Repaired = store.Repaired

var (
	// ErrUndecided is returned by Repair if deleted documents may come back, and the options do not say whether they
	// shall.
	ErrUndecided = store.ErrUndecided
	// ErrNoRepair is returned by Repair for damage that only a copy of a file can undo.
	ErrNoRepair = store.ErrNoRepair
)

// Repair makes the index in dir sound again. Of a damaged segment it keeps each document that can be read, and makes
// everything else anew: the orders, groups, tables and postings. What cannot be read of fingerprints and sets is made
// from texts that are kept. Of a log it keeps the records that are certainly whole. A file that lies under another name
// in dir, or in AsideName, is read from there.
//
// Nothing is removed: what is replaced is moved to AsideName. The index changes at the moment a new manifest is
// renamed into place. A Repair that was interrupted can be repeated. It takes the lock, and the memory of a commit of
// the largest damaged segment. A sound index is left as it is.
//
// The errors are those of Verify, ErrUndecided, ErrNoRepair, ErrLocked and those of writing. After an error the index
// is as it was, or ErrUncertain.
func Repair(ctx context.Context, dir string, o RepairOptions) (*Repaired, error) {
	return store.Repair(ctx, disk.OSAsDirectory, dir, o)
}
