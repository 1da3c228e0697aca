package prefix

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"
)

// ErrMany is returned by Pairs if there are more pairs than PairOptions.Most.
var ErrMany = errors.New("there are more near pairs than were wanted")

// Rows finds the sets that are near one set after the other. Pairs finds all pairs sooner, in an order of its own. Rows is for
// so many pairs that they cannot be put in another order. Several goroutines may use it.
type Rows struct {
	join   *join
	places []uint32 // of each set
}

// Rows returns the rows of s at a similarity of t, in (0, 1]. Beside the sketches and lists that Pairs has, of which the lists
// take 12 bytes a first feature, it takes 4 bytes a set, and as much again for each goroutine. ok is false if the lists take
// more than PairOptions.Memory. The error is section.ErrCorrupt, or the cause of ctx.
func (s *Sets) Rows(ctx context.Context, t float64, o PairOptions) (_ *Rows, ok bool, err error) {
	if err := s.check(); err != nil {
		return nil, false, err
	}
	j, err := newJoin(ctx, s, t, 0, o)
	if err != nil {
		return nil, false, err
	}
	entries := uint64(0)
	for _, n := range j.blocks {
		entries += n
	}
	memory := uint64(o.Memory)
	if memory == 0 {
		memory = defaultMemory
	}
	if 12*entries > memory || entries > math.MaxUint32 {
		return nil, false, nil
	}
	if err := j.fill(ctx, 0, uint32(s.ranks), max(1, o.Threads)); err != nil {
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
// of the set. It leaves out sets for which skip, if not nil, returns true. The error is section.ErrCorrupt.
func (r *Rows) Near(dst []RowMatch, set uint32, skip func(set uint32) bool) (_ []RowMatch, size int, err error) {
	q, _ := r.join.setSearches.Get().(*setSearch)
	if q == nil {
		q = r.join.newSetSearch()
		q.out = &joined{}
	}
	defer r.join.setSearches.Put(q)
	return q.row(dst, r.places[set], skip)
}

// row appends what Rows.Near does for the set at place y.
func (q *setSearch) row(dst []RowMatch, y uint32, skip func(set uint32) bool) (_ []RowMatch, size int, err error) {
	set := q.order[y]
	d, err := q.sets.decoder(set)
	if err != nil {
		return dst, 0, err
	}
	size = d.features
	alone, short := d.alone, q.short(size, 1)
	last := max(0, min(q.probed(size, 1)-alone, d.ranks))
	q.ranks = slices.Grow(q.ranks[:0], d.ranks)[:d.ranks]
	if err := d.read(q.ranks); err != nil {
		return dst, size, q.sets.bad(set, err)
	}
	q.places = q.places[:0]
	lo := q.firstOf(LeastSize(size, q.t), y)
	for i, r := range q.ranks[:last] {
		at := r - q.first
		if r < q.first || at >= uint32(len(q.starts)-1) {
			continue // of another pass
		}
		list := q.lists[q.starts[at]:q.starts[at+1]]
		if len(list) > 16 {
			list = list[sort.Search(len(list), func(i int) bool { return list[i].place() >= lo }):]
		}
		q.collectRow(list, y, lo, alone+i < short, skip)
	}
	for _, x := range q.places {
		q.seen[x] = 0
	}
	for _, r := range q.ranks {
		q.marks.set(r)
	}
	defer func() {
		for _, r := range q.ranks {
			q.marks[r/64] = 0
		}
	}()
	for _, x := range q.places {
		other := q.order[x]
		d, err := q.sets.decoder(other)
		if err != nil {
			return dst, size, err
		}
		n := d.features
		q.others = slices.Grow(q.others[:0], d.ranks)[:d.ranks]
		if err := d.read(q.others); err != nil {
			return dst, size, q.sets.bad(other, err)
		}
		shared := 0
		for _, r := range q.others {
			shared += q.marks.of(r)
		}
		if Similar(shared, size, n, q.t) {
			dst = append(dst, RowMatch{other, shared, n})
		}
	}
	return dst, size, nil
}

// collectRow adds the sets of a list, from place lo on, that may be near the set at place y. A smaller one has the rank of the
// list in its short prefix; a larger one has it anywhere, if the set at place y has it there.
func (q *setSearch) collectRow(list []entry, y, lo uint32, short bool, skip func(set uint32) bool) {
	const is = ^uint32(0)
	record := q.record(y)
	a, alone := q.sizeOf(record), q.aloneOf(record)
	for _, e := range list {
		x := e.place()
		if x > y && !short {
			return
		}
		if x < lo || x == y || x < y && !e.short() || q.seen[x] == is || skip != nil && skip(q.order[x]) {
			continue
		}
		other := q.record(x)
		b := q.sizeOf(other)
		if x > y && LeastSize(b, q.t) > a {
			return // all that follow are as large
		}
		limit := a + b - 2*LeastShared(a, b, q.t) - alone - q.aloneOf(other)
		if limit >= 0 && within(record[:q.words], other, limit) {
			q.seen[x] = is
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
	q := j.newSetSearch()
	q.out = &joined{}
	var found []RowMatch
	sum := int64(0)
	for i := range looked {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		var err error
		if found, _, err = q.row(found[:0], uint32(i*n/looked), nil); err != nil {
			return false, err
		}
		if sum += int64(len(found)); sum/2*int64(n)/looked > most {
			return true, nil
		}
	}
	return false, nil
}
