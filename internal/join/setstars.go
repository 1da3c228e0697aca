package join

import (
	"context"
	"errors"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/setjoin"
	"simsearch/prefix"
)

// Sets are the Relation of distinct sets of features. Their similarity is that of Jaccard.
type Sets struct {
	*prefix.Sets
	// Contained is that of setjoin.StarOptions. If it is not 0, pairs do not decide.
	Contained float64
	Memory    int64          // of the lists of joins, about; 0 is 256 MiB
	Stats     *setjoin.Stats // if not nil, counts the work
	// some returns some of the sets, collected anew. Without it, components compare all.
	some func(ctx context.Context, sets []uint32, t float64, o Options) (*prefix.Sets, error)
}

func (s *Sets) how(o Options) setjoin.Options {
	return setjoin.Options{Threads: o.Threads, Memory: s.Memory, Progress: o.Progress, Stats: s.Stats}
}

func (s *Sets) list(ctx context.Context, t float64, weights []uint32, o Options) (*pairList, []uint32, error) {
	if s.Contained > 0 {
		return nil, nil, nil
	}
	found, few, err := setjoin.Few(ctx, s.Sets, t, s.how(o))
	if err != nil {
		return nil, nil, err
	}
	if !few {
		if weights == nil {
			return nil, nil, nil
		}
		degrees, err := setjoin.Degrees(ctx, s.Sets, t, weights, s.how(o))
		return nil, degrees, err
	}
	l := &pairList{n: s.Len(), pairs: make([]nearPair, len(found))}
	for i, p := range found {
		a, err := s.Size(p.A)
		if err != nil {
			return nil, nil, err
		}
		b, err := s.Size(p.B)
		if err != nil {
			return nil, nil, err
		}
		l.pairs[i] = nearPair{p.A, p.B, float64(p.Shared) / float64(a+b-p.Shared)}
	}
	return l, l.degrees(weights), nil
}

func (s *Sets) stars(ctx context.Context, t float64, order []uint32, first int, o Options) ([]uint32, error) {
	stars, err := setjoin.Stars(ctx, s.Sets, t, order, setjoin.StarOptions{First: first, Contained: s.Contained}, s.how(o))
	of := make([]uint32, len(stars))
	for set, star := range stars {
		of[set] = star.Center
	}
	return of, err
}

func (s *Sets) connect(ctx context.Context, t float64, weights []uint32, o Options, union func(a, b uint32)) ([]uint32, error) {
	degrees := others(weights)
	near := func(a, b uint32) {
		if union(a, b); weights != nil {
			degrees[a] += weights[b]
			degrees[b] += weights[a]
		}
	}
	left, numbers := s.Sets, []uint32(nil)
	if s.some != nil {
		shapes, stands, err := connectShapes(ctx, s.Sets, t)
		if err != nil {
			return nil, err
		}
		for set, other := range stands {
			if other != uint32(set) {
				near(uint32(set), other)
			}
		}
		if len(shapes) < s.Len() {
			numbers = shapes
			if left, err = s.some(ctx, shapes, t, o); err != nil {
				return nil, err
			}
		}
	}
	err := setjoin.Pairs(ctx, left, t, s.how(o), func(pairs []setjoin.Pair) error {
		for _, p := range pairs {
			if numbers != nil {
				p.A, p.B = numbers[p.A], numbers[p.B]
			}
			near(p.A, p.B)
		}
		return nil
	})
	return degrees, err
}

// GroupSets divides documents into groups by a Jaccard similarity of their sets of at least t, in (0, 1], as
// Representatives does. A document without features represents itself. Beside that, it takes 16 bytes per document and what
// prefix takes. The error is that of s or of ctx.
func GroupSets(ctx context.Context, s Source, t float64, chain bool, o Options) (_ []uint32, err error) {
	d, err := newDistinct(ctx, o.onlySome(s))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	coded, err := d.code(ctx, t, o)
	if err != nil {
		return nil, err
	}
	sets := &Sets{Sets: coded, Memory: 40 * int64(o.PairsInMemory), Stats: &setjoin.Stats{}, some: d.codeSome}
	of, err := Representatives(ctx, sets, t, d.of, chain, o)
	if err == nil && o.Explain != nil {
		o.Explain(joinedBy(coded.Len(), sets.Stats))
	}
	return of, err
}

// connectShapes connects sets that differ only in features of their own, and are near, with the one of them that
// has the fewest. No connection is lost by leaving out the others: whatever is near one of them is at least as near
// that one, as it shares as much with it. It returns the sets that are left, and the one that stands for each set.
func connectShapes(ctx context.Context, sets *prefix.Sets, t float64) (left, stands []uint32, err error) {
	type fewest struct {
		set         uint32
		ranks, size int
	}
	known := map[[2]uint64]fewest{}
	keys := make([][2]uint64, sets.Len())
	sizes := make([]int, sets.Len())
	var shape []byte
	for set := range uint32(sets.Len()) {
		if set%lookEvery == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		var ranks, alone int
		if shape, ranks, alone, err = sets.AppendShape(shape[:0], set); err != nil {
			return nil, nil, err
		}
		key := &keys[set]
		key[0], key[1] = murmur3.Sum128(shape)
		sizes[set] = ranks + alone
		if f, ok := known[*key]; !ok || sizes[set] < f.size {
			known[*key] = fewest{set, ranks, sizes[set]}
		}
	}
	stands = make([]uint32, sets.Len())
	for set := range stands {
		f := known[keys[set]]
		if f.set != uint32(set) && prefix.Similar(f.ranks, sizes[set], f.size, t) {
			stands[set] = f.set
			continue
		}
		stands[set] = uint32(set)
		left = append(left, uint32(set))
	}
	return left, stands, nil
}
