package keptsets

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"simsearch/internal/ints"
	"simsearch/internal/parallel"
	"simsearch/internal/prefix"
)

// A Pair is two near sets, with A < B.
type Pair struct {
	A, B       uint32
	Similarity float64
}

// ErrMany is returned if there are more pairs than were wanted.
var ErrMany = errors.New("too many near pairs")

const (
	// common is how many first features near sets share, of those of the new one, or all that near sets share at least.
	common = 3
	// taskSets is how many sets one goroutine compares at a time.
	taskSets = 1 << 12
	// filterBits is the number of bits of the filter for each feature in it, and more.
	filterBits = 16
)

// Near returns the pairs of sets from number from on, with each other and with all before them, whose Jaccard similarity is at least t, in
// (0, 1], ordered by A, then by B. If there are more than most, the error is ErrMany. Other errors are section.ErrCorrupt and the cause of ctx.
//
// It lists the first features of the new sets, the rarest by the vocabulary, and reads all sets once to see which of these features they
// have. A set that is near a new one has common of its first features at least, wherever these stand in its own order: of n features, any
// near set has LeastSize(n), and those that are not among the first are common fewer. It takes the time of reading all sets, and the memory
// of the new ones, whose lists grow with them: a join of all (setjoin) is better where many are new.
func (s *Sets) Near(ctx context.Context, from uint32, t float64, most int, o Options) ([]Pair, error) {
	q, err := s.newQueries(from, t)
	if err != nil {
		return nil, err
	}
	var all []Pair
	tasks := (s.Len() + taskSets - 1) / taskSets
	work := func(ctx context.Context, i int) ([]Pair, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return q.compare(uint32(i*taskSets), uint32(min(s.Len(), (i+1)*taskSets)))
	}
	done := 0
	err = parallel.Ordered(ctx, o.Threads, tasks, work, func(found []Pair) error {
		all = append(all, found...)
		if done++; o.Progress != nil {
			o.Progress(min(s.Len(), done*taskSets), s.Len())
		}
		if len(all) > most {
			return ErrMany
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return all, nil
}

// Queries are the new sets, with lists of those that have each first feature.
type queries struct {
	*Sets
	t    float64
	from uint32
	sets [][]uint64 // the features of each
	need []uint8    // how many of its first features a near set has

	// The sets that have a rank among their first features are ranked[starts[rank]:starts[rank+1]].
	starts []uint32
	ranked []uint32
	// Those of other features are in a map, behind a filter with a bit for each of some 8 to 16 buckets a feature.
	others map[uint64][]uint32
	filter []uint64
	shift  uint
}

func (s *Sets) newQueries(from uint32, t float64) (*queries, error) {
	q := &queries{Sets: s, t: t, from: from, starts: make([]uint32, len(s.features)+1), others: map[uint64][]uint32{}}
	var memory Scratch
	var entries []uint64 // a rank and a set each
	rests := 0
	for set := from; int(set) < s.Len(); set++ {
		d, err := s.draft(set)
		if err != nil {
			return nil, err
		}
		features, err := s.Append(nil, set, &memory)
		if err != nil {
			return nil, err
		}
		ranks, err := d.Ranks(len(s.features), &memory.ranks)
		if err != nil {
			return nil, errCoded
		}
		number := set - from
		least := prefix.LeastSize(len(features), t)
		need := min(common, least)
		q.sets, q.need = append(q.sets, features), append(q.need, uint8(need))
		first := prefix.Needed(len(features), least, need)
		rest := d.AppendRest(nil)
		for _, f := range rest[:min(first, len(rest))] {
			q.others[f] = append(q.others[f], number)
			rests++
		}
		for _, r := range ranks[:max(0, first-len(rest))] {
			entries = append(entries, uint64(r)<<32|uint64(number))
		}
	}
	slices.Sort(entries)
	q.ranked = make([]uint32, len(entries))
	for i, e := range entries {
		q.ranked[i] = uint32(e)
		q.starts[e>>32+1] = uint32(i + 1)
	}
	for r := range s.features {
		q.starts[r+1] = max(q.starts[r], q.starts[r+1])
	}
	q.shift = 64
	buckets := uint64(1)
	for buckets < filterBits*uint64(rests+1) {
		buckets, q.shift = 2*buckets, q.shift-1
	}
	q.filter = make([]uint64, buckets/64+1)
	for f := range q.others {
		b := f >> q.shift
		q.filter[b/64] |= 1 << (b % 64)
	}
	return q, nil
}

// compare compares the sets [lo, hi) with the new ones.
func (q *queries) compare(lo, hi uint32) (found []Pair, err error) {
	var memory Scratch
	var rest, features []uint64
	shared, touched := make([]uint8, len(q.sets)), []uint32(nil)
	take := func(list []uint32) {
		for _, number := range list {
			if shared[number] == 0 {
				touched = append(touched, number)
			}
			if shared[number] < common {
				shared[number]++
			}
		}
	}
	for x := lo; x < hi; x++ {
		d, err := q.draft(x)
		if err != nil {
			return nil, err
		}
		ranks, err := d.Ranks(len(q.features), &memory.ranks)
		if err != nil {
			return nil, errCoded
		}
		for _, r := range ranks {
			if from, to := q.starts[r], q.starts[r+1]; from < to {
				take(q.ranked[from:to])
			}
		}
		rest = d.AppendRest(rest[:0])
		for _, f := range rest {
			if b := f >> q.shift; q.filter[b/64]>>(b%64)&1 != 0 {
				take(q.others[f])
			}
		}
		features = features[:0]
		for _, number := range touched {
			y := q.from + number
			isNear := shared[number] >= q.need[number] && x < y
			shared[number] = 0
			n, m := d.Features, len(q.sets[number])
			if !isNear || !prefix.Similar(min(n, m), n, m, q.t) {
				continue
			}
			if len(features) == 0 {
				if features, err = q.Append(features, x, &memory); err != nil {
					return nil, err
				}
			}
			if both := ints.Shared(features, q.sets[number]); prefix.Similar(both, n, m, q.t) {
				found = append(found, Pair{x, y, prefix.Jaccard(both, n, m)})
			}
		}
		touched = touched[:0]
	}
	return found, nil
}

// Shared returns how many features two sets share, and how many each has. The error is section.ErrCorrupt.
func (s *Sets) Shared(a, b uint32, memory *Scratch) (shared, sizeA, sizeB int, err error) {
	memory.both, err = s.Append(memory.both[:0], a, memory)
	if err != nil {
		return 0, 0, 0, err
	}
	n := len(memory.both)
	memory.both, err = s.Append(memory.both, b, memory)
	if err != nil {
		return 0, 0, 0, err
	}
	return ints.Shared(memory.both[:n], memory.both[n:]), n, len(memory.both) - n, nil
}
