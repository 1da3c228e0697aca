package keptsets

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/vocabulary"
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
// (0, 1], ordered by A, then by B. If there are more than most, the error is ErrMany. Another error is the cause of ctx.
//
// It lists the first features of the new sets, the rarest by the vocabulary, and reads the first features of all sets once to see which of
// the listed ones they have. Two near sets share common of their first features at least: of n features, any near set has LeastSize(n),
// and those that are not among the first are common fewer; all sets have their features in one order. It takes the time of reading a part
// of all sets, and the memory of the new ones, whose lists grow with them: a join of all (setjoin) is better where many are new.
func (s *Sets) Near(ctx context.Context, from uint32, t float64, most int, o Options) ([]Pair, error) {
	q := s.newQueries(from, t)
	var all []Pair
	tasks := (s.Len() + taskSets - 1) / taskSets
	work := func(ctx context.Context, i int) ([]Pair, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return q.compare(uint32(i*taskSets), uint32(min(s.Len(), (i+1)*taskSets))), nil
	}
	done := 0
	err := parallel.Ordered(ctx, o.Threads, tasks, work, func(found []Pair) error {
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

// Queries are the new sets, with lists of those that have each first feature. They are numbered from 0 by their sizes, the smallest first.
type queries struct {
	*Sets
	t    float64
	at   []uint32 // the number of each in Sets
	sets []whole
	need []uint8 // how many of its first features a near set has
	// Those of n features begin with number bySize[n].
	bySize []uint32

	// The sets that have a rank among their first features are ranked[lists[rank].start:lists[rank+1].start].
	lists  []rankList
	ranked []uint32
	// Those of other features are in a map, behind a filter with a bit for each of some 8 to 16 buckets a feature.
	others map[uint64][]uint32
	filter []uint64
	shift  uint
}

func (s *Sets) newQueries(from uint32, t float64) *queries {
	q := &queries{Sets: s, t: t, lists: make([]rankList, len(s.features)+1), others: map[uint64][]uint32{}}
	q.order(from)
	var memory Scratch
	var entries []uint64 // a rank and a set each
	rests := 0
	for number, set := range q.at {
		d := s.draft(set)
		is := s.whole(&d, &memory)
		is.ranks, is.rest = slices.Clone(is.ranks), slices.Clone(is.rest)
		least := prefix.LeastSize(d.Features, t)
		need := min(common, least)
		q.sets, q.need = append(q.sets, is), append(q.need, uint8(need))
		first := prefix.Needed(d.Features, least, need)
		for _, f := range is.rest[:min(first, len(is.rest))] {
			q.others[f] = append(q.others[f], uint32(number))
			rests++
		}
		for _, r := range is.ranks[:max(0, first-len(is.rest))] {
			entries = append(entries, uint64(r)<<32|uint64(number))
		}
	}
	slices.Sort(entries)
	q.ranked = make([]uint32, len(entries))
	for i, e := range entries {
		q.ranked[i] = uint32(e)
		q.lists[e>>32].parts |= 1 << q.part(uint32(e))
		q.lists[e>>32+1].start = uint32(i + 1)
	}
	for r := range s.features {
		q.lists[r+1].start = max(q.lists[r].start, q.lists[r+1].start)
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
	return q
}

// A rankList says where the sets begin that have a rank, and which parts of all new sets, of about the same sizes, these are of: most lists
// are passed over by that.
type rankList struct{ start, parts uint32 }

// part returns the part of a new set, in [0, 32).
func (q *queries) part(number uint32) uint32 { return uint32(uint64(number) * 32 / uint64(len(q.at))) }

// listed returns the ranks, in the memory of all, whose lists have sets of some parts. It waits for no look-up before the next one.
func (q *queries) listed(ranks []uint32, parts uint32) []uint32 {
	n, first := 0, uint32(0)
	for _, r := range ranks {
		some := q.lists[r].parts & parts
		ranks[n] = r
		n += int((some | -some) >> 31) // 1 if some is not 0
	}
	for _, r := range ranks[:n] {
		first |= q.ranked[q.lists[r].start] // brings it into the cache
	}
	runtime.KeepAlive(first)
	return ranks[:n]
}

// order numbers the sets from one on by their sizes.
func (q *queries) order(from uint32) {
	sizes := make([]int, q.Len()-int(from))
	largest := 0
	for i := range sizes {
		sizes[i] = q.Size(from + uint32(i))
		q.at = append(q.at, from+uint32(i))
		largest = max(largest, sizes[i])
	}
	slices.SortStableFunc(q.at, func(a, b uint32) int { return cmp.Compare(sizes[a-from], sizes[b-from]) })
	q.bySize = make([]uint32, largest+2)
	for _, n := range sizes {
		q.bySize[n+1]++
	}
	for n := range largest + 1 {
		q.bySize[n+1] += q.bySize[n]
	}
}

// ofSizes returns the numbers [lo, hi) of the new sets that a set of n features may be near.
func (q *queries) ofSizes(n int) (lo, hi uint32) {
	at := func(size int) uint32 { return q.bySize[min(size, len(q.bySize)-1)] }
	return at(prefix.LeastSize(n, q.t)), at(prefix.MostSize(n, q.t, len(q.bySize)-2) + 1)
}

// compare compares the sets [lo, hi) with the new ones.
func (q *queries) compare(lo, hi uint32) (found []Pair) {
	var memory Scratch
	shared, touched := make([]uint8, len(q.sets)), []uint32(nil)
	least, end := uint32(0), uint32(0) // the numbers of sets of such sizes
	take := func(list []uint32) {
		for _, number := range list {
			if number >= end {
				break
			}
			if number < least {
				continue
			}
			if shared[number] == 0 {
				touched = append(touched, number)
			}
			if shared[number] < common {
				shared[number]++
			}
		}
	}
	for x := lo; x < hi; x++ {
		d := q.draft(x)
		if least, end = q.ofSizes(d.Features); least == end {
			continue
		}
		first := prefix.Needed(d.Features, prefix.LeastSize(d.Features, q.t), common)
		memory.rest = d.AppendRest(memory.rest[:0])
		rest := memory.rest[:min(first, len(memory.rest))]
		ranks, err := d.FirstRanks(first-len(rest), len(q.features), &memory.ranks)
		if err != nil {
			panic(errCoded)
		}
		parts := ^uint32(0) >> (31 - q.part(end-1)) &^ (1<<q.part(least) - 1)
		for _, r := range q.listed(ranks, parts) {
			take(q.ranked[q.lists[r].start:q.lists[r+1].start])
		}
		for _, f := range rest {
			if b := f >> q.shift; q.filter[b/64]>>(b%64)&1 != 0 {
				take(q.others[f])
			}
		}
		is := whole{} // when it is wanted
		for _, number := range touched {
			y := q.at[number]
			isNear := shared[number] >= q.need[number] && x < y
			shared[number] = 0
			n, m := d.Features, q.sets[number].size()
			if !isNear || !prefix.Similar(min(n, m), n, m, q.t) {
				continue
			}
			if is.size() == 0 {
				is = q.whole(&d, &memory)
			}
			if both := is.shared(&q.sets[number]); prefix.Similar(both, n, m, q.t) {
				found = append(found, Pair{x, y, prefix.Jaccard(both, n, m)})
			}
		}
		touched = touched[:0]
	}
	return found
}

// A whole is a set as the vocabulary sees it. Two sets of files with one vocabulary share the features whose ranks they share, and those
// that it has not.
type whole struct {
	ranks []uint32 // ascending
	rest  []uint64 // the features that the vocabulary has not, ascending
}

// whole returns what a draft has, in memory.
func (s *Sets) whole(d *vocabulary.Draft, memory *Scratch) whole {
	memory.rest = d.AppendRest(memory.rest[:0])
	ranks, err := d.Ranks(len(s.features), &memory.ranks)
	if err != nil {
		panic(errCoded)
	}
	return whole{ranks, memory.rest}
}

func (w *whole) size() int { return len(w.ranks) + len(w.rest) }

func (w *whole) shared(other *whole) int {
	return ints.Shared(w.ranks, other.ranks) + ints.Shared(w.rest, other.rest)
}

// Shared returns how many features two sets share, and how many each has.
func (s *Sets) Shared(a, b uint32, memory, other *Scratch) (shared, sizeA, sizeB int) {
	of, with := s.draft(a), s.draft(b)
	x, y := s.whole(&of, memory), s.whole(&with, other)
	return x.shared(&y), x.size(), y.size()
}
