package prefix

import (
	"context"
	"slices"
	"sort"

	"simsearch/internal/vocabulary"
)

// A setSearch compares one set after the other with the smaller ones that it shares a rank of both prefixes with. Other
// than a groupSearch, it compares no pair twice, though many lists have it; but it reads each entry of a list for each set
// that the list has.
type setSearch struct {
	*join
	out   *joined
	seen  []uint32 // of each place, one more than the last set that was compared with it
	marks marks    // the ranks of that set

	ranks   []uint32 // of that set
	places  []uint32 // candidates
	codes   [ahead][]byte
	touched byte
}

// newSetSearch returns a setSearch.
func (j *join) newSetSearch() *setSearch {
	return &setSearch{join: j, seen: make([]uint32, len(j.order)), marks: newMarks(j.sets.ranks)}
}

// setTask is how many sets are of one task.
const setTask = 1 << 9

// A setSearch reads an entry in about a nanosecond, and a groupSearch compares a sketch in a third of that. But each time
// that a groupSearch comes upon a pair that is likely to be near, it takes about readsAPair as long, so that set by set is
// sooner done if this is the case with one entry of readsAPair, or more. One set of sampled is looked at to know that, but
// leastSampled at least.
const readsAPair, sampled, leastSampled = 128, 256, 64

// A joinWay is how lists that are not long are joined: rank by rank, each set of a list with each, or set by set.
type joinWay int

const (
	anyWay joinWay = iota
	rankByRank
	setBySet
)

// chooseWay returns the way in which joining takes less time. It looks at some sets, evenly spaced.
func (j *join) chooseWay(ctx context.Context) (joinWay, error) {
	if j.way != anyWay {
		return j.way, nil
	}
	q := j.newSetSearch()
	q.out = &joined{}
	n := len(j.order)
	sample := max(n/sampled, min(n, leastSampled))
	reads, pairs := int64(0), int64(0)
	for i := range sample {
		if ctx.Err() != nil {
			return anyWay, context.Cause(ctx)
		}
		read, found, err := q.count(uint32((i+1)*n/sample - 1))
		if err != nil {
			return anyWay, err
		}
		reads, pairs = reads+read, pairs+found
	}
	if pairs > 0 && pairs*readsAPair >= reads {
		return setBySet, nil
	}
	return rankByRank, nil
}

// count returns how many entries of lists a search for the set at place y reads, and how many of them are of sets that are
// likely to be near.
func (q *setSearch) count(y uint32) (reads, near int64, err error) {
	before := q.out.stats.Entries
	prefix, err := q.candidates(y)
	if err != nil {
		return 0, 0, err
	}
	const likely = ^uint32(0)
	for _, x := range q.places {
		q.seen[x] = likely
	}
	for _, r := range prefix {
		list, _ := q.listOf(r)
		for _, e := range list {
			if q.seen[e.place()] == likely && e.short() {
				near++
			}
		}
	}
	for _, x := range q.places {
		q.seen[x] = 0
	}
	return q.out.stats.Entries - before, near, nil
}

// ofSets reports whether a list of n sets is short enough for joining set by set.
func (j *join) ofSets(n uint64) bool { return n <= uint64(j.long) && (j.most == 0 || n <= crowdSets) }

// setTask finds the pairs of the sets of a task with smaller ones.
func (j *join) setTask(ctx context.Context, t *joinTask) (*joined, error) {
	q, _ := j.setSearches.Get().(*setSearch)
	if q == nil {
		q = j.newSetSearch()
	}
	defer j.setSearches.Put(q)
	q.out = &joined{}
	for y := t.from; y < t.to; y++ {
		if y%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := q.search(uint32(y)); err != nil {
			return nil, err
		}
	}
	return q.out, nil
}

// search finds the pairs of the set at place y with smaller ones.
func (q *setSearch) search(y uint32) error {
	if _, err := q.candidates(y); err != nil || len(q.places) == 0 {
		return err
	}
	for _, r := range q.ranks {
		q.marks.set(r)
	}
	defer func() {
		for _, r := range q.ranks {
			q.marks[r/64] = 0
		}
	}()
	for at := 0; at < len(q.places); at += ahead {
		if err := q.compare(y, q.places[at:min(at+ahead, len(q.places))]); err != nil {
			return err
		}
	}
	return nil
}

// candidates sets q.ranks to the ranks of the set at place y, and q.places to those of smaller sets that may be near it. It
// returns the ranks of the prefix.
func (q *setSearch) candidates(y uint32) (prefix []uint32, err error) {
	q.places = q.places[:0]
	set := q.order[y]
	d, err := q.sets.decoder(set)
	if err != nil {
		return nil, err
	}
	last := min(q.probed(d.Features, 1)-d.Alone, d.Ranks)
	if last <= 0 {
		return nil, nil
	}
	q.ranks = slices.Grow(q.ranks[:0], d.Ranks)[:d.Ranks]
	if err := d.Read(q.ranks); err != nil {
		return nil, q.sets.bad(set, err)
	}
	record := q.record(y)
	lo := q.firstOf(LeastSize(d.Features, q.t), y)
	for _, r := range q.ranks[:last] {
		if list, ok := q.listOf(r); ok {
			q.collect(y, list, lo, record)
		}
	}
	return q.ranks[:last], nil
}

// firstOf returns the first place of a set of at least the given size, which is at most that of the set at place y.
func (q *setSearch) firstOf(size int, y uint32) uint32 {
	return uint32(sort.Search(int(y), func(i int) bool { return q.sizeOf(q.record(uint32(i))) >= size }))
}

// listOf returns the list of a rank. ok is false if it is of another pass, or too long for this search.
func (q *setSearch) listOf(rank uint32) (list []entry, ok bool) {
	if at := rank - q.first; rank >= q.first && at < uint32(len(q.starts)-1) {
		list = q.lists[q.starts[at]:q.starts[at+1]]
		return list, q.ofSets(uint64(len(list)))
	}
	return nil, false
}

// collect adds the sets of a list that may be near the set at place y, and that come before it, but not before place lo.
func (q *setSearch) collect(y uint32, list []entry, lo uint32, record []uint64) {
	if len(list) > 16 {
		list = list[sort.Search(len(list), func(i int) bool { return list[i].place() >= lo }):]
	}
	q.out.stats.Entries += int64(len(list))
	for _, e := range list {
		x := e.place()
		if x >= y {
			return
		}
		if x < lo || !e.short() || q.seen[x] == y+1 {
			continue
		}
		q.seen[x] = y + 1
		other := q.record(x)
		a, b := q.sizeOf(record), q.sizeOf(other)
		limit := a + b - 2*LeastShared(a, b, q.t) - q.aloneOf(record) - q.aloneOf(other)
		if limit >= 0 && within(record[:q.words], other, limit) {
			q.places = append(q.places, x)
		}
	}
}

// compare adds the pairs of the set at place y, whose ranks are marked, and those at some places, if they are similar, and the
// first rank that they share is of this search.
func (q *setSearch) compare(y uint32, places []uint32) error {
	for i, x := range places {
		code, err := q.sets.code(q.order[x])
		if err != nil {
			return err
		}
		q.codes[i] = code
	}
	for _, code := range q.codes[:len(places)] { // memory is read in a step that does not wait
		q.touched ^= code[0] ^ code[len(code)/2]
	}
	b := q.order[y]
	size := q.sizeOf(q.record(y))
	for i, x := range places {
		a := q.order[x]
		d, err := vocabulary.Decode(q.codes[i], q.sets.ranks, q.sets.pairsOnly)
		if err != nil {
			return q.sets.bad(a, err)
		}
		q.out.stats.Candidates++
		least := LeastShared(size, d.Features, q.t)
		shared, first, err := q.marks.shared(&d, q.ranks[len(q.ranks)-1], least)
		if err != nil {
			return q.sets.bad(a, err)
		}
		if shared < least {
			continue
		}
		if _, ok := q.listOf(first); !ok {
			continue // another search finds the pair
		}
		if q.limit > 0 && q.found.Add(1) > q.limit {
			return errStopped
		}
		q.out.pairs = append(q.out.pairs, Pair{min(a, b), max(a, b), shared})
	}
	return nil
}
