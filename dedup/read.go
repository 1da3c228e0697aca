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
	"simsearch/internal/disk"
	"simsearch/internal/rewrite"
	"simsearch/internal/spool"
)

// A Collection is the documents of some files, as far as decisions need them: their ids and 24 bytes each in memory, 8
// more if Options.Keep has a field, 36 for each distinct set, and beyond 64 MiB the features of these in a temporary file. The files must not change
// until Write has read them again.
type Collection struct {
	o      Options
	files  []corpus.File
	names  []string // of their outputs, below the directory of what is kept; without the reference
	starts []uint32 // the first document of each file, and the number of all
	refs   int      // of the files, those that come first and are a reference, which stays as it is

	lengths []uint32 // of the text of each document, in bytes
	digests []uint64 // of the text of each document
	of      []uint32 // the set of each document, or noSet
	ids     []byte   // of all documents, one after the other
	idEnds  []uint64

	known     map[analysis.Digest]uint32 // while reading
	reference bool                       // the reference is read
	sizes     []uint32                   // of each distinct set
	features  uint64                     // of all distinct sets
	sets      spool.Lists
	bad       []int       // documents of each file that cannot be read
	parts     *divided    // that it belongs to, or nil if documents are removed
	codes     spool.Bytes // of the sets, once they are compared
	keys      *keys       // that Options.Keep compares, or nil
	rank      []uint8     // of each document by Options.Prefer, or nil; less is better
	ofFiles   []uint8     // the same of the files that may lose documents
	out       boilerplate
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
	if !(o.Threshold > 0 && o.Threshold <= 1) {
		return nil, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", o.Threshold)
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Corpus.Context, o.Corpus.Raw = ctx, false
	if err := checkFields("all", o.Corpus.Format); o.Keep.Way.hasField() && err != nil {
		return nil, err
	}
	a, err := analysis.New(o.Settings)
	if err != nil {
		return nil, err
	}
	c := &Collection{o: o, sets: spool.Lists{Bytes: spool.NewBytes(o.FS, o.Temp, spool.Holds)}, known: map[analysis.Digest]uint32{}, parts: p}
	if p != nil {
		p.Collection = c
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	ignored, err := readIgnored(a, o.Ignore)
	if err = errors.Join(err, checkMaxDF(o.MaxDF)); err != nil {
		return nil, err
	}
	if len(refs) > 0 {
		of := o.Corpus
		of.FilesFrom, c.reference = nil, true
		if err := c.read(ctx, a, refs, of); err != nil {
			return nil, err
		}
		c.refs, c.reference = len(c.files), false
	}
	c.keys = newKeys(o.Keep, o.Corpus.Lenient, len(c.of))
	of := o.Corpus
	of.Raw = c.keys != nil
	if err := c.keys.end(c.read(ctx, a, inputs, of)); err != nil {
		return nil, err
	}
	c.starts, c.known = append(c.starts, uint32(len(c.of))), nil
	c.rank = c.ranks()
	if err := c.leaveOut(ctx, ignored); err != nil {
		return nil, err
	}
	return c, nil
}

// Close removes the temporary files.
func (c *Collection) Close() error { return errors.Join(c.sets.Close(), c.codes.Close()) }

// Len returns the number of documents that may be removed.
func (c *Collection) Len() int { return len(c.of) - int(c.starts[c.refs]) }

// maxDocuments bounds the number of documents, which have 32 bits.
const maxDocuments = 1<<32 - 2

// read reads the documents of inputs.
func (c *Collection) read(ctx context.Context, a *analysis.Analysis, inputs []string, o corpus.Options) (err error) {
	r, err := corpus.Open(inputs, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	name, once := r.Once()
	stdin, seeks := o.Stdin.(io.Seeker)
	if twice := seeks && name == corpus.Stdin.Path && len(inputs) == 1; once && !twice {
		return fmt.Errorf("%s can be read only once, but is read twice: save it to a file", name)
	}
	c.phase(Reading)
	files := r.Files()
	if !c.reference && !once {
		if err := c.nameOutputs(files); err != nil {
			return err
		}
	}
	if c.parts != nil && !c.reference {
		if err := c.parts.checkFormats(ctx, files); err != nil {
			return err
		}
	}
	if !c.reference {
		if c.ofFiles, err = preference(c.o.Prefer, files); err != nil {
			return err
		}
		if err := c.keys.probe(files, o); err != nil {
			return err
		}
	}
	first := len(c.files)
	c.files = append(c.files, files...)
	c.bad = append(c.bad, make([]int, len(files))...)
	perFile := make([]uint32, len(files))
	documents := c.counted(r, files, perFile, c.bad[first:])
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
	if once {
		if _, err := stdin.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	at := uint32(len(c.of))
	for _, n := range perFile {
		at -= n
	}
	for _, n := range perFile {
		c.starts = append(c.starts, at)
		at += n
	}
	return nil
}

// readSets remembers the sets of documents.
func (c *Collection) readSets(ctx context.Context, a *analysis.Analysis, documents iter.Seq2[*document.Document, error], progress func()) error {
	hash := func(_ context.Context, b *analysis.Batch) ([]uint64, error) {
		digests := make([]uint64, b.Len())
		for i := range digests {
			digests[i] = digest(b.Result(i).Text)
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

// nameOutputs sets c.names. It is an error if a file cannot be written.
func (c *Collection) nameOutputs(files []corpus.File) (err error) {
	c.names, err = rewrite.Names(commonBase(c.o.Corpus.Base, files), files)
	if err != nil || c.o.DryRun {
		return err
	}
	for _, f := range files {
		if err := rewrite.CheckOutput(f.Path); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

// batchDocuments is how many documents are analysed together.
const batchDocuments = 512

// digest identifies a text.
func digest(text []byte) uint64 { return murmur3.Sum64(text) }

// add remembers a document.
func (c *Collection) add(r analysis.Result, digest uint64) {
	c.lengths = append(c.lengths, uint32(min(len(r.Text), 1<<32-1)))
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
	}
	c.of = append(c.of, set)
}

// counted yields the documents of r that are not bad, and counts them and the bad ones of each file.
func (c *Collection) counted(r *corpus.Reader, files []corpus.File, perFile []uint32, bad []int) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
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
					bad[find(b.Path)]++
				}
				if c.o.Bad != nil {
					c.o.Bad(b)
				}
				continue
			}
			if err == nil && c.o.Annotate && !c.reference && !rewrite.HasFields(r.Format()) {
				err = fmt.Errorf("%w: %s is read as %s", rewrite.ErrFields, doc.Source, r.Format())
			}
			if err == nil && c.parts != nil && !c.reference {
				err = c.parts.checkText(r, doc)
			}
			if err == nil && !c.reference {
				err = c.keys.see(r, doc)
			}
			if err == nil {
				perFile[find(doc.Source)]++
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

func (c *Collection) phase(what string) {
	if c.o.Phase != nil {
		c.o.Phase(what)
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

// distinctSets are a prefix.Source of the distinct sets.
type distinctSets struct{ *Collection }

func (d distinctSets) Len() int { return len(d.sizes) }

func (d distinctSets) Features() uint64 { return d.features }

func (d distinctSets) Scan(do func(features []uint64) error) error {
	length := func(i int) (int, bool) {
		if i >= len(d.sizes) {
			return 0, false
		}
		return int(d.sizes[i]), true
	}
	return d.sets.Scan(length, func(_ int, features []uint64) error { return do(features) })
}
