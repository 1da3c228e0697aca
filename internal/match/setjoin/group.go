package setjoin

import (
	"context"
	"encoding/binary"
	"math/bits"

	"simsearch/internal/match/prefix"
)

// joined is what one task has found.
type joined struct {
	pairs []Pair
	stats Stats
	dense []uint32  // sets that are in a crowd, as has been seen
	rest  *joinTask // what is left of the task, if it found very many candidates
}

// A groupSearch compares sets that have a rank in common.
type groupSearch struct {
	*join
	rank  uint32
	list  []entry // the sets with this rank in their prefixes
	crowd bool    // not all pairs are wanted
	out   *joined

	y      uint32   // the place of a set
	sketch []uint64 // of set y
	size   int      // features of set y, and those that are not in its sketch
	alone  int

	smaller    smaller
	one        bool    // all of them are known to be connected
	dense      smaller // those of smaller sets that are in a crowd, if there is a listing
	row        int     // candidates of set y, and of the task
	candidates int
	rows       []uint64 // the records of some sets

	likely []entry  // of sets that are likely to be near set y
	read   []uint32 // these sets
	marked *search  // set y, if it has ranks
	masks  []uint8  // of sketches
	seen   []uint64 // with keys: some pairs of places that have been compared
}

// task finds the pairs of the lists of a task.
func (j *join) task(ctx context.Context, t *joinTask) (*joined, error) {
	q, _ := j.searches.Get().(*groupSearch)
	if q == nil {
		q = &groupSearch{join: j, marked: newSearch(j.sets, 0)}
	}
	defer j.searches.Put(q)
	q.out, q.candidates = &joined{}, 0
	for r := t.lo; r < t.hi; r++ {
		if q.list = j.lists[j.starts[r]:j.starts[r+1]]; len(q.list) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		q.rank = j.first + r
		q.crowd = j.most > 0 && len(q.list) > crowdSets
		from, to := 0, len(q.list)
		if r == t.lo {
			from = t.from
		}
		if t.to > 0 {
			to = t.to
		}
		next, err := q.eachWithEach(ctx, from, to)
		if err != nil {
			return nil, err
		}
		if next < to {
			q.out.rest = &joinTask{lo: r, hi: t.hi, from: next, to: t.to, cost: t.cost}
			break
		}
	}
	return q.out, nil
}

// ahead is how many sets are read from memory at once.
const ahead = 32

// eachWithEach compares the sets of q.list from one entry on, and before another one, with all that are before them.
// It returns the entry before which it has ended: the latter one, unless there are very many candidates.
func (q *groupSearch) eachWithEach(ctx context.Context, from, to int) (next int, err error) {
	folded := q.folded()
	q.smaller.reset(q.Lengths, folded)
	q.dense.reset(q.Lengths, folded)
	q.one = true
	size := q.sizeOf(q.record(q.list[from].place()))
	for _, e := range q.list[:from] {
		if record := q.record(e.place()); e.short() {
			if reach := q.reach(e, record); reach >= size {
				q.among(q.inCrowd(record)).add(e, record[:q.words], q.sizeOf(record), q.aloneOf(record), reach)
			}
		}
	}
	for ; from < to; from += ahead {
		if ctx.Err() != nil {
			return from, context.Cause(ctx)
		}
		rows := q.list[from:min(to, from+ahead)]
		q.rows = q.rows[:0]
		for _, e := range rows { // the memory is read at once
			q.rows = append(q.rows, q.record(e.place())...)
		}
		for i, e := range rows {
			if q.full() {
				return from + i, nil
			}
			record := q.rows[i*(q.words+1) : (i+1)*(q.words+1)]
			q.take(e.place(), record)
			q.smaller.leave(q.size)
			most := q.size
			if !e.short() {
				most = q.reach(e, record)
			}
			if err := q.compareWith(e, most); err != nil {
				return from, err
			}
			dense, err := q.compareCrowd(e, record, most)
			if err != nil {
				return from, err
			}
			if e.short() {
				q.among(dense).add(e, q.sketch, q.size, q.alone, q.reach(e, record))
				if q.connected != nil {
					q.follow(e.place())
				}
			}
		}
	}
	return to, nil
}

// folded returns of how many words folded sketches of the list are. Sketches of sets with little in common differ in
// about half of their bits. That must be more than near sets may differ in, as some sets of the list tell. Sets with a
// key in common have much in common, and their sketches are not folded.
func (q *groupSearch) folded() int {
	const some, margin = 16, 4
	most := q.words
	if len(q.list) < 4*some || q.keyed {
		return most
	}
	differ := 0
	for i := range some {
		record := q.record(q.list[i*len(q.list)/some].place())
		differ += 2 * (q.Unshared(q.sizeOf(record)) - q.aloneOf(record))
	}
	return max(2, min(most, (margin*differ/some+63)/64))
}

// reach returns the size of the largest set that is similar to the set of an entry, if they share no feature before the
// rank (positional filter: Xiao, Wang, Lin and Yu 2008).
func (q *groupSearch) reach(e entry, record []uint64) int {
	size := q.sizeOf(record)
	return prefix.MostSharing(size, size-e.before(), q.T)
}

// compareWith compares set y, of which e is the entry, with smaller ones of at most the given size.
func (q *groupSearch) compareWith(e entry, most int) error {
	last := max(0, q.smaller.len()-crowdList) / 8 // the block from which on the last ones are
	switch {
	case q.connected == nil && q.crowd:
		return q.compareFrom(&q.smaller, e, most, last)
	case q.connected == nil:
		return q.compareFrom(&q.smaller, e, most, 0)
	case last > 0 && !q.joined():
		if err := q.compareFrom(&q.smaller, e, most, last); err != nil {
			return err
		}
	}
	if q.joined() {
		return nil
	}
	return q.compareFrom(&q.smaller, e, most, 0)
}

// compareFrom is compareWith for those of some smaller sets from a block on.
func (q *groupSearch) compareFrom(s *smaller, e entry, most, from int) error {
	q.masks = s.within(q.masks, q.sketch, q.Unshared(q.size)+1-q.alone, most, from)
	found := q.masks
	q.out.stats.Entries += int64(min(8*len(found), s.len()-8*from))
	start := len(q.out.pairs)
	q.likely = q.likely[:0]
	for b := 0; b < len(found); b++ {
		if b+8 <= len(found) && binary.LittleEndian.Uint64(found[b:]) == 0 {
			b += 7 // most are 0
			continue
		}
		for mask := found[b]; mask != 0; mask &= mask - 1 {
			i := 8*(from+b) + bits.TrailingZeros8(mask)
			if i >= s.len() {
				break
			}
			if s.entries[i].shareBefore(e) {
				continue // the pair is found by a lower rank
			}
			if int(s.sizes[i]) > most || s.words < q.words && !q.near(q.record(s.entries[i].place())) {
				continue
			}
			if q.likely = append(q.likely, s.entries[i]); len(q.likely) < ahead {
				continue
			}
			if enough, err := q.compareLikely(s, start); enough || err != nil {
				return err
			}
		}
	}
	_, err := q.compareLikely(s, start)
	return err
}

// compareLikely compares set y with those of q.likely, which are of s, and forgets them. No more are wanted if enough
// of the pairs from number start on have been found. The ranks of set y are marked if there are several to be
// compared with it.
func (q *groupSearch) compareLikely(s *smaller, start int) (enough bool, err error) {
	if len(q.likely) >= fewLikely && len(q.marked.ranks) == 0 {
		q.marked.begin(q.order[q.y])
	}
	q.read = q.read[:0]
	n := 0
	for _, e := range q.likely {
		if !q.keyed && len(q.marked.ranks) > 0 && e.previous != prefix.NoRank && q.marked.marks.Has(e.previous) {
			continue // the pair is found by a lower rank
		}
		q.likely[n] = e
		q.read = append(q.read, q.order[e.place()])
		n++
	}
	if q.likely = q.likely[:n]; n > 1 {
		q.touch(q.read, true)
	}
	for _, e := range q.likely {
		x := e.place()
		if q.connected != nil && q.connects(x, q.y) || q.keyed && q.compared(x) {
			continue
		}
		if err := q.compare(x, q.record(x)); err != nil {
			return false, err
		}
		if q.crowd && len(q.out.pairs)-start >= q.most {
			return true, nil
		}
		q.candidates++
		if q.row++; s == &q.dense && q.row >= q.listing.company {
			return true, nil
		}
	}
	q.likely = q.likely[:0]
	return false, nil
}

// With keys, 1<<seenBits pairs are remembered that have been compared, since several lists have them.
const seenBits = 17

// compared reports whether the sets at place x and y are known to have been compared, and remembers them.
func (q *groupSearch) compared(x uint32) bool {
	if q.seen == nil {
		q.seen = make([]uint64, 1<<seenBits)
	}
	pair := uint64(x)<<32 | uint64(q.y)
	at := &q.seen[pair*golden64>>(64-seenBits)]
	if *at == pair {
		return true
	}
	*at = pair
	return false
}

// near reports whether the set of a record may be near set y.
func (q *groupSearch) near(record []uint64) bool {
	return within(q.sketch, record, q.Unshared(q.size)+q.Unshared(q.sizeOf(record))+1-q.alone-q.aloneOf(record))
}

// take begins with the set at place y.
func (q *groupSearch) take(y uint32, record []uint64) {
	q.y, q.sketch, q.size, q.alone, q.row = y, record[:q.words], q.sizeOf(record), q.aloneOf(record), 0
	q.marked.end()
}

// shared is prefix.Sets.SharedFrom of set y, whose number is a, and set b.
func (q *groupSearch) shared(a, b, first uint32, least int) int {
	if len(q.marked.ranks) == 0 {
		return q.sets.SharedFrom(a, b, first, least)
	}
	return q.marked.shared(b, first, least)
}

// fewLikely is from how many sets on that are compared with one its ranks are marked.
const fewLikely = 3

// compare adds the pair of the set at place x, whose record is given, and set y, if they are similar, and q.rank is
// the first one that they share. If components are wanted, it connects the two, whatever they share first.
func (q *groupSearch) compare(x uint32, record []uint64) error {
	size := q.sizeOf(record)
	least := prefix.LeastShared(q.size, size, q.T)
	if min(q.size-q.alone, size-q.aloneOf(record)) < least {
		return nil
	}
	q.out.stats.Candidates++
	if q.mostCompared > 0 && q.didCompare.Add(1) > q.mostCompared {
		return errStopped
	}
	a, b, first := q.order[q.y], q.order[x], q.rank
	if q.connected != nil || q.keyed {
		first = prefix.NoRank
	}
	shared := q.shared(a, b, first, least)
	p := Pair{min(a, b), max(a, b), shared}
	switch {
	case shared < least:
	case q.connected != nil:
		q.connected.Union(a, b)
	case q.wanted != nil && !q.wanted(p):
	case q.limit > 0 && q.found.Add(1) > q.limit:
		return errStopped
	default:
		q.out.pairs = append(q.out.pairs, p)
	}
	return nil
}
