package warnings

import (
	"errors"
	"fmt"
	"math"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
)

// An Estimate is about what a run takes, by what has been read. It takes all documents for kept.
type Estimate struct {
	Documents int64
	Time      time.Duration
	Memory    int64 // bytes
	Disk      int64 // bytes, below the directory of the result
}

// String returns the estimate as a part of a sentence, with two digits of the number of documents.
func (e Estimate) String() string {
	unit := int64(1)
	for e.Documents/unit >= 100 {
		unit *= 10
	}
	documents := (e.Documents + unit/2) / unit * unit
	return fmt.Sprintf("%s: %s, %s of memory, %s of disk", terminal.Plural(int(documents), "document"),
		terminal.Coarse(max(time.Second, e.Time)), terminal.Bytes(e.Memory), terminal.Bytes(e.Disk))
}

const (
	// How long a run of a gigabyte takes for each second of reading, and how much longer one of twice as much, as
	// measured on reviews and laws of 70 and 90 MB, and on generated text of 1 to 10 GB. It takes leastPerReading at
	// least.
	perReading, perDoubling, leastPerReading = 4.5, 0.5, 2
	perReadingOfPrints                       = 2.7 // fingerprints take less, whatever the size
	perReadingOfRows                         = 10  // rows of these, which are read very fast

	bytesPerFeature = 8
	leastMemory     = 60 << 20
	// decidingBytes is what deciding takes for each document in memory, and stayShare which part of the bytes of sets
	// stays on the disk.
	decidingBytes, stayShare = 120, 1. / 3
	// sortingBytes is what sorting takes for each row, up to a share of the memory, and nearBytes what deciding takes
	// for all rows of which one in nearShare is near another one.
	sortingBytes, sortingShare, nearBytes, nearShare = 48, 1. / 4, 330, 64
	// unlikely is by how much an estimate is hardly ever too high.
	unlikely = 1.5
)

// BytesPerDocument is what a state has of each document beside its id.
const BytesPerDocument = 24 + 12

const (
	// leastEstimated is the size in bytes of files from which on there is an estimate, when one part in estimatedAt
	// has been read.
	leastEstimated, estimatedAt = 128 << 20, 16
)

// A Reading is how far a run has come with its files.
type Reading struct {
	Bytes, Read int64 // of all files, and of those that have been read
	Written     int64 // of files that are going to be written again
	Documents   int   // that have been read
	IDs         int   // the bytes of their ids
	Features    uint64
	// Fingerprints says that a set is a fingerprint.
	Fingerprints bool
	// Rows says that the files have nothing but fingerprints, of which those take memory that are near others.
	Rows   bool
	Took   time.Duration // to read what has been read
	Memory int64         // that the run may take, in bytes

	begin time.Time
}

// Begin returns the Reading of a run that begins now.
func Begin() Reading { return Reading{begin: time.Now()} }

// IsLarge reports whether the files are so large that there is an estimate.
func (r *Reading) IsLarge() bool { return r.Bytes >= leastEstimated }

// Has takes note of how many bytes have been read until now, and reports whether these are enough for an estimate.
func (r *Reading) Has(bytes int64) bool {
	r.Read, r.Took = bytes, time.Since(r.begin)
	return r.Read >= max(1, r.Bytes/estimatedAt)
}

// Estimate returns what the run is going to take. Something must have been read.
func (r *Reading) Estimate() Estimate {
	per := float64(r.Bytes) / float64(r.Read)
	documents := per * float64(r.Documents)
	state, sets := documents*BytesPerDocument+per*float64(r.IDs), per*float64(r.Features)*bytesPerFeature
	perReading := max(leastPerReading, perReading+perDoubling*math.Log2(float64(max(1, r.Bytes))/1e9))
	memory := state + documents*decidingBytes + sets + min(spill.Holds/4, sets)
	switch {
	case r.Rows:
		perReading, state = perReadingOfRows, state/nearShare
		memory = max(min(documents*sortingBytes, sortingShare*float64(r.Memory)), documents/nearShare*nearBytes)
	case r.Fingerprints:
		perReading = perReadingOfPrints
	}
	space := max(sets, state)
	if r.Written > 0 { // what the next run needs stays, too
		space = state + stayShare*sets + max(sets, float64(r.Written))
	}
	return Estimate{
		Documents: int64(documents + 0.5),
		Time:      time.Duration(perReading * per * float64(r.Took)),
		Memory:    min(r.Memory, leastMemory+int64(memory)),
		Disk:      int64(space),
	}
}

// ErrSpace is the class of errors of a disk that is too small for what is going to be written.
var ErrSpace = errors.New("too little space on the disk")

// CheckSpace returns an error of class ErrSpace if the disk of dir, which may be "", is too small for so many bytes.
// freeOf stands for disk.Free if it is not nil.
func CheckSpace(dir string, needed int64, freeOf func(path string) (bytes int64, ok bool)) error {
	if dir == "" {
		return nil
	}
	if freeOf == nil {
		freeOf = disk.Free
	}
	if free, ok := freeOf(dir); ok && float64(free) < float64(needed)/unlikely {
		return fmt.Errorf("%w of %s: about %s are needed, and %s are free: free some, or name a directory on another disk", ErrSpace, dir,
			terminal.Bytes(needed), terminal.Bytes(free))
	}
	return nil
}
