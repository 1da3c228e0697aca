package setjoin

import (
	"context"
	"fmt"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/prefix"
)

// Contained calls yield with all pairs of sets of which the larger one has at least the share c, in (0, 1], of the features of the
// smaller one, some pairs at a time. Each pair comes once, in any order. The slice is valid until yield returns. Options.Most does
// not matter.
//
// If m of the n features of the smaller set are shared, the larger one has one of its n-m+1 rarest features, wherever that stands
// among its own. So sets are listed by their rarest features, and each set looks up all of its features in the lists of
// the sets that are not larger. Pairs shares first features of both sets, which tells nothing of a small part of a large set. A
// candidate has up to three of the rarest features, and is compared feature by feature. Beside Options.Memory for the
// lists of a pass, Contained takes 9 bytes a set, 8 for each feature that is among the rarest ones of some set, and for
// each thread 5 bytes a set and a bit a rank. The error is the cause of ctx or that of yield.
func Contained(ctx context.Context, s *prefix.Sets, c float64, o Options, yield func([]Pair) error) error {
	return joinContained(ctx, s, c, nil, o, yield)
}

// ContainedComponents joins, in connected, the sets that pairs of Contained connect, as Components does with similar ones. It
// compares no sets that are connected already.
func ContainedComponents(ctx context.Context, s *prefix.Sets, c float64, o Options, connected ints.DisjointSets) error {
	return joinContained(ctx, s, c, connected, o, func([]Pair) error { return nil })
}

// A containedJoin is sets in the order of their sizes, some of which are listed by their rarest features.
type containedJoin struct {
	*places
	connected ints.DisjointSets // not nil if components are wanted
	common    []uint8           // how many of the rarest features of the set at each place are shared
	lists     *rankLists        // places, ascending in each list
}

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
	j := &containedJoin{connected: connected, common: make([]uint8, len(order))}
	if j.places, err = newPlaces(ctx, s, order, c); err != nil {
		return err
	}
	memory := int(o.Memory)
	if memory == 0 {
		memory = defaultMemory
	}
	var stats Stats
	for from, to := 0, 0; from < len(order); from = to {
		entries := 0
		for ; to < len(order) && (to == from || 4*entries < memory); to++ {
			n := int(j.sizes[to])
			length, common := j.rarest(n)
			j.common[to] = uint8(common)
			entries += max(0, length-(n-int(j.ranked[to])))
		}
		if err := j.fill(ctx, from, to); err != nil {
			return err
		}
		stats.Postings += int64(len(j.lists.entries))
		if err := j.pass(ctx, from, o, &stats, yield); err != nil {
			return err
		}
	}
	if o.Progress != nil {
		o.Progress(len(order), len(order))
	}
	if o.Stats != nil {
		*o.Stats = stats
	}
	return nil
}

func (j *containedJoin) rarest(n int) (length, common int) {
	return rarest(n, prefix.LeastSize(n, j.T))
}

// fill lists the sets at places [from, to).
func (j *containedJoin) fill(ctx context.Context, from, to int) (err error) {
	listed := j.firstRanks(ctx, from, to, func(_ uint32, n int) int { length, _ := j.rarest(n); return length })
	if j.lists, err = newRankLists(j.sets.Ranks(), listed, listed); err != nil {
		return err
	}
	ends := append([]uint64(nil), j.lists.starts...)
	return listed(func(rank, place uint32) {
		i, _ := j.lists.Number(rank)
		j.lists.entries[ends[i]] = place
		ends[i]++
	})
}

// pass finds the pairs of the sets that are listed, of which the first one has a place, with sets that come later.
func (j *containedJoin) pass(ctx context.Context, first int, o Options, all *Stats, yield func([]Pair) error) error {
	n := len(j.order)
	work := func(ctx context.Context, i int) (*joined, error) {
		q, out := j.search(), &joined{}
		defer j.searches.Put(q)
		for place := first + i*containedTask; place < min(n, first+(i+1)*containedTask); place++ {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			j.look(q, uint32(place), out)
		}
		out.stats = q.stats
		return out, nil
	}
	done := first
	return parallel.Ordered(ctx, o.Threads, (n-first+containedTask-1)/containedTask, work, func(found *joined) error {
		all.add(found.stats)
		if done += containedTask; o.Progress != nil && done < n {
			o.Progress(done, n)
		}
		if len(found.pairs) == 0 {
			return nil
		}
		return yield(found.pairs)
	})
}

// look appends to out the pairs of the set at a place with sets that come before it, or connects them.
func (j *containedJoin) look(q *search, place uint32, out *joined) {
	defer q.end()
	set := j.order[place]
	q.begin(set)
	q.mark()
	for _, r := range q.ranks {
		i, ok := j.lists.Number(r)
		if !ok {
			continue
		}
		for _, x := range j.lists.entries[j.lists.starts[i]:j.lists.starts[i+1]] {
			if x >= place {
				break
			}
			q.stats.Entries++
			q.Count(x, int(j.common[x]))
		}
	}
	for _, x := range q.Found {
		other, least := j.order[x], prefix.LeastSize(int(j.sizes[x]), j.T)
		if min(int(j.ranked[x]), len(q.ranks)) < least || j.connected != nil && j.connected.Find(set) == j.connected.Find(other) {
			continue
		}
		q.stats.Candidates++
		shared := q.shared(other, least)
		switch {
		case shared < least:
			continue
		case j.connected != nil:
			j.connected.Union(set, other)
		default:
			out.pairs = append(out.pairs, Pair{min(set, other), max(set, other), shared})
		}
		q.stats.Pairs++
	}
}
