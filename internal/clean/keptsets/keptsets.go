// Package keptsets keeps sets of features in files that one run leaves to the next, and finds which of them are near new ones.
//
//	err := keptsets.Write(ctx, fsys, "sets-01", nil, sets, keptsets.Options{Threads: 2})
//	kept, err := keptsets.Open(fsys, []string{"sets-01"}, 2)
//	pairs, err := kept.Near(ctx, 2, 0.8, 10, keptsets.Options{Threads: 2})
//
// A file is written once. What comes later goes to another file, which the vocabulary of the first one codes, too. So adding a few
// sets costs what these take, and nothing for those that are there.
package keptsets

import (
	"context"
	"errors"
	"iter"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/vocabulary"
)

// A Set is a set of features and its digest.
type Set struct {
	Digest   [2]uint64
	Features []uint64 // strictly ascending, and not empty
}

// Options say how the work is done. They do not change its result.
type Options struct {
	Threads int
	// Progress, if not nil, is told how many sets of how many have been compared.
	Progress func(done, all int)

	learnSets int // for tests: in place of the constant
}

// Names of the sections of a file.
const (
	secVocabulary = "vocabulary"   // the feature of each rank; in the first file only
	secLengths    = "sets.lengths" // the bytes of the code of each set
	secDigests    = "sets.digests" // two words each
	secCoded      = "sets.coded"
)

// learnSets is how many sets teach the vocabulary, or fewer with as many features together.
const learnSets, learnFeatures = 1 << 15, 1 << 22

// chunkFeatures is how many features one goroutine codes at a time.
const chunkFeatures = 1 << 16

// A chunk is some sets that are coded together.
type chunk struct {
	features []uint64
	ends     []int
	code     []byte
	lengths  []uint32
}

// Write writes sets to a new file, which appears complete or not at all. The features that several of the first sets have become its
// vocabulary, or those of the first file of like, unless that is nil. A Set is valid until the next one is asked for.
func Write(ctx context.Context, fsys disk.FS, path string, like *Sets, sets iter.Seq2[Set, error], o Options) error {
	file, err := disk.CreateAtomic(fsys, path)
	if err != nil {
		return err
	}
	w := section.NewWriter(file)
	err = write(ctx, w, like, sets, o)
	if _, _, failed := w.Close(); err != nil || failed != nil {
		file.Abort()
		return errors.Join(err, failed)
	}
	return file.Commit()
}

func write(ctx context.Context, w *section.Writer, like *Sets, sets iter.Seq2[Set, error], o Options) error {
	var digests []uint64
	var lengths []uint32
	next, stop := iter.Pull2(chunks(sets, &digests))
	defer stop()
	var first []*chunk // what is learnt from
	learn := o.learnSets
	if learn == 0 {
		learn = learnSets
	}
	for n, features := 0, 0; n < learn && features < learnFeatures; {
		c, err, ok := next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		first, n, features = append(first, c), n+len(c.ends), features+len(c.features)
	}
	w.Begin(secVocabulary)
	var v *vocabulary.Vocabulary
	if like != nil {
		v = vocabularyOf(like.features)
	} else {
		counts, err := vocabulary.Count(ctx, sample(first), 1, o.Threads, 1<<28, nil)
		if err != nil {
			return err
		}
		v = vocabulary.New(counts)
		w.Uint64s(v.Features())
	}
	all := func(yield func(*chunk, error) bool) {
		for _, c := range first {
			if !yield(c, nil) {
				return
			}
		}
		for c, err, ok := next(); ok && yield(c, err); c, err, ok = next() {
		}
	}
	w.Begin(secCoded)
	err := parallel.Stream(ctx, o.Threads, all, func(_ context.Context, c *chunk) (*chunk, error) {
		var view vocabulary.View
		from := 0
		for _, end := range c.ends {
			v.See(&view, c.features[from:end])
			at := len(c.code)
			c.code = vocabulary.AppendCoded(c.code, &view)
			c.lengths, from = append(c.lengths, uint32(len(c.code)-at)), end
		}
		c.features = nil
		return c, nil
	}, func(c *chunk) error {
		lengths = append(lengths, c.lengths...)
		_, err := w.Write(c.code)
		return err
	})
	w.Begin(secLengths)
	w.Uint32s(lengths)
	w.Begin(secDigests)
	w.Uint64s(digests)
	return err
}

// chunks yields copies of sets, some together, and appends their digests.
func chunks(sets iter.Seq2[Set, error], digests *[]uint64) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		c := &chunk{}
		for set, err := range sets {
			if err != nil {
				yield(nil, err)
				return
			}
			*digests = append(*digests, set.Digest[:]...)
			c.features = append(c.features, set.Features...)
			if c.ends = append(c.ends, len(c.features)); len(c.features) >= chunkFeatures {
				if !yield(c, nil) {
					return
				}
				c = &chunk{}
			}
		}
		if len(c.ends) > 0 {
			yield(c, nil)
		}
	}
}

// A sample is a vocabulary.Source.
type sample []*chunk

func (s sample) Len() (n int) {
	for _, c := range s {
		n += len(c.ends)
	}
	return n
}

func (s sample) Features() (n uint64) {
	for _, c := range s {
		n += uint64(len(c.features))
	}
	return n
}

func (s sample) Scan(do func(features []uint64) error) error {
	for _, c := range s {
		from := 0
		for _, end := range c.ends {
			if err := do(c.features[from:end]); err != nil {
				return err
			}
			from = end
		}
	}
	return nil
}

// vocabularyOf returns the vocabulary that has the given feature of each rank.
func vocabularyOf(features []uint64) *vocabulary.Vocabulary {
	counts := make([]vocabulary.Counted, len(features))
	for rank, f := range features {
		counts[rank] = vocabulary.Counted{Hash: f, Sets: uint32(rank)}
	}
	slices.SortFunc(counts, func(a, b vocabulary.Counted) int {
		if a.Hash < b.Hash {
			return -1
		}
		return 1
	})
	return vocabulary.New(counts)
}

// Sets are the sets of some files, one after the other, numbered from 0. They are safe for concurrent use.
type Sets struct {
	Files    []int // how many sets each file has
	features []uint64
	places   []place
	codes    [][]byte   // of each file
	digests  [][]uint64 // of each file
	maps     []*disk.Mapped
}

// A place is where the code of a set is.
type place struct {
	file uint32
	size uint32
	at   uint64
}

// Open opens files that Write has written, the first one without like, and the others with Sets of those before. It checks all of
// their checksums. The caller closes the Sets. The error is section.ErrCorrupt, or that of the file system.
func Open(fsys disk.FS, paths []string, threads int) (_ *Sets, err error) {
	s := &Sets{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, path := range paths {
		m, err := fsys.Map(path)
		if err != nil {
			return nil, err
		}
		s.maps = append(s.maps, m)
		if err := disk.Guarded(func() error { return s.take(path, m.Data(), threads) }); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// take takes up the next file.
func (s *Sets) take(path string, data []byte, threads int) error {
	f, err := section.Parse(path, data)
	if err == nil {
		err = f.VerifyBy(threads)
	}
	if err != nil {
		return err
	}
	file := uint32(len(s.Files))
	size := f.Size(secVocabulary)
	if file == 0 {
		s.features = f.Uint64s(secVocabulary, size/8)
	}
	bytes := f.Size(secLengths)
	n := bytes / 4
	lengths := f.Uint32s(secLengths, n)
	digests := f.Uint64s(secDigests, 2*n)
	coded := f.Bytes(secCoded)
	at := uint64(0)
	for _, length := range lengths {
		if at += uint64(length); length == 0 || at > uint64(len(coded)) {
			return f.Corruptf(secLengths, 0, "the codes of the sets end behind their section")
		}
	}
	if at != uint64(len(coded)) {
		return f.Corruptf(secLengths, 0, "the codes of the sets have %d bytes of %d", at, len(coded))
	}
	at = 0
	s.places = slices.Grow(s.places, len(lengths))
	s.codes = append(s.codes, coded)
	for _, length := range lengths {
		s.places = append(s.places, place{file, length, at})
		at += uint64(length)
	}
	s.Files, s.digests = append(s.Files, len(lengths)), append(s.digests, digests)
	return nil
}

// Close closes the files.
func (s *Sets) Close() (err error) {
	for _, m := range s.maps {
		err = errors.Join(err, m.Close())
	}
	*s = Sets{}
	return err
}

// Len returns the number of sets.
func (s *Sets) Len() int { return len(s.places) }

// EachDigest yields the digest of each set.
func (s *Sets) EachDigest(yield func(set uint32, digest [2]uint64) bool) {
	set := uint32(0)
	for _, digests := range s.digests {
		for i := 0; i < len(digests); i += 2 {
			if !yield(set, [2]uint64{digests[i], digests[i+1]}) {
				return
			}
			set++
		}
	}
}

// draft returns the code of a set.
func (s *Sets) draft(set uint32) vocabulary.Draft {
	p := s.places[set]
	d, err := vocabulary.ReadDraft(s.codes[p.file][p.at : p.at+uint64(p.size)])
	if err != nil {
		panic(errCoded)
	}
	return d
}

var errCoded = &section.CorruptError{Section: secCoded, Offset: -1, Reason: "a set is not coded as it should be"}

// A Scratch has memory for reading sets. It must not be used by several goroutines at once.
type Scratch struct {
	ranks []uint32
	keys  []uint64
	rest  []uint64
}

// Append appends the features of a set, ascending, and returns the extended slice.
func (s *Sets) Append(dst []uint64, set uint32, memory *Scratch) []uint64 {
	d := s.draft(set)
	from := len(dst)
	dst, err := d.AppendFirst(d.AppendRest(dst), s.features, &memory.ranks)
	if err != nil {
		panic(errCoded)
	}
	ints.SortFew(dst[from:], &memory.keys)
	return dst
}

// Size returns the number of features of a set.
func (s *Sets) Size(set uint32) int { return s.draft(set).Features }
