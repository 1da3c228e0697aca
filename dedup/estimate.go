package dedup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/join"
	"simsearch/internal/setjoin"
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

// A sample is what has been read of some files, and how long it took on all threads.
type sample struct {
	files     []sampledFile
	documents int
	features  int // of distinct sets
	reading   time.Duration
	copying   time.Duration // reading without analysis
	coding    time.Duration // of the sets
	comparing time.Duration
	entries   int64 // of lists of features, that were read to compare, or pairs of sketches
	few       bool  // pairs are few, and decide
}

// A sampledFile is a file of which the beginning is read.
type sampledFile struct {
	corpus.File
	weight    float64 // how often it was chosen
	bytes     int64   // that were read
	documents int
	ids       int // bytes
	features  int // of sets that were not known
}

// expect tells of an estimate before all is read, unless it is for parts. It is an error if the disk is too small.
func (c *Collection) expect(ctx context.Context, a *analysis.Analysis) error {
	total, written := int64(0), int64(0)
	for _, p := range c.passes {
		_, size := p.r.Progress()
		total += size
		if !p.reference && !c.o.DryRun {
			written += size
		}
	}
	if c.journal != nil && len(c.journal.parts) > 0 {
		return nil
	}
	if c.journal == nil || total < leastEstimated && !c.o.DryRun {
		return c.checkSpace(cmp.Or(c.o.State, c.o.Out), written)
	}
	s, err := c.sample(ctx, a, total)
	if err != nil || s.documents == 0 {
		return err
	}
	e := s.estimate(total, written, c.o)
	if c.o.Expect != nil {
		c.o.Expect(e)
	}
	return c.checkSpace(c.o.State, e.Disk)
}

// checkSpace returns an error if the disk of dir, which may be "", is too small for so many bytes.
func (c *Collection) checkSpace(dir string, needed int64) error {
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

// sample reads the beginnings of files, which are chosen evenly by their sizes.
func (c *Collection) sample(ctx context.Context, a *analysis.Analysis, total int64) (s sample, err error) {
	s.files = c.chosenFiles(total)
	if len(s.files) == 0 {
		return s, nil
	}
	of := &Collection{o: c.o, sets: &spill.Lists{Bytes: spill.NewBytes(c.o.FS, c.o.Temp, spill.Holds)}, known: map[analysis.Digest]uint32{}}
	defer func() { err = errors.Join(err, of.sets.Close()) }()
	begin := time.Now()
	took := func(into *time.Duration) { *into, begin = time.Since(begin), time.Now() }
	err = analysis.Each(ctx, a, c.beginnings(ctx, s.files), c.o.Threads, func() int { return batchDocuments }, nil, func(b *analysis.Batch, _ struct{}) error {
		for i := range b.Len() {
			of.add(b.Result(i), 0)
		}
		return of.sets.Flush()
	})
	if err != nil {
		return s, err
	}
	took(&s.reading)
	s.count(of)
	for doc, err := range c.beginnings(ctx, slices.Clone(s.files)) {
		if err != nil {
			return s, err
		}
		_ = digest(doc.Text)
	}
	took(&s.copying)
	coded, err := of.collect(ctx, nil)
	if err != nil {
		return s, err
	}
	took(&s.coding)
	order := make([]uint32, len(of.sizes))
	for i := range order {
		order[i] = uint32(i)
	}
	if c.o.Contained > 0 { // larger ones come first
		slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(of.sizes[b], of.sizes[a]) })
	}
	s.few, err = of.sampleCompared(ctx, coded, order, &s.entries)
	took(&s.comparing)
	return s, err
}

// sampleCompared compares the sets of a sample, as Decide compares those of all documents. few says that pairs decide.
func (c *Collection) sampleCompared(ctx context.Context, coded relation, order []uint32, entries *int64) (few bool, err error) {
	how := join.Options{Threads: c.o.Threads}
	var stats setjoin.Stats
	sets, ok := coded.(*similarSets)
	if ok {
		sets.Stats = &stats
	}
	near, err := join.NewGrouper(ctx, coded, c.o.Threshold, how)
	if err == nil && !near.Few() {
		_, err = near.Stars(ctx, c.o.Threshold, order, 0, how)
	}
	*entries = stats.Entries
	return ok && near.Few(), err
}

// count divides what of has of the sample among its files.
func (s *sample) count(of *Collection) {
	s.documents, s.features = len(of.of), int(of.features)
	doc, sets := 0, uint32(0)
	for i := range s.files {
		f := &s.files[i]
		for range f.documents {
			f.ids += len(of.id(uint32(doc)))
			if set := of.of[doc]; set == sets { // it is a new one
				f.features += int(of.sizes[set])
				sets++
			}
			doc++
		}
	}
}

// chosenFiles returns files by their sizes: of every so many bytes, the file that has them.
func (c *Collection) chosenFiles(total int64) (chosen []sampledFile) {
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
func (c *Collection) beginnings(ctx context.Context, files []sampledFile) iter.Seq2[*document.Document, error] {
	o := c.o.Corpus
	o.Context, o.Decided, o.FilesFrom = ctx, nil, nil
	return func(yield func(*document.Document, error) bool) {
		for i := range files {
			if !c.beginning(&files[i], o, int64(sampledBytes/len(files)), yield) {
				return
			}
		}
	}
}

func (c *Collection) beginning(f *sampledFile, o corpus.Options, share int64, yield func(*document.Document, error) bool) bool {
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
		f.documents++
		if f.bytes, _ = r.Progress(); f.bytes >= share {
			return true
		}
	}
	f.bytes, _ = r.Progress()
	return true
}

// What was measured on collections of 10 to 500 MB of reviews, news, laws and licences.
const (
	perEntry         = 10.  // nanoseconds of comparing, on two threads
	perSketch        = 0.3  // the same of two sketches
	furtherEntries   = 1.25 // with those for the other thresholds of a report, unless pairs decide
	furtherSets      = 0.5  // of comparing at each of these, beside the entries
	writingPerCopy   = 1.5
	bytesPerDocument = 24 + 12
	bytesPerFeature  = 8
	leastMemory      = 60 << 20
)

// estimate returns what a run takes whose files have total bytes, of which so many are written again. The time of comparing grows with the number of
// documents, and that of reading lists of features with its square.
func (s *sample) estimate(total, written int64, o Options) Estimate {
	var documents, ids, features, weights float64
	for _, f := range s.files {
		if f.bytes > 0 {
			documents += f.weight * float64(f.documents) / float64(f.bytes)
			ids += f.weight * float64(f.ids) / float64(f.bytes)
			features += f.weight * float64(f.features) / float64(f.bytes)
			weights += f.weight
		}
	}
	per := float64(total) / weights
	documents, ids, features = per*documents, per*ids, per*features
	more := documents / float64(s.documents)
	times := (more + features/float64(max(1, s.features))) / 2
	e := Estimate{Documents: int64(documents + 0.5)}
	others, each, further := 0., perEntry, furtherEntries
	for _, t := range o.otherThresholds() {
		if t > o.Threshold {
			others++
		}
	}
	if s.few {
		others, each, further = 0, perSketch, 1
	}
	lists := float64(s.entries) * each * 2 / float64(o.Threads)
	sets := max(0, float64(s.comparing)-lists)
	took := float64(s.reading+s.coding) + sets*(1+furtherSets*others)
	if !o.DryRun {
		took += writingPerCopy * float64(s.copying)
	}
	e.Time = time.Duration(times*took + more*more*lists*further)
	state := documents*bytesPerDocument + ids
	e.Memory = leastMemory + int64(state+features*bytesPerFeature+min(spill.Holds, features*bytesPerFeature))
	e.Memory = min(e.Memory, o.Memory)
	e.Disk = int64(max(features*bytesPerFeature, state+float64(written)))
	return e
}
