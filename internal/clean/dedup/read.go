package dedup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/spill"
	"simsearch/internal/index"
	"simsearch/internal/index/store"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/setjoin"
	"simsearch/internal/quality/explain"
)

// A Collection is the units of some files, documents or with Options.By parts of their texts, as far as decisions
// need them: in memory their ids and 24 bytes for each document, 8 more if Options.Keep has a field, 8 for each part,
// and 52 for each distinct unit; beyond 64 MiB the features of these in a temporary file or in Options.State. The
// files must not change until Decisions.Write has read them again.
//
// Distinct are units that are not equal: documents by their sets of features, and parts by their words in order. They
// are called sets. One that is near no other has a feature of its own. Of very many rows of fingerprints, only those
// that equal or are near another one are there.
type Collection struct {
	documents
	Analysis *analysis.Analysis // of all texts
	Dir      *publish.Dir       // of the result, from its opening on
	known    digestSets         // the sets, while reading
	Sizes    []uint32           // of each
	features uint64             // of all
	sets     Store
	adds     adder // the same, while sets are added
	digests  bool  // Options.byDigests: there are no sets

	shortSets []uint32 // parts of too few words to be cut, ascending

	Codes    spill.Bytes   // of the sets, once they are compared
	openings *setjoin.Keys // of those that have been read, with Options.Copy

	estimator warnings.Reading
	estimated bool // no estimate is to be told any more

	ignored     analysis.Digest // of the file of Options.Ignore
	Boilerplate boilerplate

	to    disk.FS // what is written to: the directory of the result, or another one
	files Files   // what is left out, when all is decided, and what is damaged; guarded by mu

	// With Options.State:
	run           savedRun
	log           *log
	allRead       bool       // by an interrupted run
	stored        *stored    // the sets in parts that stay, once all have been read; or nil
	kept          int        // such parts
	documentsKept int        // in them
	earlier       *earlier   // what is known from an earlier result, or nil
	place         []uint32   // where each document is in its parts and in the new one, if there is one
	Near          *NearPairs // the near pairs of sets, if they are known
	nearOfOwn     bool       // Near has no pairs of two sets of the reference
}

// Read reads the documents of inputs, which are files, directories or "-" for standard input, as corpus.Open does,
// in this order. Documents near one of refs, which are inputs, too, are going to be removed. The caller closes the
// Collection. The error is that of corpus.Open, of the file system, of reading, or the cause of ctx.
func Read(ctx context.Context, refs, inputs []string, o Options) (_ *Collection, err error) {
	o.Corpus.Context, o.Corpus.Raw = ctx, false
	a, err := o.prepare()
	if err != nil {
		return nil, err
	}
	if err := checkFields("all", o.Corpus.Format); o.Keep.Way.hasField() && err != nil {
		return nil, err
	}
	if o.By != Documents {
		if err := checkParts(refs, o); err != nil {
			return nil, err
		}
	}
	c := newCollection(refs, inputs, o)
	ignored, digest, err := readIgnored(ctx, a, o.Ignore)
	c.ignored = digest
	if err == nil {
		err = c.begin()
	}
	if c.Analysis = a; err == nil {
		err = c.readAll(ctx, a)
	}
	if errors.Is(err, errAnew) { // what has been read is of no use
		c.tell(fmt.Sprintf("%s has an interrupted run, and %v: all begins anew", o.State, err))
		if err := errors.Join(c.log.wait(), c.Dir.Clear(), c.Close()); err != nil {
			return nil, err
		}
		return Read(ctx, refs, inputs, o)
	}
	field := (*corpus.FieldError)(nil)
	if errors.As(err, &field) && field.Option == "TextField" && c.isReference(field.Path) {
		field.Option = "AgainstField"
	}
	return c.whenRead(ctx, err, ignored)
}

// whenRead ends the reading, if err is nil, and leaves out what is ignored. After an error, it closes the Collection.
func (c *Collection) whenRead(ctx context.Context, err error, ignored []uint64) (*Collection, error) {
	if err == nil {
		err = c.end(ctx)
	}
	if err == nil {
		err = c.Boilerplate.leaveOut(ctx, c, ignored)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func newCollection(refs, inputs []string, o Options) *Collection {
	c := &Collection{known: newDigestSets()}
	c.addTo(&spill.Lists{Bytes: spill.NewBytes(o.FS, o.Temp, o.holds())})
	c.Options, c.refInputs, c.inputs, c.digests = o, refs, inputs, o.byDigests()
	if o.Copy > 0 {
		c.openings = c.newOpenings()
	}
	if o.By != Documents {
		c.Ends = []uint32{}
	}
	return c
}

// addTo makes to have the sets.
func (c *Collection) addTo(to adder) { c.sets, c.adds = to, to }

// Of returns the Collection of documents that are not read from files, to decide on them. It cannot be written. Of o
// it uses Settings, Threshold, Distance, Contained, MaxDF, Chain, Keep by Longest or First, Threads, Memory, FS and
// Temp. The caller closes the Collection. The error is that of the iterator, of the options, of the file system, or
// the cause of ctx.
func Of(ctx context.Context, documents iter.Seq2[*document.Document, error], o Options) (_ *Collection, err error) {
	if o.Keep.Way.hasField() {
		return nil, fmt.Errorf("documents that are not read from files have no field to keep by: %s", o.Keep)
	}
	o.Corpus, o.State, o.By = corpus.Options{}, "", Documents
	a, err := o.prepare()
	if err != nil {
		return nil, err
	}
	c := newCollection(nil, nil, o)
	c.Analysis = a
	c.counts = []uint32{0}
	err = c.takeUp(ctx, a, func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				doc.Origin, doc.Fields = document.Origin{}, nil
			}
			if !yield(doc, err) {
				return
			}
		}
	}, func() error { return nil })
	return c.whenRead(ctx, err, nil)
}

// end ends the reading.
func (c *Collection) end(ctx context.Context) error {
	if c.Options.Share.Of == 0 { // else other shares may have what this one lacks
		if err := c.Keys.End(); err != nil {
			return err
		}
	}
	if c.Options.keeps() {
		c.documentsKept = len(c.Lengths)
		if err := c.keep(ctx); err != nil {
			return err
		}
	}
	c.known = digestSets{}
	c.begins()
	return c.ownNear(ctx)
}

// readAll reads what has not been read by an interrupted run. The error is errAnew if that has read something else.
func (c *Collection) readAll(ctx context.Context, a *analysis.Analysis) error {
	if c.Options.State != "" {
		if err := c.open(ctx); err != nil || c.allRead {
			return err
		}
	}
	if err := c.newEstimator(); err != nil {
		return err
	}
	c.estimated = c.estimated || len(c.Lengths) > 0 || c.earlier != nil
	c.Options.Next(run.Reading)
	if c.hasSomeRows() {
		return c.readRows(ctx)
	}
	from := 0
	for _, p := range c.Passes {
		if !p.Reference {
			if err := c.readIndexes(ctx); err != nil {
				return err
			}
			from = c.Refs
		}
		if err := c.read(ctx, a, p, from); err != nil {
			return err
		}
		from += len(p.files)
	}
	if err := c.expect(len(c.Lengths), true); err != nil || c.log == nil {
		return err
	}
	return c.log.wait()
}

// Close removes the temporary files. What Options.State has stays if Write has not ended.
func (c *Collection) Close() error {
	errs := []error{c.sets.Close(), c.Codes.Close()}
	if c.openings != nil {
		errs = append(errs, c.openings.Close())
	}
	if c.Dir != nil { // if nothing is there that another run could use, it is as it was
		errs = append(errs, c.Dir.Close())
	}
	for _, p := range c.Passes {
		errs = append(errs, p.Reader.Close())
	}
	for _, ix := range c.Indexes {
		errs = append(errs, ix.Close())
	}
	c.Passes, c.Indexes, c.Dir = nil, nil, nil
	return errors.Join(errs...)
}

// read reads the documents of the files of p, which are those from first on.
func (c *Collection) read(ctx context.Context, a *analysis.Analysis, p pass, first int) (err error) {
	r := p.Reader
	if !p.Reference && c.Options.Share.Of > 0 {
		from, to := c.Options.Share.Files(p.files)
		r.Skip(from)
		r.Stop(to - from)
	}
	documents := c.unread(p, first, c.counted(p, first))
	progress := func() error {
		c.Options.Did(r.Progress())
		return c.expect(len(c.Lengths), false)
	}
	if err := c.takeUp(ctx, a, documents, progress); err != nil {
		return err
	}
	if name, once := r.Once(); once && name == corpus.Stdin.Path {
		if r.Format() == corpus.Text && c.counts[first] == 1 {
			return errOneText
		}
		_, err = c.Options.Corpus.Stdin.(io.Seeker).Seek(0, io.SeekStart)
	}
	return err
}

// errOneText is returned if standard input is a single text, which has no duplicates: it is more likely damaged.
var errOneText = errors.New("standard input is read as one text, of which nothing is removed: name its format, such as --format jsonl or lines")

// batchDocuments is how many documents are analysed together.
const batchDocuments = 512

// takeUp takes up documents with their sets, or with the parts of their texts.
func (c *Collection) takeUp(
	ctx context.Context, a *analysis.Analysis, documents iter.Seq2[*document.Document, error], progress func() error,
) error {
	take := func(_ *analysis.Batch, records []docRecord) (err error) {
		for i := range records {
			if err = c.take(&records[i]); err == nil && c.Ends != nil { // of these, there are more in a batch
				err = c.adds.Flush()
			}
			if err != nil {
				return err
			}
		}
		err = c.adds.Flush()
		if c.openings != nil {
			err = errors.Join(err, c.openings.Flush())
		}
		return errors.Join(progress(), err)
	}
	if c.Ends != nil {
		return analysis.Texts(ctx, documents, c.Options.Threads, func(_ context.Context, b *analysis.Batch) ([]docRecord, error) {
			return c.Options.divide(a, b), nil
		}, take)
	}
	return analysis.Each(ctx, a, documents, c.Options.Threads, func() int { return batchDocuments }, c.describeAll, take)
}

// describeAll returns the records of documents that are compared as a whole.
func (c *Collection) describeAll(_ context.Context, b *analysis.Batch) ([]docRecord, error) {
	records := make([]docRecord, b.Len())
	for i := range records {
		is, r := b.Result(i), &records[i]
		switch {
		case !is.Given:
			c.describes(r, is, digest(is.Text))
		case c.Options.ByDistance():
			c.describes(r, is, digestOf(&is.Document))
		default:
			return nil, fmt.Errorf("%s is a fingerprint, which has no words to compare: give --k, such as --k 3", is.ID)
		}
		if r.isAt(is.Origin, is.Fields); c.Options.Share.Of > 0 {
			r.facts = explain.FactsOf(is.Text)
		}
		if c.openings != nil {
			r.units[0].openings = judge.AppendOpenings(nil, is.Text)
		}
	}
	return records, nil
}

// describes makes r the record of a document that is compared as a whole.
func (c *Collection) describes(r *docRecord, is analysis.Result, digest uint64) {
	is = c.Options.compared(is)
	r.id, r.length, r.digest = is.ID, uint32(min(int64(len(is.Text))+is.Picture.Bytes, 1<<32-1)), digest
	of := is.Digest
	if c.Options.byTexts() {
		of = ofText(of, digest)
	}
	r.units = append(r.units[:0], unit{digest: of, set: is.Set})
}

// readIndexes reads the documents of the indexes that have not been read. Of their texts nothing is known, so
// that no document has the same. Fingerprints that were ready-made are known.
func (c *Collection) readIndexes(ctx context.Context) error {
	var r docRecord
	var set []uint64
	for i, ix := range c.Indexes {
		file := uint32(c.Refs - len(c.Indexes) + i)
		if file < c.file || c.isKnown(c.Files[file].Path) {
			continue
		}
		for doc := c.counts[file]; doc < uint32(ix.Len()); doc++ {
			if doc%batchDocuments == 0 {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := c.adds.Flush(); err != nil {
					return err
				}
			}
			id, err := ix.ID(doc)
			if err != nil {
				return err
			}
			is, known, opening := analysis.Result{Document: document.Document{ID: id}}, uint64(0), []uint32(nil)
			if c.Options.ByDistance() {
				var fp document.Long
				fp, is.HasFingerprint, err = ix.Long(doc)
				is.Fingerprint, is.More = fp.Parts()
				if ix.Input().Holds == store.Fingerprints && is.HasFingerprint {
					known = digestOf64(is.Fingerprint, is.More)
				}
			} else {
				set, is.Digest, err = ix.AppendSet(set[:0], doc)
				is.Set = set
			}
			if c.Options.byTexts() && err == nil { // texts with equal sets are told apart
				var text string
				if text, err = ix.Text(doc, nil); err == nil {
					known, opening = digest([]byte(text)), judge.AppendOpenings(opening[:0], []byte(text))
				} else if errors.Is(err, index.ErrNoText) && c.openings != nil {
					err = errNoText(string(id))
				} else if errors.Is(err, index.ErrNoText) { // who wants the text says so
					err = nil
				}
			}
			if err != nil {
				return err
			}
			c.describes(&r, is, known)
			r.file, r.units[0].openings = file, opening
			if err := c.take(&r); err != nil {
				return err
			}
		}
		if err := ix.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

var errTooMany = fmt.Errorf("more than %d documents, lines or paragraphs", maxDocuments)

// take remembers a document.
func (c *Collection) take(r *docRecord) error {
	if len(c.Lengths) == maxDocuments || len(c.SetOf)+len(r.units) > maxDocuments {
		return errTooMany
	}
	if err := c.Keys.Take(r.value, r.line, int(r.file) < c.Refs); err != nil {
		return err
	}
	c.Lengths, c.Digests = append(c.Lengths, r.length), append(c.Digests, r.digest)
	c.offsets, c.spans = append(c.offsets, r.offset), append(c.spans, r.span)
	if c.Options.Share.Of > 0 {
		c.Facts = append(c.Facts, r.facts)
	}
	c.IDs = append(c.IDs, r.id...)
	c.IDEnds = append(c.IDEnds, uint64(len(c.IDs)))
	c.counts[r.file]++
	c.file = r.file
	for _, u := range r.units {
		c.SetOf = append(c.SetOf, c.setOf(u))
	}
	if c.Ends != nil {
		c.Ends = append(c.Ends, uint32(len(c.SetOf)))
	}
	if c.log != nil {
		c.log.bytes += warnings.BytesPerDocument + len(r.id) + 4*len(r.units)
	}
	return nil
}

// setOf returns the set of a unit.
func (c *Collection) setOf(u unit) uint32 {
	if len(u.set) == 0 {
		return NoSet
	}
	set, ok := c.known.of(u.digest)
	if !ok {
		set = uint32(len(c.Sizes))
		c.known.add(u.digest, set)
		c.Sizes = append(c.Sizes, uint32(len(u.set)))
		c.features += uint64(len(u.set))
		if u.short {
			c.shortSets = append(c.shortSets, set)
		}
		if c.log != nil {
			c.log.digests = append(c.log.digests, u.digest[:]...)
		}
		if !c.digests { // else they are not compared
			c.adds.Add(u.set)
		}
		if c.openings != nil {
			c.openings.Add(u.openings)
		}
	}
	return set
}

// knownSets has sets by their digests. Those of parts, of which there are many more, have one word and take half of
// the memory.
type digestSets struct {
	ofParts map[uint64]uint32
	others  map[analysis.Digest]uint32
}

func newDigestSets() digestSets { return digestSets{map[uint64]uint32{}, map[analysis.Digest]uint32{}} }

func (k digestSets) of(digest analysis.Digest) (set uint32, ok bool) {
	if digest[1] == 0 {
		set, ok = k.ofParts[digest[0]]
	} else {
		set, ok = k.others[digest]
	}
	return set, ok
}

// digests returns the digests of all sets, two words each.
func (k digestSets) digests() []uint64 {
	all := make([]uint64, 2*(len(k.ofParts)+len(k.others)))
	for digest, set := range k.ofParts { // of a fingerprint, too, the second word is 0
		all[2*set] = digest
	}
	for digest, set := range k.others {
		all[2*set], all[2*set+1] = digest[0], digest[1]
	}
	return all
}

func (k digestSets) add(digest analysis.Digest, set uint32) {
	if digest[1] == 0 {
		k.ofParts[digest[0]] = set
	} else {
		k.others[digest] = set
	}
}

// eachSet calls do with each set.
func (c *Collection) eachSet(ctx context.Context, do func(set uint32, features []uint64) error) error {
	return c.scan(ctx, c.sets, c.Sizes, do)
}

func (c *Collection) scan(ctx context.Context, sets Store, sizes []uint32, do func(set uint32, features []uint64) error) error {
	return sets.Scan(lengthsOf(sizes), func(set int, features []uint64) error {
		if set%batchDocuments == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			c.Options.DidParts(set, len(sizes))
		}
		return do(uint32(set), features)
	})
}

// A docRecord is what is remembered of a document when it has been read.
type docRecord struct {
	file, line uint32 // where it was read; the line is 0 if it is the whole file
	offset     uint64 // where it lies there
	span       uint32 // how long it is; the largest number if it is longer
	id         []byte
	length     uint32 // of the text, or of the file of a picture, in bytes
	digest     uint64 // see digestOf
	value      []byte // of the field of Options.Keep
	units      []unit
	facts      explain.Facts // with Options.Share
}

// isAt says where a document lies. Before the value of its key, fields have the numbers of its file and its line.
func (r *docRecord) isAt(at document.Origin, fields []byte) {
	r.offset, r.span = uint64(at.Offset), uint32(min(at.Length, 1<<32-1))
	if r.file, r.line, r.value = 0, 0, nil; len(fields) >= 8 {
		r.file, r.line, r.value = binary.LittleEndian.Uint32(fields), binary.LittleEndian.Uint32(fields[4:]), fields[8:]
	}
}

// A unit is what is compared with others: a document, or a part of its text. It has a set of features, unless it is
// near nothing.
type unit struct {
	short bool // it is a part of too few words to be cut
	// digest is that of the set of a document. Of a part, it is the key of its words in their order, and its second
	// word is 0.
	digest   analysis.Digest
	set      []uint64 // nil if there is nothing to compare
	openings []uint32 // with Options.Copy
}

// ComparedSets are a prefix.Source of the n sets.
type comparedSets struct {
	c *Collection
	n int
}

func (s comparedSets) Len() int { return s.n }

func (s comparedSets) Features() uint64 { return s.c.features }

func (s comparedSets) Scan(do func(features []uint64) error) error {
	return s.c.sets.Scan(lengthsOf(s.c.Sizes), func(_ int, features []uint64) error {
		return do(features)
	})
}
