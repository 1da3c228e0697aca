package setjoin

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/prefix"
)

// Contained calls yield with all pairs of sets of which the larger one has at least the share c, in (0, 1], of the
// features of the smaller one, some pairs at a time. Each pair comes once, in any order. The slice is valid until
// yield returns. Options.Most does not matter.
//
// If m of the n features of the smaller set are shared, the larger one has one of its n-m+1 rarest features, wherever
// that stands among its own. So sets are listed by their rarest features, and each set looks up all of its features
// in the lists of the sets that are not larger. Pairs shares first features of both sets, which tells nothing of a
// small part of a large set. A candidate has up to three of the rarest features, and is compared feature by feature.
// Beside Options.Memory for the lists of a pass, Contained takes 9 bytes a set, 8 for each feature that is among the
// rarest ones of some set, and for each thread 5 bytes a set and a bit a rank. The error is the cause of ctx or that
// of yield.
func Contained(ctx context.Context, s *prefix.Sets, c float64, o Options, yield func([]Pair) error) error {
	return joinContained(ctx, s, c, nil, o, yield)
}

// ContainedComponents joins, in connected, the sets that pairs of Contained connect, as Components does with similar
// ones. It compares no sets that are connected already.
func ContainedComponents(ctx context.Context, s *prefix.Sets, c float64, o Options, connected ints.DisjointSets) error {
	return joinContained(ctx, s, c, connected, o, func([]Pair) error { return nil })
}

// mostCommon is how many of its rarest features a set must share with a candidate, if it has so many.
const mostCommon = 3

// containedTask is how many sets are of one task: it may find as many pairs with each set.
const containedTask = 1 << 5

func joinContained(ctx context.Context, s *prefix.Sets, c float64, connected ints.DisjointSets, o Options, yield func([]Pair) error) error {
	if !(c > 0 && c <= 1) {
		return fmt.Errorf("a share of %v: want more than 0 and at most 1", c)
	}
	s.Check()
	order, _, err := bySize(ctx, s)
	if err != nil {
		return err
	}
	leastOf := func(n int) int { return prefix.LeastSize(n, c) }
	j, err := newListed(ctx, s, order, leastOf, nil)
	if err != nil {
		return err
	}
	var stats Stats
	look := func(q *search, place uint32) (pairs []Pair) {
		set := order[place]
		joined := func(x uint32) bool { return connected != nil && connected.Find(set) == connected.Find(order[x]) }
		j.look(q, place, place, joined, func(x uint32, shared int) {
			if q.stats.Pairs++; connected != nil {
				connected.Union(set, order[x])
			} else {
				pairs = append(pairs, Pair{min(set, order[x]), max(set, order[x]), shared})
			}
		})
		return pairs
	}
	n := len(order)
	searches := sync.Pool{New: func() any { return newSearch(s, n) }}
	for from, to := 0, 0; from < n; from = to {
		if to, err = j.fill(ctx, from, o.Memory); err != nil {
			return err
		}
		stats.Postings += int64(len(j.entries))
		work := func(ctx context.Context, i int) (out joined, err error) {
			q := searches.Get().(*search)
			defer searches.Put(q)
			q.stats = Stats{}
			for place := from + i*containedTask; place < min(n, from+(i+1)*containedTask) && err == nil; place++ {
				out.pairs = append(out.pairs, look(q, uint32(place))...)
				err = context.Cause(ctx)
			}
			out.stats = q.stats
			return out, err
		}
		done := from
		err := parallel.Ordered(ctx, o.Threads, (n-from+containedTask-1)/containedTask, work, func(found joined) error {
			stats.add(found.stats)
			if done += containedTask; o.Progress != nil && done < n {
				o.Progress(done, n)
			}
			if len(found.pairs) == 0 {
				return nil
			}
			return yield(found.pairs)
		})
		if err != nil {
			return err
		}
	}
	if o.Progress != nil {
		o.Progress(n, n)
	}
	if o.Stats != nil {
		*o.Stats = stats
	}
	return nil
}

// Listed are sets in an order, some of which are listed by their rarest features. A place is the number of a set in
// the order.
type listed struct {
	sets   *prefix.Sets
	order  []uint32 // the set at each place
	sizes  []uint32 // of these sets
	ranked []uint32 // how many features of each have a rank: no more of them are shared
	common []uint8  // how many of the rarest features of each listed set are shared

	leastOf func(n int) int               // how many features a listed set of n shares with a near one, at least
	least   func(place uint32, m int) int // and that at a place with one of m features; nil if it is the same
	both    bool                          // the shared ones are among the rarest of both sets

	// Of each rank that is among the rarest of some listed set: its number, where its list starts, and the end of the
	// last; and the places of the sets, ascending in each list.
	ranks   ints.NumberedSet
	starts  []uint64
	entries []uint32
}

// newListed returns sets in an order, which it keeps, none of which is listed.
func newListed(ctx context.Context, s *prefix.Sets, order []uint32, leastOf func(n int) int, least func(place uint32, m int) int) (*listed, error) {
	n := len(order)
	l := &listed{sets: s, order: order, leastOf: leastOf, least: least,
		sizes: make([]uint32, n), ranked: make([]uint32, n), common: make([]uint8, n)}
	for place, set := range order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d := s.Decoder(set)
		l.sizes[place], l.ranked[place] = uint32(d.Features), uint32(d.Ranks)
	}
	return l, nil
}

// rarest returns how many ranks of the set at a place are among its rarest features by which it is listed, and how
// many of these features it shares with a near set.
func (l *listed) rarest(place int) (ranks, common int) {
	n := int(l.sizes[place])
	least := l.leastOf(n)
	common = min(mostCommon, least)
	ranked := int(l.ranked[place])
	return max(0, min(ranked, prefix.Needed(n, least, common)-n+ranked)), common
}

// fill lists the sets from a place on, and below the one that it returns: as many as the memory has room for. If it
// is 0, it is defaultMemory.
func (l *listed) fill(ctx context.Context, from int, memory int64) (to int, err error) {
	memory = cmp.Or(memory, defaultMemory)
	entries := int64(0)
	for to = from; to < len(l.order) && (to == from || 4*entries < memory); to++ {
		ranks, common := l.rarest(to)
		l.common[to] = uint8(common)
		entries += int64(ranks)
	}
	each := func(do func(rank, place uint32)) {
		for place := from; place < to && err == nil; place++ {
			if place%lookEvery == 0 && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			d := l.sets.Decoder(l.order[place])
			for n, _ := l.rarest(place); n > 0; n-- {
				r, bad := d.Rank()
				if bad != nil {
					err = l.sets.Bad(l.order[place], bad)
					return
				}
				do(r, uint32(place))
			}
		}
	}
	l.ranks = ints.NewNumberedSet(l.sets.Ranks())
	each(func(rank, _ uint32) { l.ranks.Add(rank) })
	l.starts, l.entries = ints.Lists[uint64](l.ranks.Index(), func(add func(number, place uint32)) {
		each(func(rank, place uint32) { add(l.ranks.Before(rank), place) })
	})
	return to, err
}

// look calls do with the places before another one whose sets are listed and near the set at a place, and with how
// many features they share. It leaves out those that skip reports.
func (l *listed) look(q *search, place, before uint32, skip func(x uint32) bool, do func(x uint32, shared int)) {
	q.begin(l.order[place])
	defer q.end()
	ranks := q.ranks
	if l.both {
		n, _ := l.rarest(int(place))
		ranks = ranks[:n]
	}
	for _, r := range ranks {
		i, ok := l.ranks.Number(r)
		if !ok {
			continue
		}
		for _, x := range l.entries[l.starts[i]:l.starts[i+1]] {
			if x >= before {
				break
			}
			q.stats.Entries++
			q.Count(x, int(l.common[x]))
		}
	}
	for _, x := range q.Found {
		if skip(x) {
			continue
		}
		least := l.leastOf(int(l.sizes[x]))
		if l.least != nil {
			least = l.least(x, q.size)
		}
		if min(int(l.ranked[x]), len(q.ranks)) < least {
			continue
		}
		q.stats.Candidates++
		if shared := q.shared(l.order[x], prefix.NoRank, least); shared >= least {
			do(x, shared)
		}
	}
}
