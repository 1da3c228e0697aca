package dedup

import (
	"context"

	"simsearch/internal/join"
	"simsearch/internal/spill"
	"simsearch/prefix"
	"simsearch/section"
)

// A relation says how near the distinct sets of a Collection are, which are known by their numbers. The documents that have one
// are equal to it.
type relation interface {
	join.Relation
	// nearness returns the similarity of a set with another one, in [0, 1], and the share of it that the other one has.
	nearness(set, other uint32) (similarity, inside float64, err error)
	// write writes sections from which the sets can be compared again: some of them whole.
	write(w *section.Writer, some func(set uint32) bool) error
}

// collect returns the relation of the distinct sets. progress may be nil.
func (c *Collection) collect(ctx context.Context, progress func(done, all int64)) (relation, error) {
	if c.restored != nil {
		return c.restored, nil
	}
	if c.o.byDistance() {
		return c.collectFingerprints(ctx)
	}
	return c.code(ctx, c.all(), progress)
}

// code codes sets, so that they can be compared.
func (c *Collection) code(ctx context.Context, sets distinctSets, progress func(done, all int64)) (relation, error) {
	if err := c.codes.Close(); err != nil {
		return nil, err
	}
	c.codes = spill.NewBytes(c.o.FS, c.o.Temp, c.o.holds())
	coded, err := prefix.Collect(ctx, sets, c.o.Threshold, prefix.Options{Threads: c.o.Threads, Memory: c.o.Memory / 4, PairsOnly: true, Codes: &c.codes, Progress: progress})
	if err != nil {
		return nil, err
	}
	return c.relationOf(coded), nil
}

// relationOf returns the relation of sets that have been coded.
func (c *Collection) relationOf(coded *prefix.Sets) relation {
	return &similarSets{join.Sets{Sets: coded, Contained: c.o.Contained, Memory: c.o.Memory / 8}}
}

// load returns the relation of n sets that a relation has written.
func (c *Collection) load(f *section.File, n int) (relation, error) {
	if c.o.byDistance() {
		return loadFingerprints(f, n)
	}
	coded, err := prefix.LoadSome(f, uint64(n))
	if err != nil {
		return nil, err
	}
	return c.relationOf(coded), nil
}

// all returns the distinct sets as a prefix.Source.
func (c *Collection) all() distinctSets {
	return distinctSets{c: c, n: len(c.sizes), features: c.features}
}

// eachSet calls do with each distinct set. pass is how often it was called before, of all times.
func (c *Collection) eachSet(ctx context.Context, pass, times int, do func(set uint32, features []uint64)) error {
	set := uint32(0)
	return c.all().Scan(func(features []uint64) error {
		if set%batchDocuments == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			c.progress(pass*len(c.sizes)+int(set), times*len(c.sizes))
		}
		do(set, features)
		set++
		return nil
	})
}

// similarSets are near by the Jaccard similarity of their features.
type similarSets struct{ join.Sets }

func (s *similarSets) nearness(set, other uint32) (similarity, inside float64, err error) {
	shared, a, b, err := s.Shared(set, other)
	return float64(shared) / float64(a+b-shared), float64(shared) / float64(a), err
}

func (s *similarSets) write(w *section.Writer, some func(set uint32) bool) error {
	return s.WriteSome(w, some)
}

// distinctSets are a prefix.Source of the distinct sets, or of those that it is not without.
type distinctSets struct {
	c        *Collection
	n        int
	features uint64
	without  func(set int) bool // or nil
}

func (d distinctSets) Len() int { return d.n }

func (d distinctSets) Features() uint64 { return d.features }

func (d distinctSets) Scan(do func(features []uint64) error) error {
	return d.c.sets.Scan(lengthsOf(d.c.sizes), func(set int, features []uint64) error {
		if d.without != nil && d.without(set) {
			return nil
		}
		return do(features)
	})
}

// nearFingerprints are near by their distance.
type nearFingerprints struct{ *join.Fingerprints }

// collectFingerprints returns the relation of the fingerprints.
func (c *Collection) collectFingerprints(ctx context.Context) (relation, error) {
	all := make([]uint64, 0, len(c.sizes))
	err := c.eachSet(ctx, 0, 1, func(_ uint32, one []uint64) { all = append(all, one[0]) })
	if err != nil {
		return nil, err
	}
	return nearFingerprints{join.NewFingerprints(all)}, nil
}

func (f nearFingerprints) nearness(set, other uint32) (similarity, inside float64, err error) {
	return join.SimilarityAt(f.Distance(set, other)), 0, nil
}

const secFingerprints = "fingerprints"

func (f nearFingerprints) write(w *section.Writer, _ func(set uint32) bool) error {
	w.Begin(secFingerprints)
	w.Uint64s(f.All())
	return nil
}

// loadFingerprints returns the n fingerprints that nearFingerprints has written.
func loadFingerprints(f *section.File, n int) (relation, error) {
	all, err := f.Uint64s(secFingerprints, uint64(n))
	if err != nil {
		return nil, err
	}
	known := make(map[uint64]bool, n)
	for i, x := range all {
		if known[x] {
			return nil, f.Corruptf(secFingerprints, 8*uint64(i), "fingerprint %016x stands there twice", x)
		}
		known[x] = true
	}
	return nearFingerprints{join.NewFingerprints(all)}, nil
}
