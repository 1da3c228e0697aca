package join

import (
	"context"
	"errors"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/setjoin"
)

// Sets are the Relation of distinct sets of features. Their similarity is that of Jaccard.
type Sets struct {
	*prefix.Sets
	// Contained is that of setjoin.StarOptions. If it is not 0, sets are near that have this share of each other,
	// too. Then no pairs are listed, larger sets come before smaller ones, and components are those of contained sets
	// alone, at a similarity of 1.
	Contained float64
	Memory    int64          // of the lists of joins, about; 0 is 256 MiB
	Stats     *setjoin.Stats // if not nil, counts the work

	near *setjoin.List // if it is known: the near pairs, but for those of crowds
}

func (s *Sets) how(o Options) setjoin.Options {
	return setjoin.Options{Threads: o.Threads, Memory: s.Memory, Progress: o.Progress, Stats: s.Stats}
}

func (s *Sets) list(ctx context.Context, t float64, weights []uint32, o Options) (_ Relation, degrees []uint32, err error) {
	if s.Contained > 0 {
		if weights != nil {
			degrees, err = s.allSizes(ctx)
		}
		return s, degrees, err
	}
	near, err := setjoin.NearPairs(ctx, s.Sets, t, s.how(o))
	if err != nil {
		return nil, nil, err
	}
	if !near.Few() {
		if weights != nil {
			degrees, err = setjoin.Degrees(ctx, s.Sets, t, weights, s.how(o))
		}
		crowded := *s
		crowded.near = near
		return &crowded, degrees, err
	}
	l := &pairList{n: s.Len(), pairs: make([]nearPair, len(near.Pairs))}
	for i, p := range near.Pairs {
		a := s.Size(p.A)
		b := s.Size(p.B)
		l.pairs[i] = nearPair{p.A, p.B, float64(p.Shared) / float64(a+b-p.Shared)}
	}
	return l, l.degrees(weights), nil
}

func (s *Sets) stars(ctx context.Context, t float64, order []uint32, first int, o Options) ([]uint32, error) {
	how := setjoin.StarOptions{First: first, Contained: s.Contained, Class: o.class, Near: s.near}
	return setjoin.Stars(ctx, s.Sets, t, order, how, s.how(o))
}

func (s *Sets) connect(ctx context.Context, t float64, o Options, connected ints.DisjointSets) error {
	if s.Contained > 0 {
		return setjoin.ContainedComponents(ctx, s.Sets, s.Contained, s.how(o), connected)
	}
	return setjoin.Components(ctx, s.Sets, t, s.how(o), connected)
}

// allSizes returns the number of features of each set.
func (s *Sets) allSizes(ctx context.Context) ([]uint32, error) {
	sizes := make([]uint32, s.Len())
	for set := range uint32(len(sizes)) {
		if set%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		size := s.Size(set)
		sizes[set] = uint32(size)
	}
	return sizes, nil
}

// GroupSets divides documents into groups by a Jaccard similarity of their sets of at least t, in (0, 1], as
// Representatives does. A document without features represents itself. Beside that, it takes 16 bytes per document
// and what prefix takes. The error is that of s or of ctx.
func GroupSets(ctx context.Context, s Source, t float64, chain bool, o Options) ([]uint32, error) {
	return groupSets(ctx, s, &Sets{}, t, chain, o)
}

// GroupContained is GroupSets for sets of which the larger one has at least the share c, in (0, 1], of the smaller
// one. The largest sets come first: a group is a document with what is inside it.
func GroupContained(ctx context.Context, s Source, c float64, chain bool, o Options) ([]uint32, error) {
	return groupSets(ctx, s, &Sets{Contained: c}, 1, chain, o)
}

// groupSets divides documents into groups by the relation of their sets, which it completes.
func groupSets(ctx context.Context, s Source, sets *Sets, t float64, chain bool, o Options) (_ []uint32, err error) {
	d, err := newDistinct(ctx, s, false, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if sets.Sets, err = d.code(ctx, o); err != nil {
		return nil, err
	}
	sets.Memory, sets.Stats = 40*int64(o.PairsInMemory), &setjoin.Stats{}
	of, err := Representatives(ctx, sets, t, d.of, chain, o)
	if err == nil && o.Explain != nil {
		o.Explain(joinedBy(sets.Len(), false, sets.Stats))
	}
	return of, err
}
