package join

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/unionfind"
	"simsearch/prefix"
)

// GroupSets divides documents into groups by a Jaccard similarity of their sets of at least t, in (0, 1], as
// Graph.Representatives does: it returns the representative of each document. Equal documents have the same. A
// document without features represents itself. GroupSets lists pairs only if they are few, so that a crowd of documents
// that are all near costs little. It takes 16 bytes per document and what prefix takes. The error is that of s or of ctx.
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
	how := prefix.PairOptions{Threads: o.Threads, Memory: 40 * int64(o.PairsInMemory), Progress: o.Progress, Stats: &prefix.PairStats{}}
	var of []uint32 // the representative of each set
	if chain {
		of, err = d.components(ctx, coded, t, o, how)
	} else {
		of, err = d.stars(ctx, coded, t, how)
	}
	if err != nil {
		return nil, err
	}
	if o.Explain != nil {
		o.Explain(joinedBy(coded.Len(), how.Stats))
	}
	groups := make([]uint32, len(d.of))
	for doc, set := range d.of {
		groups[doc] = uint32(doc)
		if set != NoSet {
			groups[doc] = of[set]
		}
	}
	return groups, nil
}

// stars returns the first document of the set that represents each set.
func (d *distinct) stars(ctx context.Context, coded *prefix.Sets, t float64, how prefix.PairOptions) ([]uint32, error) {
	firsts, weights := d.documents()
	few, ok, err := FewPairs(ctx, coded, t, how)
	if err != nil {
		return nil, err
	}
	var degrees []uint32
	if ok {
		degrees = few.degrees(weights)
	} else if degrees, err = coded.Degrees(ctx, t, weights, how); err != nil {
		return nil, err
	}
	order := make([]uint32, len(firsts))
	for set := range order {
		order[set] = uint32(set)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(degrees[b], degrees[a]), cmp.Compare(firsts[a], firsts[b]))
	})
	of := make([]uint32, len(order))
	if ok {
		of = few.Stars(order, 0, t)
	} else {
		stars, err := coded.Stars(ctx, t, order, 0, how)
		if err != nil {
			return nil, err
		}
		for set, s := range stars {
			of[set] = s.Center
		}
	}
	for set, center := range of {
		of[set] = firsts[center]
	}
	return of, nil
}

// components returns the document with the most near ones of those that pairs connect with each set.
func (d *distinct) components(ctx context.Context, coded *prefix.Sets, t float64, o Options, how prefix.PairOptions) ([]uint32, error) {
	connected, degrees := unionfind.New(len(d.of)), make([]uint32, len(d.of))
	firsts, weights := d.documents()
	union := func(a, b uint32) {
		connected.Union(firsts[a], firsts[b])
		degrees[firsts[a]] += weights[b]
		degrees[firsts[b]] += weights[a]
	}
	shapes, stands, err := connectShapes(ctx, coded, t)
	if err != nil {
		return nil, err
	}
	for set, other := range stands {
		degrees[firsts[set]] += weights[set] - 1
		if other != uint32(set) {
			union(uint32(set), other)
		}
	}
	if len(shapes) < coded.Len() {
		if coded, err = d.codeSome(ctx, shapes, t, o); err != nil {
			return nil, err
		}
	}
	err = coded.Pairs(ctx, t, how, func(pairs []prefix.Pair) error {
		for _, p := range pairs {
			union(shapes[p.A], shapes[p.B])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	of := mostNear(connected, degrees)
	for set, doc := range firsts {
		firsts[set] = of[doc]
	}
	return firsts, nil
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
