package join

import (
	"context"
	"slices"

	"simsearch/internal/ground/ints"
)

// A pairList is the Relation of things whose near pairs are known: all pairs whose similarity is at least some
// threshold. It answers what stars and components there are at that threshold and above. It takes 16 bytes a pair,
// and as much again while it makes stars.
type pairList struct {
	n     int // things
	pairs []nearPair
	// ties, if not nil, has a number for each thing: of equally near centers, a thing belongs to the one with the
	// least. If it is nil, the thing belongs to the first of the order.
	ties []uint32
	// missed, if not nil, compares two things whose pair may be missing from the list. stars calls it for a thing
	// with a single pair, and the center of the other one.
	missed func(center, thing uint32) (near bool, err error)
}

type nearPair struct {
	a, b uint32
	near float64
}

// Known returns the Relation of n things of which pairs calls add with all that are near, each once, and their
// similarities. Groupers of a threshold that is not below that of the pairs can use it, and know the pairs at theirs.
func Known(n int, pairs func(add func(a, b uint32, similarity float64))) Relation {
	l := &pairList{n: n}
	pairs(func(a, b uint32, similarity float64) { l.pairs = append(l.pairs, nearPair{a, b, similarity}) })
	return l
}

// Len returns the number of things.
func (l *pairList) Len() int { return l.n }

// list leaves out the pairs that are not near at t.
func (l *pairList) list(_ context.Context, t float64, weights []uint32, _ Options) (Relation, []uint32, error) {
	isFar := func(p nearPair) bool { return p.near < t }
	if slices.ContainsFunc(l.pairs, isFar) {
		near := *l
		near.pairs = slices.DeleteFunc(slices.Clone(l.pairs), isFar)
		l = &near
	}
	return l, l.degrees(weights), nil
}

// degrees returns, for each thing, the sum of the weights of the things that are near it, and its own weight less
// one. It returns nil without weights.
func (l *pairList) degrees(weights []uint32) []uint32 {
	if weights == nil {
		return nil
	}
	degrees := others(weights)
	for _, p := range l.pairs {
		degrees[p.a] += weights[p.b]
		degrees[p.b] += weights[p.a]
	}
	return degrees
}

func (l *pairList) connect(_ context.Context, t float64, _ Options, connected ints.DisjointSets) error {
	for _, p := range l.pairs {
		if p.near >= t {
			connected.Union(p.a, p.b)
		}
	}
	return nil
}

// stars is Grouper.Stars. t is at least the threshold of the pairs.
func (l *pairList) stars(ctx context.Context, t float64, order []uint32, first int, _ Options) ([]uint32, error) {
	place := make([]uint32, l.n)
	for i, thing := range order {
		place[thing] = uint32(i)
	}
	ties := l.ties
	if ties == nil {
		ties = place
	}
	ends, before := l.before(t, place)
	var pairsOf []uint32
	if l.missed != nil {
		pairsOf = l.degrees(ones(l.n))
	}
	of := make([]uint32, l.n)
	for at, thing := range order {
		if at%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		of[thing] = thing
		if at < first {
			continue
		}
		best := 0.0
		pairs := before[ends[thing]:ends[thing+1]]
		for _, p := range pairs {
			if of[p.a] == p.a && (of[thing] == thing || p.near > best || p.near == best && ties[p.a] < ties[of[thing]]) {
				best, of[thing] = p.near, p.a
			}
		}
		if l.missed != nil && of[thing] == thing && len(pairs) == 1 && pairsOf[thing] == 1 {
			center := of[pairs[0].a]
			near, err := l.missed(center, thing)
			if err != nil {
				return nil, err
			}
			if near {
				of[thing] = center
			}
		}
	}
	return of, nil
}

// before returns the pairs of each thing with those that have a lower place, where its similarity is at least t. The
// other thing is a. The pairs of thing i are before[ends[i]:ends[i+1]].
func (l *pairList) before(t float64, place []uint32) (ends []int, before []nearPair) {
	return ints.Lists[int](l.n, func(add func(later uint32, p nearPair)) {
		for _, p := range l.pairs {
			if place[p.a] > place[p.b] {
				p.a, p.b = p.b, p.a
			}
			if p.near >= t {
				add(p.b, p)
			}
		}
	})
}

// ones returns n weights of 1.
func ones(n int) []uint32 {
	weights := make([]uint32, n)
	for i := range weights {
		weights[i] = 1
	}
	return weights
}

// GroupPairs divides documents into groups by the pairs that join yields, as Representatives does. of has, for each
// document, the first one that stands for it, itself if no other one does: join yields pairs of these alone. Of other
// documents that are equal or nearly so, join may yield all pairs of the first one, and of each other one its pair
// with the first (Options.Groups). near compares two documents whose pair is missing for that reason: a document that
// has a single pair belongs to the representative of the other one, if that is near. It may be nil if no pair is
// missing. Of equally near representatives, a document belongs to the first one in the collection. All pairs are
// held, in 32 bytes each. The error is that of join, near or ctx.
func GroupPairs(ctx context.Context, of []uint32, chain bool, join func(yield func(Pair) error) error,
	near func(a, b uint32) (bool, error),
) ([]uint32, error) {
	l := &pairList{n: len(of), ties: of, missed: near}
	err := join(func(p Pair) error {
		l.pairs = append(l.pairs, nearPair{p.A, p.B, p.Value})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return Representatives(ctx, l, 0, of, chain, Options{})
}
