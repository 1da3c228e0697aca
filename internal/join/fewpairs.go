package join

import (
	"context"
	"slices"

	"simsearch/internal/unionfind"
	"simsearch/prefix"
)

// A Few is all pairs of a collection of sets whose similarity is at least some threshold. It answers what stars and
// components there are at that threshold and above. It takes 24 bytes a pair.
type Few struct {
	n     int // sets
	pairs []nearPair
}

type nearPair struct {
	a, b uint32
	near float64
}

// FewPairs returns the pairs of sets whose similarity is at least t, in (0, 1], if they are few, as prefix.Sets.Few does. ok is
// false if there are too many.
func FewPairs(ctx context.Context, sets *prefix.Sets, t float64, how prefix.PairOptions) (_ *Few, ok bool, err error) {
	pairs, ok, err := sets.Few(ctx, t, how)
	if !ok || err != nil {
		return nil, false, err
	}
	f := &Few{sets.Len(), make([]nearPair, len(pairs))}
	for i, p := range pairs {
		a, err := sets.Size(p.A)
		if err != nil {
			return nil, false, err
		}
		b, err := sets.Size(p.B)
		if err != nil {
			return nil, false, err
		}
		f.pairs[i] = nearPair{p.A, p.B, float64(p.Shared) / float64(a+b-p.Shared)}
	}
	return f, true, nil
}

// degrees returns, for each set, the sum of the weights of the sets that are near it, and its own weight less one.
func (f *Few) degrees(weights []uint32) []uint32 {
	degrees := make([]uint32, f.n)
	for i, w := range weights {
		degrees[i] = w - 1
	}
	for _, p := range f.pairs {
		degrees[p.a] += weights[p.b]
		degrees[p.b] += weights[p.a]
	}
	return degrees
}

// Paired returns whether each set is near another one.
func (f *Few) Paired() []bool {
	paired := make([]bool, f.n)
	for _, p := range f.pairs {
		paired[p.a], paired[p.b] = true, true
	}
	return paired
}

// Stars returns the center of each set at similarity t, as prefix.Sets.Stars finds it. order has all sets. The first sets of
// order, given by their number, are centers in any case. t is at least the threshold of the pairs.
func (f *Few) Stars(order []uint32, first int, t float64) []uint32 {
	place := make([]uint32, f.n)
	for i, set := range order {
		place[set] = uint32(i)
	}
	ends := make([]uint32, f.n+1) // of the pairs of each set with sets before it
	var by []nearPair
	for _, p := range f.pairs {
		if p.near < t {
			continue
		}
		if place[p.a] > place[p.b] {
			p.a, p.b = p.b, p.a
		}
		by = append(by, p)
		ends[p.b+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	sorted, next := make([]nearPair, len(by)), slices.Clone(ends)
	for _, p := range by {
		sorted[next[p.b]] = p
		next[p.b]++
	}
	of := make([]uint32, f.n)
	for at, set := range order {
		best := 0.0
		of[set] = set
		if at < first {
			continue
		}
		for _, p := range sorted[ends[set]:ends[set+1]] {
			if of[p.a] == p.a && (p.near > best || p.near == best && place[p.a] < place[of[set]]) {
				best, of[set] = p.near, p.a
			}
		}
	}
	return of
}

// Components returns, for each set, the first one of order that near pairs connect with it at similarity t. order has all sets.
// t is at least the threshold of the pairs.
func (f *Few) Components(order []uint32, t float64) []uint32 {
	place := make([]uint32, f.n)
	for i, set := range order {
		place[set] = uint32(i)
	}
	connected := unionfind.New(f.n)
	for _, p := range f.pairs {
		if p.near >= t {
			connected.Union(place[p.a], place[p.b])
		}
	}
	of := make([]uint32, f.n)
	for set := range of {
		of[set] = order[connected.Find(place[set])]
	}
	return of
}
