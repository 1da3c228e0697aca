package collected

import (
	"errors"
	"fmt"
	"math"
	"time"

	"simsearch/internal/disk"
	"simsearch/internal/spill"
	"simsearch/internal/terminal"
)

// An Estimate is about what a run takes, by what has been read. It takes all documents for kept.
type Estimate struct {
	Documents int64
	Time      time.Duration
	Memory    int64 // bytes
	Disk      int64 // bytes, below Options.State
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
	// leastEstimated is the size in bytes of files from which on there is an estimate, when one part in estimatedAt has been read.
	leastEstimated, estimatedAt = 128 << 20, 16
	// How long a run of a gigabyte takes for each second of reading, and how much longer one of twice as much, as measured on reviews and
	// laws of 70 and 90 MB, and on generated text of 1 to 10 GB. It takes leastPerReading at least. Sets of more features a byte than words
	// make take longer, by perDense for the root of what is more, as measured on n-grams of three words and of five characters.
	perReading, perDoubling, leastPerReading = 4.5, 0.5, 2
	featuresOfWords, perDense                = 0.107, 6.4

	bytesPerDocument = 24 + 12
	bytesPerFeature  = 8
	leastMemory      = 60 << 20
	// unlikely is by how much an estimate is hardly ever too high.
	unlikely = 1.5
)

// ErrSpace is the class of errors of a disk that is too small for what is going to be written.
var ErrSpace = errors.New("too little space on the disk")

// An estimator makes an estimate while files are read.
type estimator struct {
	begin          time.Time
	total, written int64 // bytes of all files, and of those that are written again
	told           bool
}

// newEstimator begins to measure. It is an error if the disk is too small for what is written again.
func (c *Collection) newEstimator() error {
	c.estimator = estimator{begin: time.Now(), told: c.Options.State == "" || c.Options.Expect == nil}
	for _, p := range c.Passes {
		_, size := p.Reader.Progress()
		c.estimator.total += size
		if !p.Reference && !c.Options.DryRun {
			c.estimator.written += size
		}
	}
	return c.checkSpace(c.Options.State, c.estimator.written)
}

// perReading returns how long the run takes for each second of reading, if sets have so many features for each byte that is read.
func (e *estimator) perReading(dense float64) float64 {
	return max(leastPerReading, perReading+perDoubling*math.Log2(float64(max(1, e.total))/1e9)) + perDense*math.Sqrt(max(0, dense-featuresOfWords))
}

// expect tells of an estimate once, when enough has been read. It is an error if the disk is too small.
func (c *Collection) expect(all bool) error {
	e, read := &c.estimator, int64(0)
	if e.told || e.total < leastEstimated && (!c.Options.DryRun || !all) {
		return nil
	}
	for _, p := range c.Passes {
		done, _ := p.Reader.Progress()
		read += done
	}
	if len(c.Lengths) == 0 || read < max(1, e.total/estimatedAt) {
		return nil
	}
	e.told = true
	per := float64(e.total) / float64(read)
	documents := per * float64(len(c.Lengths))
	state, sets := documents*bytesPerDocument+per*float64(len(c.ids)), per*float64(c.features)*bytesPerFeature
	dense := float64(c.features) / float64(read)
	is := Estimate{
		Documents: int64(documents + 0.5), Time: time.Duration(e.perReading(dense) * per * float64(time.Since(e.begin))),
		Memory: min(c.Options.Memory, leastMemory+int64(state+sets+min(spill.Holds, sets))), Disk: int64(max(sets, state+float64(e.written))),
	}
	c.Options.Expect(is)
	return c.checkSpace(c.Options.State, is.Disk)
}

// checkSpace returns an error if the disk of dir, which may be "", is too small for so many bytes.
func (c *Collection) checkSpace(dir string, needed int64) error {
	if dir == "" {
		return nil
	}
	freeOf := disk.Free
	if c.Options.Free != nil {
		freeOf = c.Options.Free
	}
	if free, ok := freeOf(dir); ok && float64(free) < float64(needed)/unlikely {
		return fmt.Errorf("%w of %s: about %s are needed, and %s are free: free some, or name a directory on another disk", ErrSpace, dir,
			terminal.Bytes(needed), terminal.Bytes(free))
	}
	return nil
}
