package prefix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// Options say how sets are collected. They do not change what is found.
type Options struct {
	Threads int
	// Memory is about how many bytes counting the features takes, and then sorting the first ones. 0 is 256 MiB.
	Memory int64
	// NoPostings writes sets for LoadCoded alone.
	NoPostings bool
	// Disk, if not nil, has temporary files for first features beyond 64 MiB, in Dir or, if that is empty, in the
	// directory of the system.
	Disk disk.FS
	Dir  string
	// Codes, if not nil, keeps the codes of the sets that are collected, instead of memory. The caller closes it
	// after the last use of the Sets.
	Codes *spill.Bytes
	// Progress, if not nil, is told how far the work is, in features, from several goroutines. It may be told less than
	// before by a bit.
	Progress func(done, all int64)

	mostEntries int // for tests: in place of maxEntries
	learnSets   int // and of the constant
}

// A Source yields the sets that a collection is made of.
type Source interface {
	// Len returns the number of sets, less than 1<<32.
	Len() int
	Scanned
}

// lookEvery is the number of sets between two checks whether the context is done.
const lookEvery = 1 << 10

// golden spreads hashes over slots, whatever bits of them are equal.
const golden = 0x9e3779b97f4a7c15

const defaultMemory = 256 << 20

// Collect returns the sets of src for joins: for Shared, Size, Features and AppendShape only. They have no postings
// and no vocabulary. They take a little more than a byte a feature that several sets have, and nothing for others.
// The error is that of src or of ctx.
func Collect(ctx context.Context, src Source, o Options) (*Sets, error) {
	codes := o.Codes
	if codes == nil {
		codes = &spill.Bytes{}
		*codes = spill.NewBytes(nil, "", math.MaxInt)
	}
	var ends []uint64
	sum := uint64(0)
	take := func(code []byte, to []int) error {
		for _, end := range to {
			ends = append(ends, sum+uint64(end))
		}
		sum += uint64(len(code))
		codes.Add(bytes.Clone(code)) // without the memory that it does not use
		return codes.Flush()
	}
	ranks, err := codePairs(ctx, src, o.Threads, cmp.Or(o.Memory, defaultMemory), o.Progress, take)
	if err != nil {
		return nil, err
	}
	coded, err := codes.Map()
	if err != nil {
		return nil, err
	}
	return &Sets{ranks: ranks, pairsOnly: true, postings: &Postings{}, ends: section.Checked(ends), coded: section.Checked(coded)}, nil
}

// draftsOf returns the sets of src.
func draftsOf(src Source, o Options) (*Drafts, error) {
	d := NewDrafts(o.Disk, o.Dir, o.hold())
	d.learnSets = cmp.Or(o.learnSets, learnSets)
	return d, src.Scan(func(features []uint64) error {
		d.Add(features, nil)
		return d.Flush()
	})
}

// hold returns how many bytes are in memory that may be in a temporary file.
func (o *Options) hold() int {
	if o.Disk == nil {
		return math.MaxInt
	}
	return int(min(spill.Holds/4, cmp.Or(o.Memory, defaultMemory)/4))
}

// Write writes the sets of src, with postings for prefixes of threshold t in (0, 1], as sections of w, for Load. It
// does not hold the sets. w keeps the errors of writing.
func Write(ctx context.Context, w *section.Writer, src Source, t float64, o Options) (err error) {
	d, err := draftsOf(src, o)
	if err == nil {
		err = d.sets().Write(ctx, w, t, o)
	}
	return errors.Join(err, d.Close())
}

// Write writes the sets as sections of w, for Load, as the function Write does. Of o, it does not use Codes.
func (s *SomeDrafts) Write(ctx context.Context, w *section.Writer, t float64, o Options) (err error) {
	b, err := newBuilder(ctx, s, t, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	o.Memory = b.memory
	b.features, b.lists = newUnits(&o), newUnits(&o)
	w.Begin(secFeatures)
	w.Uint64s(b.vocabulary.Features())
	w.Uint64s(b.learnt)
	w.Begin(secCoded)
	if err := b.code(ctx, func(code []byte) error { _, _ = w.Write(code); return nil }); err != nil {
		return err
	}
	w.Begin(secEnds)
	w.Uint64s(b.codeEnds)
	if b.vocabulary, b.learnt = nil, nil; b.plain {
		return nil
	}
	postings, err := b.postings()
	if err != nil {
		return err
	}
	return postings.write(w, &b.inverter)
}

// errStopped ends a scan whose reader has stopped.
var errStopped = errors.New("stopped")

// A builder makes the parts of Sets.
type builder struct {
	src        *SomeDrafts
	threads    int
	progress   func(done, all int64) // or nil
	vocabulary *Vocabulary           // of what has not been learnt
	learnt     []uint64              // the feature of each rank that has been learnt, which come after those of vocabulary
	codeEnds   []uint64
	plain      bool // there are going to be no postings
	inverter
}

func newBuilder(ctx context.Context, src *SomeDrafts, t float64, o Options) (*builder, error) {
	o.Memory = cmp.Or(o.Memory, defaultMemory)
	var counting func(done, all int64)
	if o.Progress != nil { // counting is about half of the work
		counting = func(done, all int64) {
			o.Progress(int64(float64(done)/float64(max(1, all))*float64(src.features)), 2*int64(src.features))
		}
	}
	counts, err := Count(ctx, src, 1, o.Threads, o.Memory, counting)
	if err != nil {
		return nil, err
	}
	b := &builder{src: src, threads: o.Threads, progress: o.Progress, vocabulary: newVocabulary(counts), plain: o.NoPostings}
	if l := src.learnt.Load(); l != nil {
		b.learnt = l.Features()
		counts = append(counts, l.likely(src.n)...)
	}
	b.plan, b.rarity, b.most, b.memory = Plan{Threshold: t, Common: maxCommon}, newRarity(counts), o.mostEntries, o.Memory
	b.first = spill.Lists{Bytes: spill.NewBytes(o.Disk, o.Dir, o.hold())}
	return b, b.plan.check()
}

// chunkBytes is about how many bytes of drafts are coded by one goroutine at a time.
const chunkBytes = 1 << 18

// A chunk is some sets, one after the other.
type chunk struct {
	drafts []byte
	ends   []int

	features  int // of all, once they are coded
	code      []byte
	codeEnds  []int
	sizes     []uint32
	first     []uint64 // the first features of all sets
	firstEnds []int
}

// code calls take with the codes of the sets, in order, and keeps what the postings need.
func (b *builder) code(ctx context.Context, take func(code []byte) error) error {
	all, done := int64(b.src.features), int64(0)
	work := func(ctx context.Context, c *chunk) (*chunk, error) {
		err := b.codeChunk(c)
		c.drafts = nil
		return c, err
	}
	return parallel.Stream(ctx, b.threads, b.chunks(), work, func(c *chunk) error {
		from := uint64(0)
		if n := len(b.codeEnds); n > 0 {
			from = b.codeEnds[n-1]
		}
		for _, end := range c.codeEnds {
			b.codeEnds = append(b.codeEnds, from+uint64(end))
		}
		if err := b.inverter.add(c); err != nil {
			return err
		}
		if done += int64(c.features); b.progress != nil {
			b.progress(all+done, 2*all)
		}
		return take(c.code)
	})
}

// chunks yields all sets in chunks.
func (b *builder) chunks() func(yield func(*chunk, error) bool) {
	return func(yield func(*chunk, error) bool) {
		c := &chunk{}
		err := b.src.scan(func(code []byte) error {
			c.drafts = append(c.drafts, code...)
			c.ends = append(c.ends, len(c.drafts))
			if len(c.drafts) >= chunkBytes {
				if !yield(c, nil) {
					return errStopped
				}
				c = &chunk{drafts: make([]byte, 0, chunkBytes+chunkBytes/8)}
			}
			return nil
		})
		switch {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(nil, err)
		case len(c.ends) > 0:
			yield(c, nil)
		}
	}
}

// codeChunk codes the sets of a chunk, and copies their first features.
func (b *builder) codeChunk(c *chunk) error {
	var s View
	var first chooser
	var features []uint64
	var ranks []uint32
	c.code = make([]byte, 0, len(c.drafts)+len(c.drafts)/8)
	from := 0
	for _, end := range c.ends {
		d, err := readDraft(c.drafts[from:end])
		if err != nil {
			return err
		}
		from = end
		features = d.AppendRest(features[:0])
		b.vocabulary.See(&s, features)
		if c.code, err = d.AppendCoded(c.code, &s, b.vocabulary.Len()); err != nil {
			return err
		}
		c.codeEnds = append(c.codeEnds, len(c.code))
		if b.plain {
			c.features += d.Features
			continue
		}
		rest := len(features)
		if rest < d.Features {
			if features, err = d.AppendFirst(features, b.learnt, &ranks); err != nil {
				return err
			}
		}
		chosen := first.Choose(b.rarity, features, b.plan.stored(len(features), maxCommon), rest == len(features))
		c.features += len(features)
		c.sizes, c.first = append(c.sizes, uint32(len(features))), append(c.first, chosen...)
		c.firstEnds = append(c.firstEnds, len(c.first))
	}
	return nil
}
