package dedup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/spill"
	"simsearch/internal/terminal"
)

// An Estimate is about what a run takes, by a sample of its files. It takes all documents for different, and for kept.
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
	return fmt.Sprintf("%s: %s, %s of memory, %s of disk", terminal.Plural(int(documents), "document"), terminal.Coarse(max(time.Second, e.Time)), terminal.Bytes(e.Memory), terminal.Bytes(e.Disk))
}

const (
	// leastEstimated is the size in bytes of files from which on a sample is worth its time. Of smaller ones, what is
	// written again is what is needed.
	leastEstimated = 128 << 20
	// sampledFiles is the number of files of which the beginning is read at most, and sampledBytes how much of all of them.
	sampledFiles, sampledBytes = 512, 12 << 20
	// sampledTime is how long a file may take.
	sampledTime = 200 * time.Millisecond
	// unlikely is by how much an estimate is hardly ever too high.
	unlikely = 1.5
)

// ErrSpace is the class of errors of a disk that is too small for what is going to be written.
var ErrSpace = errors.New("too little space on the disk")

// A sampledFile is a file of which the beginning is read.
type sampledFile struct {
	corpus.File
	weight float64 // how often it was chosen
	bytes  int64   // that were read

	documents, ids, features float64 // that were read: documents, bytes of their ids, and features of their sets
}

// expect tells of an estimate before all is read. It is an error if the disk is too small.
func (c *sources) expect(ctx context.Context, a *analysis.Analysis) error {
	total, written := int64(0), int64(0)
	for _, p := range c.passes {
		_, size := p.r.Progress()
		total += size
		if !p.reference && !c.o.DryRun {
			written += size
		}
	}
	if c.o.State == "" || total < leastEstimated && !c.o.DryRun {
		return c.checkSpace(cmp.Or(c.o.State, c.o.Out), written)
	}
	begin := time.Now()
	files := c.chosenFiles(total)
	err := analysis.Each(ctx, a, c.beginnings(ctx, files), c.o.Threads, func() int { return batchDocuments }, nil, func(b *analysis.Batch, _ struct{}) error {
		for i := range b.Len() {
			r := b.Result(i)
			f := &files[r.Origin.Offset]
			f.documents, f.ids, f.features = f.documents+1, f.ids+float64(len(r.ID)), f.features+float64(len(c.o.compared(r).Set))
		}
		return nil
	})
	e := estimated(files, time.Since(begin), total, written)
	if err != nil || e.Documents == 0 {
		return err
	}
	e.Memory = min(e.Memory, c.o.Memory)
	if c.o.Expect != nil {
		c.o.Expect(e)
	}
	return c.checkSpace(c.o.State, e.Disk)
}

// checkSpace returns an error if the disk of dir, which may be "", is too small for so many bytes.
func (c *sources) checkSpace(dir string, needed int64) error {
	if dir == "" {
		return nil
	}
	freeOf := disk.Free
	if c.o.free != nil {
		freeOf = c.o.free
	}
	if free, ok := freeOf(dir); ok && float64(free) < float64(needed)/unlikely {
		return fmt.Errorf("%w of %s: about %s are needed, and %s are free: free some, or name a directory on another disk", ErrSpace, dir, terminal.Bytes(needed), terminal.Bytes(free))
	}
	return nil
}

// chosenFiles returns files by their sizes: of every so many bytes, the file that has them.
func (c *sources) chosenFiles(total int64) (chosen []sampledFile) {
	step := max(1, total/sampledFiles)
	at, next := int64(0), step/2
	for i, f := range c.files {
		if f.Once || c.isIndex(i) {
			continue
		}
		info, err := disk.OS.Stat(f.Path)
		if err != nil {
			continue // it is told of when it is read
		}
		at += info.Size()
		if at > next {
			times := (at - next + step - 1) / step
			chosen = append(chosen, sampledFile{File: f, weight: float64(times)})
			next += times * step
		}
	}
	return chosen
}

// beginnings yields the first documents of files, and counts these and the bytes that they take on the disk. What cannot
// be read is left out.
func (c *sources) beginnings(ctx context.Context, files []sampledFile) iter.Seq2[*document.Document, error] {
	o := c.o.Corpus
	o.Context, o.Decided, o.FilesFrom = ctx, nil, nil
	return func(yield func(*document.Document, error) bool) {
		for i := range files {
			next := func(doc *document.Document, err error) bool {
				if doc != nil {
					doc.Origin = placed(i, 0)
				}
				return yield(doc, err)
			}
			if !c.beginning(&files[i], o, int64(sampledBytes/len(files)), next) {
				return
			}
		}
	}
}

func (c *sources) beginning(f *sampledFile, o corpus.Options, share int64, yield func(*document.Document, error) bool) bool {
	whole := o.Context
	ctx, cancel := context.WithTimeout(whole, cmp.Or(c.o.sampled, sampledTime))
	defer cancel()
	o.Context = ctx
	r, err := corpus.OpenFile(f.File, o)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer func() { _ = r.Close() }() // a sample was read
	for doc, err := range r.Documents() {
		if err != nil && ctx.Err() != nil && whole.Err() == nil {
			break // a document of this size is no part of a sample
		}
		if errors.As(err, new(*corpus.BadError)) && whole.Err() == nil {
			continue
		}
		if !yield(doc, err) || err != nil {
			return false
		}
		if f.bytes, _ = r.Progress(); f.bytes >= share {
			return true
		}
	}
	f.bytes, _ = r.Progress()
	return true
}

const (
	// perReading is how long a run takes for each second of reading, as measured on collections of 10 to 500 MB of reviews, news,
	// laws and licences.
	perReading       = 2
	bytesPerDocument = 24 + 12
	bytesPerFeature  = 8
	leastMemory      = 60 << 20
)

// estimated returns what a run takes whose files have total bytes, of which so many are written again, by the beginnings of
// some files, which it took some time to read.
func estimated(files []sampledFile, took time.Duration, total, written int64) (e Estimate) {
	var documents, ids, features, weights, read float64
	for _, f := range files {
		if f.bytes > 0 {
			each := f.weight / float64(f.bytes)
			documents, ids, features = documents+each*f.documents, ids+each*f.ids, features+each*f.features
			weights += f.weight
			read += float64(f.bytes)
		}
	}
	if weights == 0 {
		return e
	}
	per := float64(total) / weights
	state, sets := per*(documents*bytesPerDocument+ids), per*features*bytesPerFeature
	return Estimate{
		Documents: int64(per*documents + 0.5), Time: time.Duration(perReading * float64(took) * float64(total) / read),
		Memory: leastMemory + int64(state+sets+min(spill.Holds, sets)), Disk: int64(max(sets, state+float64(written))),
	}
}
