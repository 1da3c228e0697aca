package setjoin

import (
	"context"
	"math"
	"slices"
	"sort"

	"simsearch/internal/match/prefix"
)

// A setSearch compares one set after the other with those that it shares a rank of both prefixes with. Other
// than a groupSearch, it compares no pair twice, though many lists have it; but it reads each entry of a list for each set
// that the list has.
type setSearch struct {
	*join
	*search        // the set
	pairs   []Pair // of a task
	// seen has, for each place, the set that has seen it last. They are numbered from 1.
	seen   []uint32
	number uint32

	y        uint32 // the place of the set
	record   []uint64
	prefix   int      // how many of them are in its prefix
	short    int      // how many of them are in its short prefix
	smallest uint32   // the first place of a set that is large enough
	places   []uint32 // candidates
	nexts    []uint32 // sets that are read next
}

// newSetSearch returns a setSearch.
func (j *join) newSetSearch() *setSearch {
	return &setSearch{join: j, seen: make([]uint32, len(j.order)), search: newSearch(j.sets, 0)}
}

// setTask is how many sets are of one task.
const setTask = 1 << 9

// A setSearch reads an entry in some ten nanoseconds, and a groupSearch compares a sketch in a third of one. But each
// time that a groupSearch comes upon a pair that is likely to be near, it takes about readsAPair as long as an entry,
// so that set by set is sooner done if this is the case with one entry of readsAPair, or more. Some sets are looked at
// to know that: sampled, or all.
const readsAPair, sampled = 16, 128

// A joinWay is how lists that are not long are joined: rank by rank, each set of a list with each, or set by set.
type joinWay int

const (
	anyWay joinWay = iota
	rankByRank
	setBySet
)

// chooseWay returns the way in which joining takes less time. It looks at some sets, evenly spaced.
func (j *join) chooseWay(ctx context.Context) (joinWay, error) {
	if j.listing != nil && !j.listing.Few() {
		return rankByRank, nil
	}
	if j.way != anyWay {
		return j.way, nil
	}
	q := j.newSetSearch()
	n := len(j.order)
	sample := min(n, sampled)
	reads, pairs := int64(0), int64(0)
	for i := range sample {
		if ctx.Err() != nil {
			return anyWay, context.Cause(ctx)
		}
		read, found := q.count(uint32((i+1)*n/sample - 1))
		reads, pairs = reads+read, pairs+found
	}
	if pairs > 0 && pairs*readsAPair >= reads {
		return setBySet, nil
	}
	return rankByRank, nil
}

// count returns how many entries of lists a search for smaller sets than that at place y reads, and how many of them are of
// sets that are likely to be near.
func (q *setSearch) count(y uint32) (reads, near int64) {
	before := q.stats.Entries
	q.begin(y)
	q.collectSmaller()
	q.number++ // the candidates alone are seen from here on
	for _, x := range q.places {
		q.seen[x] = q.number
	}
	for _, r := range q.ranks[:q.prefix] {
		list, _ := q.listOf(r)
		for _, e := range list {
			if q.seen[e.place()] == q.number && e.short() {
				near++
			}
		}
	}
	return q.stats.Entries - before, near
}

// ofSets reports whether a list of n sets is short enough for joining set by set.
func (j *join) ofSets(n uint64) bool { return n <= uint64(j.long) && (j.most == 0 || n <= crowdSets) }

// setTask finds the pairs of the sets of a task with smaller ones.
func (j *join) setTask(ctx context.Context, t *joinTask) (*joined, error) {
	q := j.setSearch()
	defer j.setSearches.Put(q)
	q.stats, q.pairs = Stats{}, nil
	for y := t.from; y < t.to; y++ {
		if y%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		q.begin(uint32(y))
		q.collectSmaller()
		if !q.compare(q.addPair) {
			return nil, errStopped
		}
	}
	return &joined{pairs: q.pairs, stats: q.stats}, nil
}

// setSearch returns a setSearch, which is put back into j.setSearches.
func (j *join) setSearch() *setSearch {
	if q, ok := j.setSearches.Get().(*setSearch); ok {
		return q
	}
	return j.newSetSearch()
}

// begin begins with the set at place y.
func (q *setSearch) begin(y uint32) {
	if q.number++; q.number >= math.MaxUint32-1 {
		clear(q.seen)
		q.number = 1
	}
	q.read(q.order[y])
	q.y, q.record, q.places = y, q.join.record(y), q.places[:0]
	alone := q.size - len(q.ranks)
	q.prefix = max(0, min(q.Probed(q.size, 1)-alone, len(q.ranks)))
	q.short = max(0, q.Lengths.Short(q.size, 1)-alone)
	least := prefix.LeastSize(q.size, q.T)
	q.smallest = uint32(sort.Search(int(y), func(i int) bool { return q.sizeOf(q.join.record(uint32(i))) >= least }))
}

// list returns the list of a rank in this pass.
func (q *setSearch) list(rank uint32) []entry {
	if at := rank - q.first; rank >= q.first && at < uint32(len(q.starts)-1) {
		return q.lists[q.starts[at]:q.starts[at+1]]
	}
	return nil
}

// listOf returns the list of a rank. ok is false if it is of another pass, or too long for joining set by set.
func (q *setSearch) listOf(rank uint32) (list []entry, ok bool) {
	list = q.list(rank)
	if list == nil || !q.ofSets(uint64(len(list))) {
		return nil, false
	}
	return list, true
}

// collectSmaller adds the sets that come before the set and may be near it to q.places.
func (q *setSearch) collectSmaller() {
	for _, r := range q.ranks[:q.prefix] {
		if list, ok := q.listOf(r); ok {
			q.collect(list, false, nil)
		}
	}
}

// collect adds the sets of a list that may be near the set to q.places: a smaller one has the rank of the list in its short prefix. A
// larger one, if such ones are wanted, has it anywhere. It leaves out sets for which skip, if not nil, returns true.
func (q *setSearch) collect(list []entry, larger bool, skip func(set uint32) bool) {
	if len(list) > 16 {
		list = list[sort.Search(len(list), func(i int) bool { return list[i].place() >= q.smallest }):]
	}
	q.stats.Entries += int64(len(list))
	a, alone := q.size, q.aloneOf(q.record)
	for _, e := range list {
		x := e.place()
		if x >= q.y && !larger {
			return
		}
		if x < q.smallest || x == q.y || x < q.y && !e.short() || q.seen[x] == q.number || skip != nil && skip(q.order[x]) {
			continue
		}
		other := q.join.record(x)
		b := q.sizeOf(other)
		if x > q.y && prefix.LeastSize(b, q.T) > a {
			return // all that follow are as large
		}
		q.seen[x] = q.number
		limit := a + b - 2*prefix.LeastShared(a, b, q.T) - alone - q.aloneOf(other)
		if limit >= 0 && within(q.record[:q.words], other, limit) {
			q.places = append(q.places, x)
		}
	}
}

// compare calls do with the sets at q.places that are near the set: their places, how many features they have, how many of them
// both share, and the first rank that both share. It returns false as soon as do does.
func (q *setSearch) compare(do func(x uint32, size, shared int, first uint32) bool) bool {
	if len(q.places) == 0 {
		return true
	}
	q.marks.Mark(q.ranks)
	defer q.marks.Unmark(q.ranks)
	for some := range slices.Chunk(q.places, ahead) {
		q.nexts = q.nexts[:0]
		for _, x := range some {
			q.nexts = append(q.nexts, q.order[x])
		}
		q.touch(q.nexts, true)
		for i, x := range some {
			size := q.sizeOf(q.join.record(x))
			q.stats.Candidates++
			least := prefix.LeastShared(q.size, size, q.T)
			if shared, first := q.shared(q.nexts[i], prefix.NoRank, least); shared >= least && !do(x, size, shared, first) {
				return false
			}
		}
	}
	return true
}

// addPair adds the pair of the set and that at place x, if the first rank that they share is of this search. Otherwise another search
// finds it. It returns false if there are too many.
func (q *setSearch) addPair(x uint32, _, shared int, first uint32) bool {
	if _, ok := q.listOf(first); !ok {
		return true
	}
	if q.limit > 0 && q.join.found.Add(1) > q.limit {
		return false
	}
	a, b := q.order[q.y], q.order[x]
	q.pairs = append(q.pairs, Pair{min(a, b), max(a, b), shared})
	return true
}
