package dedup

import (
	"context"

	"simsearch/internal/join"
	"simsearch/internal/spool"
	"simsearch/internal/unionfind"
	"simsearch/prefix"
	"simsearch/section"
)

// A relation says how near the distinct sets of a Collection are, which are known by their numbers. The documents that have one
// are equal to it.
type relation interface {
	// nearness returns the similarity of a set with another one, in [0, 1], and the share of it that the other one has.
	nearness(set, other uint32) (similarity, inside float64, err error)
	// few returns the pairs whose similarity is at least t, or nil if they are too many, or do not decide.
	few(ctx context.Context, t float64, how join.Options) (*join.Few, error)
	// stars returns the center of each set at similarity t, as join.Few.Stars does.
	stars(ctx context.Context, t float64, order []uint32, refs int, how join.Options) ([]uint32, error)
	// components returns the first set of order that near pairs connect with each, as join.Few.Components does.
	components(ctx context.Context, t float64, order []uint32, how join.Options) ([]uint32, error)
	// write writes sections from which the sets can be compared again: some of them whole.
	write(w *section.Writer, some func(set uint32) bool) error
}

// collect returns the relation of the distinct sets. progress may be nil.
func (c *Collection) collect(ctx context.Context, progress func(done, all int64)) (relation, error) {
	if c.coded != nil {
		return c.coded, nil
	}
	if c.o.byDistance() {
		return c.collectFingerprints(ctx)
	}
	if err := c.codes.Close(); err != nil {
		return nil, err
	}
	c.codes = spool.NewBytes(c.o.FS, c.o.Temp, spool.Holds)
	coded, err := prefix.Collect(ctx, distinctSets{c}, c.o.Threshold, prefix.Options{Threads: c.o.Threads, Memory: c.o.Memory / 4, PairsOnly: true, Codes: &c.codes, Progress: progress})
	if err != nil {
		return nil, err
	}
	return c.relationOf(coded), nil
}

// relationOf returns the relation of sets that have been coded.
func (c *Collection) relationOf(coded *prefix.Sets) relation {
	return &similarSets{coded, c.o.Contained, c.o.Memory / 8}
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

// similarSets are near by the Jaccard similarity of their features.
type similarSets struct {
	*prefix.Sets
	contained float64 // as in Options
	memory    int64   // of the lists of joins, about
}

func (s *similarSets) nearness(set, other uint32) (similarity, inside float64, err error) {
	shared, a, b, err := s.Shared(set, other)
	return float64(shared) / float64(a+b-shared), float64(shared) / float64(a), err
}

func (s *similarSets) few(ctx context.Context, t float64, how join.Options) (few *join.Few, err error) {
	if s.contained == 0 {
		few, _, err = join.FewPairs(ctx, s.Sets, t, s.pairOptions(how))
	}
	return few, err
}

func (s *similarSets) stars(ctx context.Context, t float64, order []uint32, refs int, how join.Options) (of []uint32, err error) {
	stars, err := s.allStars(ctx, t, order, refs, s.pairOptions(how))
	of = make([]uint32, len(stars))
	for set, s := range stars {
		of[set] = s.Center
	}
	return of, err
}

func (s *similarSets) allStars(ctx context.Context, t float64, order []uint32, refs int, how prefix.PairOptions) ([]prefix.Star, error) {
	if s.contained > 0 {
		return s.StarsContained(ctx, t, s.contained, order, refs, how)
	}
	return s.Stars(ctx, t, order, refs, how)
}

func (s *similarSets) components(ctx context.Context, t float64, order []uint32, how join.Options) ([]uint32, error) {
	place := make([]uint32, len(order))
	for i, set := range order {
		place[set] = uint32(i)
	}
	connected := unionfind.New(len(order))
	err := s.Pairs(ctx, t, s.pairOptions(how), func(pairs []prefix.Pair) error {
		for _, p := range pairs {
			connected.Union(place[p.A], place[p.B])
		}
		return nil
	})
	of := make([]uint32, len(order))
	for set := range of {
		of[set] = order[connected.Find(place[set])]
	}
	return of, err
}

func (s *similarSets) write(w *section.Writer, some func(set uint32) bool) error {
	return s.WriteSome(w, some)
}

// pairOptions are the options of package prefix.
func (s *similarSets) pairOptions(how join.Options) prefix.PairOptions {
	return prefix.PairOptions{Threads: how.Threads, Memory: s.memory, Progress: how.Progress}
}
