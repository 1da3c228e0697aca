package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spaolacci/murmur3"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/disk"
	"simsearch/internal/memory"
	"simsearch/internal/outdir"
	"simsearch/internal/rewrite"
	"simsearch/internal/spill"
)

// A Collection is the documents of some files, as far as decisions need them: their ids and 24 bytes each in memory, 8
// more if Options.Keep has a field, 36 for each distinct set, and beyond 64 MiB the features of these in a temporary
// file or in Options.State. The files must not change until Write has read them again.
type Collection struct {
	o      Options
	files  []corpus.File
	names  []string // of their outputs, below the directory of what is kept; without the reference
	starts []uint32 // the first document of each file, and the number of all
	refs   int      // of the files, those that come first and are a reference, which stays as it is

	lengths []uint32 // of the text of each document, or the file of a picture, in bytes
	digests []uint64 // of the text of each document
	of      []uint32 // the set of each document, or noSet
	ids     []byte   // of all documents, one after the other
	idEnds  []uint64

	known     map[analysis.Digest]uint32 // while reading
	reference bool                       // the reference is read
	sizes     []uint32                   // of each distinct set
	features  uint64                     // of all distinct sets
	sets      store
	counts    []uint32        // documents of each file, while reading as many as there have been
	bad       []int           // documents of each file that cannot be read
	parts     *divided        // that it belongs to, or nil if documents are removed
	codes     spill.Bytes     // of the sets, once they are compared
	keys      *keys           // that Options.Keep compares, or nil
	ignored   analysis.Digest // of the file of Options.Ignore
	rank      []uint8         // of each document by Options.Prefer, or nil; less is better
	ofFiles   []uint8         // the same of the files that may lose documents
	out       boilerplate

	leftOut []corpus.LeftOut // when all is decided
	damage  *damages

	refInputs, inputs []string
	passes            []pass
	indexes           []*index.Snapshot // the last files of the reference

	dir *outdir.Dir // of the result, from its opening on

	// With Options.State:
	run     about
	journal *journal
	decided *Decisions // by a run that was interrupted
	earlier *known     // what another run has decided
	coded   relation   // of another run
	one     [1]uint64  // a fingerprint as a set
}

const noSet = ^uint32(0)

// Read reads the documents of inputs, which are files, directories or "-" for standard input, as corpus.Open does,
// in this order. Documents near one of refs, which are inputs, too, are going to be removed. The caller closes the
// Collection. The error is that of corpus.Open, of the file system, of reading, or the cause of ctx.
func Read(ctx context.Context, refs, inputs []string, o Options) (*Collection, error) {
	return read(ctx, refs, inputs, o, nil)
}

// read is Read. If p is not nil, it reads for p, whose Collection it makes.
func read(ctx context.Context, refs, inputs []string, o Options, p *divided) (_ *Collection, err error) {
	if err := o.checkDistance(); err != nil {
		return nil, err
	}
	if err := o.checkThreshold(); err != nil {
		return nil, err
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Memory = memory.Or(o.Memory)
	o.Corpus.Context, o.Corpus.Raw = ctx, false
	if err := checkFields("all", o.Corpus.Format); o.Keep.Way.HasField() && err != nil {
		return nil, err
	}
	a, err := analysis.New(o.Settings)
	if err != nil {
		return nil, err
	}
	lists := &spill.Lists{Bytes: spill.NewBytes(o.FS, o.Temp, spill.Holds)}
	c := &Collection{o: o, refInputs: refs, inputs: inputs, sets: lists, known: map[analysis.Digest]uint32{}, parts: p}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if p != nil {
		if err := p.begin(c); err != nil {
			return nil, err
		}
	}
	var ignored []uint64
	ignored, c.ignored, err = readIgnored(ctx, a, o.Ignore)
	if err = errors.Join(err, checkMaxDF(o.MaxDF)); err != nil {
		return nil, err
	}
	if err := c.find(ctx); err != nil {
		return nil, err
	}
	if o.State != "" {
		if err := c.open(ctx); err != nil || c.decided != nil {
			return c, err
		}
	}
	if err := c.expect(ctx, a); err != nil {
		return nil, err
	}
	if err := c.readAll(ctx, a); errors.Is(err, errAnew) {
		// The parts that have been read are of no use.
		c.tell(fmt.Sprintf("%s has an interrupted run, and %v: all begins anew", o.State, err))
		if err := errors.Join(c.journal.wait(), c.dir.Clear(), c.Close()); err != nil {
			return nil, err
		}
		return read(ctx, refs, inputs, o, p)
	} else if err != nil {
		return nil, err
	}
	at := uint32(0)
	for _, n := range append(c.counts, 0) {
		c.starts = append(c.starts, at)
		at += n
	}
	c.known = nil
	c.rank = c.ranks()
	if err := c.leaveOut(ctx, ignored); err != nil {
		return nil, err
	}
	return c, nil
}

// documentsBefore returns how many documents have been read of the files before a file.
func (c *Collection) documentsBefore(file int) (n int) {
	for _, of := range c.counts[:file] {
		n += int(of)
	}
	return n
}

func (o *Options) checkThreshold() error {
	if !(o.Threshold > 0 && o.Threshold <= 1) {
		return fmt.Errorf("a similarity of %v: want more than 0 and at most 1", o.Threshold)
	}
	return nil
}

// readAll reads what has not been read by an interrupted run. The error is errAnew if that has read something else.
func (c *Collection) readAll(ctx context.Context, a *analysis.Analysis) error {
	c.phase(Reading)
	from := 0
	for _, p := range c.passes {
		if !p.reference {
			if err := c.readIndexes(ctx, c.refs-len(c.indexes)); err != nil {
				return err
			}
			from = c.refs
			c.keys.skip(c.documentsBefore(c.refs))
		}
		c.reference = p.reference
		err := c.read(ctx, a, p, from)
		if !p.reference {
			err = c.keys.end(err)
		}
		if err != nil {
			return err
		}
		from += len(p.files)
	}
	if c.journal != nil {
		return c.journal.wait()
	}
	return nil
}

// Close removes the temporary files. What Options.State has stays if Write has not ended.
func (c *Collection) Close() error {
	var errs []error
	if c.sets != nil {
		errs = append(errs, c.sets.Close())
	}
	errs = append(errs, c.codes.Close(), c.leave())
	for _, p := range c.passes {
		errs = append(errs, p.r.Close())
	}
	for _, ix := range c.indexes {
		errs = append(errs, ix.Close())
	}
	c.passes, c.indexes = nil, nil
	return errors.Join(errs...)
}

// Len returns the number of documents that may be removed.
func (c *Collection) Len() int { return len(c.of) - int(c.starts[c.refs]) }

// maxDocuments bounds the number of documents, which have 32 bits.
const maxDocuments = 1<<32 - 2

// read reads the documents of the files of p, which are those from first on.
func (c *Collection) read(ctx context.Context, a *analysis.Analysis, p pass, first int) (err error) {
	r := p.r
	documents := c.counted(r, p.files, first)
	if c.journal != nil {
		documents = c.unread(p, first, documents)
	}
	progress := func() {
		if c.o.Progress != nil {
			c.o.Progress(r.Progress())
		}
	}
	if c.parts != nil {
		err = c.parts.readTexts(ctx, a, documents, progress)
	} else {
		err = c.readSets(ctx, a, documents, progress)
	}
	if err != nil {
		return err
	}
	if name, once := r.Once(); once && name == corpus.Stdin.Path {
		if r.Format() == corpus.Text && c.counts[first] == 1 {
			return errOneText
		}
		_, err = c.o.Corpus.Stdin.(io.Seeker).Seek(0, io.SeekStart)
	}
	return err
}

// readSets remembers the sets of documents.
func (c *Collection) readSets(ctx context.Context, a *analysis.Analysis, documents iter.Seq2[*document.Document, error], progress func()) error {
	hash := func(_ context.Context, b *analysis.Batch) ([]uint64, error) {
		digests := make([]uint64, b.Len())
		for i := range digests {
			r := b.Result(i)
			switch {
			case !r.Given:
				digests[i] = digest(r.Text)
			case c.o.byDistance() && r.Picture.Digest != 0:
				digests[i] = r.Picture.Digest
			case c.o.byDistance():
				digests[i] = r.Fingerprint
			default:
				return nil, errFingerprint(r.ID)
			}
		}
		return digests, nil
	}
	return analysis.Each(ctx, a, documents, c.o.Threads, func() int { return batchDocuments }, hash, func(b *analysis.Batch, digests []uint64) error {
		for i := range b.Len() {
			if len(c.of) == maxDocuments {
				return fmt.Errorf("more than %d documents", maxDocuments)
			}
			c.add(b.Result(i), digests[i])
		}
		progress()
		return c.sets.Flush()
	})
}

// errOneText is returned if standard input is a single text, which has no duplicates: it is more likely damaged.
var errOneText = errors.New("standard input is read as one text, of which nothing is removed: name its format, such as --format jsonl or lines")

// batchDocuments is how many documents are analysed together.
const batchDocuments = 512

// digest identifies a text.
func digest(text []byte) uint64 { return murmur3.Sum64(text) }

// add remembers a document.
func (c *Collection) add(r analysis.Result, digest uint64) {
	r = c.compared(r)
	c.lengths = append(c.lengths, uint32(min(int64(len(r.Text))+r.Picture.Bytes, 1<<32-1)))
	c.digests = append(c.digests, digest)
	c.ids = append(c.ids, r.ID...)
	c.idEnds = append(c.idEnds, uint64(len(c.ids)))
	if len(r.Set) == 0 {
		c.of = append(c.of, noSet)
		return
	}
	set, ok := c.known[r.Digest]
	if !ok {
		set = uint32(len(c.sizes))
		c.known[r.Digest] = set
		c.sizes = append(c.sizes, uint32(len(r.Set)))
		c.features += uint64(len(r.Set))
		c.sets.Add(r.Set)
		if c.journal != nil {
			c.journal.digests = append(c.journal.digests, r.Digest)
		}
	}
	c.of = append(c.of, set)
}

// counted yields the documents of r that are not bad, and counts them and the bad ones of each file, which are those from
// first on.
func (c *Collection) counted(r *corpus.Reader, files []corpus.File, first int) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		perFile, bad := c.counts[first:first+len(files)], c.bad[first:first+len(files)]
		file := 0
		find := func(path string) int {
			for i := file; i < len(files); i++ {
				if files[i].Path == path {
					file = i
					return i
				}
			}
			return file
		}
		for doc, err := range r.Documents() {
			if b := (*corpus.BadError)(nil); errors.As(err, &b) && !errors.Is(err, context.Canceled) {
				if len(bad) > 0 { // else a list names no file
					c.count(func() { bad[find(b.Path)]++ })
				}
				if c.o.Bad != nil {
					c.o.Bad(b)
				}
				continue
			}
			if err == nil && c.o.Annotate && !c.reference && !r.Layout().HasFields() {
				err = fmt.Errorf("%w: %s is read as %s", rewrite.ErrFields, doc.Source, r.Format())
			}
			if err == nil && c.parts != nil && !c.reference {
				err = c.parts.checkText(r, doc)
			}
			if err == nil && !c.reference && c.keys != nil {
				c.count(func() { err = c.keys.see(r, doc) })
			}
			if err == nil {
				c.count(func() { perFile[find(doc.Source)]++ })
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// id returns the id of a document.
func (c *Collection) id(doc uint32) []byte {
	from := uint64(0)
	if doc > 0 {
		from = c.idEnds[doc-1]
	}
	return c.ids[from:c.idEnds[doc]]
}
