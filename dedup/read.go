package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/dedupreport"
	"simsearch/internal/disk"
	"simsearch/internal/memory"
	"simsearch/internal/outdir"
	"simsearch/internal/rewrite"
	"simsearch/internal/spool"
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

	// What has been read: see take.
	lengths []uint32 // of the text of each document, or the file of a picture, in bytes
	digests []uint64 // of the text of each document
	ids     []byte   // of all documents, one after the other
	idEnds  []uint64
	of      []uint32 // the set of each document, or noSet; nil if spans is not
	counts  []uint32 // documents of each file
	file    uint32   // that of the last document
	keys    *keys    // that Options.Keep compares, or nil
	spans   *spans   // the parts of texts, or nil if documents are compared

	known    map[analysis.Digest]uint32 // while reading
	sizes    []uint32                   // of each distinct set
	features uint64                     // of all distinct sets
	sets     store
	codes    spool.Bytes // of the sets, once they are compared

	mu  sync.Mutex // held to count what is bad
	bad []int      // documents of each file that cannot be read

	ignored analysis.Digest // of the file of Options.Ignore
	rank    []uint8         // of each document by Options.Prefer, or nil; less is better
	ofFiles []uint8         // the same of the files that may lose documents
	out     boilerplate

	leftOut []corpus.LeftOut // when all is decided
	damage  *damages

	refInputs, inputs []string
	passes            []pass
	indexes           []*index.Snapshot // the last files of the reference

	dir *outdir.Dir // of the result, from its opening on

	// With Options.State:
	run      savedRun
	journal  *journal
	restored relation                  // of the sets, if a run that was interrupted or another one has compared them
	below    []dedupreport.AtThreshold // what that has counted of other thresholds
	one      [1]uint64                 // a fingerprint as a set
}

const noSet = ^uint32(0)

// Read reads the documents of inputs, which are files, directories or "-" for standard input, as corpus.Open does,
// in this order. Documents near one of refs, which are inputs, too, are going to be removed. The caller closes the
// Collection. The error is that of corpus.Open, of the file system, of reading, or the cause of ctx.
func Read(ctx context.Context, refs, inputs []string, o Options) (_ *Collection, err error) {
	o.Corpus.Context, o.Corpus.Raw = ctx, false
	a, err := o.prepare()
	if err != nil {
		return nil, err
	}
	if err := checkFields("all", o.Corpus.Format); o.Keep.Way.HasField() && err != nil {
		return nil, err
	}
	c := newCollection(refs, inputs, o)
	ignored, digest, err := readIgnored(ctx, a, o.Ignore)
	c.ignored = digest
	if err == nil {
		err = c.find(ctx)
	}
	if err == nil {
		err = c.readAll(ctx, a)
	}
	if errors.Is(err, errAnew) { // what has been read is of no use
		c.tell(fmt.Sprintf("%s has an interrupted run, and %v: all begins anew", o.State, err))
		if err := errors.Join(c.journal.wait(), c.dir.Clear(), c.Close()); err != nil {
			return nil, err
		}
		return Read(ctx, refs, inputs, o)
	}
	if err == nil {
		err = c.end()
	}
	if err == nil && c.restored == nil {
		err = c.leaveOut(ctx, ignored)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// prepare checks the options, and sets what they leave open.
func (o *Options) prepare() (*analysis.Analysis, error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Memory = memory.Or(o.Memory)
	if err := o.checkDistance(); err != nil {
		return nil, err
	}
	if !(o.Threshold > 0 && o.Threshold <= 1) {
		return nil, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", o.Threshold)
	}
	if err := checkMaxDF(o.MaxDF); err != nil {
		return nil, err
	}
	return analysis.New(o.Settings)
}

func newCollection(refs, inputs []string, o Options) *Collection {
	c := &Collection{o: o, refInputs: refs, inputs: inputs, known: map[analysis.Digest]uint32{}, damage: &damages{}}
	c.sets = &spool.Lists{Bytes: spool.NewBytes(o.FS, o.Temp, spool.Holds)}
	if o.By != Documents {
		c.spans = newSpans(o)
	}
	return c
}

// Of returns the Collection of documents that are not read from files, to decide on them. It cannot be written. Of o it uses
// Settings, Threshold, Distance, Contained, MaxDF, Chain, Keep by Longest or First, Threads, Memory, FS and Temp. The caller
// closes the Collection. The error is that of the iterator, of the options, of the file system, or the cause of ctx.
func Of(ctx context.Context, documents iter.Seq2[*document.Document, error], o Options) (_ *Collection, err error) {
	if o.Keep.Way.HasField() {
		return nil, fmt.Errorf("documents that are not read from files have no field to keep by: %s", o.Keep)
	}
	o.Corpus, o.Prefer, o.State, o.By = corpus.Options{}, nil, "", Documents
	a, err := o.prepare()
	if err != nil {
		return nil, err
	}
	c := newCollection(nil, nil, o)
	c.counts = []uint32{0}
	err = c.readSets(ctx, a, func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				doc.Origin, doc.Fields = document.Origin{}, nil
			}
			if !yield(doc, err) {
				return
			}
		}
	}, func() {})
	if err == nil {
		err = c.end()
	}
	if err == nil {
		err = c.leaveOut(ctx, nil)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// readAll reads what has not been read by an interrupted run. The error is errAnew if that has read something else.
func (c *Collection) readAll(ctx context.Context, a *analysis.Analysis) error {
	if c.o.State != "" {
		if read, err := c.open(ctx); err != nil || read {
			return err
		}
	}
	if err := c.expect(ctx, a); err != nil {
		return err
	}
	c.phase(Reading)
	from := 0
	for _, p := range c.passes {
		if !p.reference {
			if err := c.readIndexes(ctx); err != nil {
				return err
			}
			from = c.refs
		}
		if err := c.read(ctx, a, p, from); err != nil {
			return err
		}
		from += len(p.files)
	}
	if c.journal != nil {
		return c.journal.wait()
	}
	return nil
}

// end ends the reading.
func (c *Collection) end() error {
	at := uint32(0)
	for _, n := range append(c.counts, 0) {
		c.starts = append(c.starts, at)
		at += n
	}
	c.known = nil
	c.rank = c.ranks()
	return c.keys.end()
}

// Close removes the temporary files. What Options.State has stays if Write has not ended.
func (c *Collection) Close() error {
	errs := []error{c.sets.Close(), c.spans.close(), c.codes.Close(), c.leave()}
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
func (c *Collection) Len() int { return len(c.lengths) - int(c.starts[c.refs]) }

// maxDocuments bounds the number of documents, which have 32 bits.
const maxDocuments = 1<<32 - 2

// read reads the documents of the files of p, which are those from first on.
func (c *Collection) read(ctx context.Context, a *analysis.Analysis, p pass, first int) (err error) {
	r := p.r
	documents := c.unread(p, first, c.counted(p, first))
	progress := func() {
		if c.o.Progress != nil {
			c.o.Progress(r.Progress())
		}
	}
	if c.spans != nil {
		err = c.readSpans(ctx, a, documents, progress)
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

// readSets takes up documents with their sets.
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
	var r docRecord
	return analysis.Each(ctx, a, documents, c.o.Threads, func() int { return batchDocuments }, hash, func(b *analysis.Batch, digests []uint64) error {
		for i := range b.Len() {
			is := b.Result(i)
			c.describes(&r, is, digests[i])
			r.file, r.line, r.value = uint32(is.Origin.Offset), uint32(is.Origin.Length), is.Fields
			if err := c.take(&r); err != nil {
				return err
			}
		}
		progress()
		return c.sets.Flush()
	})
}

// A document that is read on the way to its record has in place of its origin the number of its file, and its line.
func placed(file, line int) document.Origin {
	return document.Origin{Offset: int64(file), Length: int64(line)}
}

// errOneText is returned if standard input is a single text, which has no duplicates: it is more likely damaged.
var errOneText = errors.New("standard input is read as one text, of which nothing is removed: name its format, such as --format jsonl or lines")

// batchDocuments is how many documents are analysed together.
const batchDocuments = 512

// digest identifies a text.
func digest(text []byte) uint64 { return murmur3.Sum64(text) }

// describes makes r the record of a document that is compared as a whole.
func (c *Collection) describes(r *docRecord, is analysis.Result, digest uint64) {
	is = c.compared(is)
	r.id, r.length, r.digest = is.ID, uint32(min(int64(len(is.Text))+is.Picture.Bytes, 1<<32-1)), digest
	r.units = append(r.units[:0], unit{kind: whole, digest: is.Digest, size: uint32(len(is.Set)), set: is.Set})
	if len(is.Set) == 0 {
		r.units[0] = unit{}
	}
}

// take remembers a document.
func (c *Collection) take(r *docRecord) error {
	if len(c.lengths) == maxDocuments {
		return fmt.Errorf("more than %d documents", maxDocuments)
	}
	if err := c.keys.take(r.value, r.line, int(r.file) < c.refs); err != nil {
		return err
	}
	c.lengths, c.digests = append(c.lengths, r.length), append(c.digests, r.digest)
	c.ids = append(c.ids, r.id...)
	c.idEnds = append(c.idEnds, uint64(len(c.ids)))
	c.counts[r.file]++
	c.file = r.file
	if c.spans != nil {
		if err := c.takeSpans(r.units); err != nil {
			return err
		}
	} else {
		for _, u := range r.units { // one, or none if the sets are known
			c.of = append(c.of, c.setOf(u))
		}
	}
	if c.journal != nil {
		c.journal.note(r)
	}
	return nil
}

// setOf returns the set of a document.
func (c *Collection) setOf(u unit) uint32 {
	if u.size == 0 {
		return noSet
	}
	set, ok := c.known[u.digest]
	if !ok {
		set = c.add(u)
		c.known[u.digest] = set
	}
	return set
}

// add adds a set.
func (c *Collection) add(u unit) (set uint32) {
	c.sizes = append(c.sizes, u.size)
	c.features += uint64(u.size)
	c.sets.Add(u.set)
	return uint32(len(c.sizes) - 1)
}

// counted yields the documents of the files of p, which are those from first on, with their places and with what Options.Keep
// compares. It counts the bad ones.
func (c *Collection) counted(p pass, first int) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		file := 0
		find := func(path string) int {
			for i := file; i < len(p.files); i++ {
				if p.files[i].Path == path {
					file = i
					break
				}
			}
			return first + file
		}
		for doc, err := range p.r.Documents() {
			if b := (*corpus.BadError)(nil); errors.As(err, &b) && !errors.Is(err, context.Canceled) {
				if len(p.files) > 0 { // else a list names no file
					c.mu.Lock()
					c.bad[find(b.Path)]++
					c.mu.Unlock()
				}
				if c.o.Bad != nil {
					c.o.Bad(b)
				}
				continue
			}
			if err == nil {
				err = c.checkRead(p, doc)
			}
			if err == nil {
				doc.Origin, doc.Fields = placed(find(doc.Source), doc.Line), nil
				if c.keys != nil && !p.reference {
					doc.Fields = c.keys.value(p.r)
				}
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// checkRead returns an error unless the file of a document has a format that can be written as the options ask for.
func (c *Collection) checkRead(p pass, doc *document.Document) error {
	if p.reference {
		return nil
	}
	layout, format := p.r.Layout(), p.r.Format()
	switch {
	case c.o.Annotate && !layout.HasFields():
		return fmt.Errorf("%w: %s is read as %s", rewrite.ErrFields, doc.Source, format)
	case c.spans != nil && !rewrite.ReplacesText(layout):
		return fmt.Errorf("%w: %s is read as %s", ErrText, doc.Source, format)
	case c.keys != nil:
		return checkFields(doc.Source, format)
	}
	return nil
}

// checkFields returns an error if documents of a format have no fields. A file without documents has no format.
func checkFields(path string, format corpus.Format) error {
	if format.HasFields() {
		return nil
	}
	return fmt.Errorf("%w: %s is read as %s", corpus.ErrFields, path, format)
}

// unread yields the documents of the files of p, which are those from first on, that no part of the journal has. Those of the last file
// that has been begun are compared with what is known of them; the error is errAnew if they differ.
func (c *Collection) unread(p pass, first int, documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	last := int(c.file)
	if len(c.lengths) == 0 || last < first {
		return documents
	}
	if last >= first+len(p.files) {
		p.r.Skip(len(p.files))
		return documents
	}
	p.r.Skip(last - first)
	end := len(c.lengths)
	next := end - int(c.counts[last])
	c.bad[last] = 0
	path := c.files[last].Path
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil && next < end {
				if doc.Source != path || !c.isDocument(uint32(next), doc) {
					yield(nil, fmt.Errorf("%s: %w", path, errAnew))
					return
				}
				next++
				continue
			}
			if !yield(doc, err) {
				return
			}
		}
		if next < end {
			yield(nil, fmt.Errorf("%s: %w", path, errAnew))
		}
	}
}

// isDocument reports whether a document is the one that has been read under a number.
func (c *Collection) isDocument(at uint32, doc *document.Document) bool {
	return c.digests[at] == digestOf(doc) && string(c.id(at)) == string(doc.ID)
}

// id returns the id of a document.
func (c *Collection) id(doc uint32) []byte {
	from := uint64(0)
	if doc > 0 {
		from = c.idEnds[doc-1]
	}
	return c.ids[from:c.idEnds[doc]]
}
