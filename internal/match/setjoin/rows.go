package setjoin

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"simsearch/internal/match/prefix"
)

// ErrMany is returned by Pairs if there are more pairs than Options.Most.
var ErrMany = errors.New("there are more near pairs than were wanted")

// Rows finds the sets that are near one set after the other. Pairs finds all pairs sooner, in an order of its own. Rows is for
// so many pairs that they cannot be put in another order. Several goroutines may use it.
type Rows struct {
	join   *join
	places []uint32 // of each set
}

// NewRows returns the rows of s at a similarity of t, in (0, 1]. Beside the sketches and lists that Pairs has, of which the lists
// take 12 bytes a first feature, it takes 4 bytes a set, and as much again for each goroutine. ok is false if the lists take
// more than Options.Memory. The error is the cause of ctx.
func NewRows(ctx context.Context, s *prefix.Sets, t float64, o Options) (_ *Rows, ok bool, err error) {
	s.Check()
	j, err := newJoin(ctx, s, t, purpose{}, o)
	if err != nil {
		return nil, false, err
	}
	entries := uint64(0)
	for _, n := range j.blocks {
		entries += n
	}
	if 12*entries > uint64(cmp.Or(o.Memory, defaultMemory)) || entries > math.MaxUint32 {
		return nil, false, nil
	}
	if err := j.fill(ctx, 0, uint32(s.Ranks()), max(1, o.Threads)); err != nil {
		return nil, false, err
	}
	r := &Rows{j, make([]uint32, s.Len())}
	for place, set := range j.order {
		r.places[set] = uint32(place)
	}
	return r, true, nil
}

// A RowMatch is a set that is near another one.
type RowMatch struct {
	Set    uint32
	Shared int // features
	Size   int // features of the set
}

// Near appends the sets that are near a set, without itself, in no certain order, and returns the extended slice and the size
// of the set. It leaves out sets for which skip, if not nil, returns true.
func (r *Rows) Near(dst []RowMatch, set uint32, skip func(set uint32) bool) (_ []RowMatch, size int) {
	q := r.join.setSearch()
	defer r.join.setSearches.Put(q)
	return q.row(dst, r.places[set], skip)
}

// row appends what Rows.Near does for the set at place y.
func (q *setSearch) row(dst []RowMatch, y uint32, skip func(set uint32) bool) (_ []RowMatch, size int) {
	q.begin(y)
	for i, r := range q.ranks[:q.prefix] {
		q.collect(q.list(r), i < q.short, skip)
	}
	size = q.size
	if len(q.places) == 0 {
		return dst, size
	}
	q.marks.Mark(q.ranks)
	defer q.marks.Unmark(q.ranks)
	for some := range slices.Chunk(q.places, ahead) {
		q.nexts = q.nexts[:0]
		for _, x := range some {
			q.nexts = append(q.nexts, q.order[x])
		}
		q.touch(q.nexts, true)
		for i, set := range q.nexts {
			other := q.sizeOf(q.join.record(some[i]))
			least := prefix.LeastShared(size, other, q.T)
			if shared := q.shared(set, prefix.NoRank, least); shared >= least {
				dst = append(dst, RowMatch{set, shared, other})
			}
		}
	}
	return dst, size
}

// A setSearch compares one set after the other with those that it shares a rank of both prefixes with.
type setSearch struct {
	*join
	*search // the set
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

// setSearch returns a setSearch, which is put back into j.setSearches.
func (j *join) setSearch() *setSearch {
	if q, ok := j.setSearches.Get().(*setSearch); ok {
		return q
	}
	return &setSearch{join: j, seen: make([]uint32, len(j.order)), search: newSearch(j.sets, 0)}
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

// collect adds the sets of a list that may be near the set to q.places: a smaller one has the rank of the list in its short prefix. A
// larger one, if such ones are wanted, has it anywhere. It leaves out sets for which skip, if not nil, returns true.
func (q *setSearch) collect(list []entry, larger bool, skip func(set uint32) bool) {
	if len(list) > 16 {
		list = list[sort.Search(len(list), func(i int) bool { return list[i].place() >= q.smallest }):]
	}
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

// looked is how many sets are looked at to tell whether there are too many pairs.
const looked = 64

// tooMany reports whether some sets, evenly spaced, have so many near ones among the lists of this pass that all pairs are more
// than most.
func (j *join) tooMany(ctx context.Context, most int64) (bool, error) {
	n := len(j.order)
	if most == 0 || n < looked {
		return false, nil
	}
	q := j.setSearch()
	defer j.setSearches.Put(q)
	var found []RowMatch
	sum := int64(0)
	for i := range looked {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		found, _ = q.row(found[:0], uint32(i*n/looked), nil)
		if sum += int64(len(found)); sum/2*int64(n)/looked > most {
			return true, nil
		}
	}
	return false, nil
}
