package setjoin

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"simsearch/internal/match/prefix"
)

// Keyed returns the pairs of sets that have a key in common and whose similarity is at least t, in (0, 1], and less
// than below. The order is that of the sets. keys yields keys, in the upper halves of numbers, and in the lower ones the
// sets that have them, in ascending order; it may yield several series of such, of different keys. If there are more
// than Options.Most, unless that is 0, the error is ErrMany. Otherwise it is that of keys or the cause of ctx.
//
// What Pairs does with the sets that share a rank, Keyed does with those that share a key. Beside what that takes, it
// takes 8 bytes a set and 16 a pair.
func Keyed(ctx context.Context, s *prefix.Sets, t, below float64, keys iter.Seq2[uint64, error], o Options) (pairs []Pair, err error) {
	if !(t > 0 && t <= 1) {
		return nil, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	s.Check()
	j, err := newJoin(ctx, s, t, purpose{}, o)
	if err != nil {
		return nil, err
	}
	j.keyed = true
	k := &keyed{join: j, o: o, below: below, places: make([]uint32, s.Len()), last: slices.Repeat([]uint32{prefix.NoRank}, s.Len())}
	for place, set := range j.order {
		k.places[set] = uint32(place)
	}
	key := uint64(0)
	for is, err := range keys {
		if err != nil {
			return nil, err
		}
		if is>>32 != key>>32 {
			if err := k.list(ctx); err != nil {
				return nil, err
			}
		}
		key = is
		k.members = append(k.members, k.places[uint32(is)])
	}
	if err = k.list(ctx); err == nil {
		err = k.flush(ctx)
	}
	if err == nil {
		err = k.distinct()
	}
	return k.pairs, err
}

// keyed are the lists of some keys.
type keyed struct {
	*join
	o       Options
	below   float64
	places  []uint32
	last    []uint32 // the number of the last list that each place is in
	number  uint32   // of the next list
	members []uint32 // of it
	pairs   []Pair
	known   int // how many of them are in order, and distinct
}

// keyedEntries are of how many sets lists are at a time, about.
const keyedEntries = 1 << 20

// list makes the members a list, unless it is of one.
func (k *keyed) list(ctx context.Context) error {
	slices.Sort(k.members)
	if k.members = slices.Compact(k.members); len(k.members) > 1 {
		if len(k.starts) == 0 {
			k.first, k.starts = k.number, append(k.starts, 0)
		}
		for _, place := range k.members {
			k.lists = append(k.lists, newEntry(place, 0, true, k.last[place]))
			k.last[place] = k.number
		}
		k.starts = append(k.starts, uint32(len(k.lists)))
		k.number++
	}
	k.members = k.members[:0]
	if len(k.lists) < cmp.Or(int(k.o.chunk), keyedEntries) {
		return nil
	}
	return k.flush(ctx)
}

// flush finds the pairs of the lists, and forgets these.
func (k *keyed) flush(ctx context.Context) error {
	if len(k.starts) == 0 {
		return nil
	}
	tasks, _ := k.tasks(rankByRank)
	err := k.each(ctx, k.o.Threads, tasks, func(found *joined) error {
		for _, p := range found.pairs {
			if prefix.Jaccard(p.Shared, k.sets.Size(p.A), k.sets.Size(p.B)) < k.below {
				k.pairs = append(k.pairs, p)
			}
		}
		if k.o.Most > 0 && int64(len(k.pairs)-k.known) > k.o.Most {
			return k.distinct()
		}
		return nil
	})
	k.lists, k.starts = k.lists[:0], k.starts[:0]
	return err
}

// distinct leaves each pair once.
func (k *keyed) distinct() error {
	slices.SortFunc(k.pairs, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	k.pairs = slices.Compact(k.pairs)
	if k.known = len(k.pairs); k.o.Most > 0 && int64(k.known) > k.o.Most {
		return ErrMany
	}
	return nil
}
